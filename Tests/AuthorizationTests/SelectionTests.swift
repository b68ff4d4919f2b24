import Authorization
import PhotoModel
import TestSupport
import Testing

@Suite("The selection and its view")
struct SelectionTests {
    private let device = DeviceID(rawValue: 1)
    private let album = AlbumID(rawValue: 9)

    private func asset(_ id: UInt128, by owner: UInt128 = 2, _ change: (inout Asset) -> Void = { _ in }) -> Asset {
        let time = CaptureTime(
            wall: WallTime(millisecondsSince1970: Int64(id) * 1000),
            source: .deviceClock,
            isSynchronized: true
        )
        var asset = Asset(id: AssetID(rawValue: id), mediaType: .image, captureTime: time)
        asset.deviceID = DeviceID(rawValue: owner)
        change(&asset)
        return asset
    }

    @Test("004.89: an empty selection is legal; own captures stay visible, and it is explained")
    func emptySelection() {
        let selection = Selection()
        #expect(selection.isEmpty)
        #expect(selection.contains(asset(1, by: 1), for: device))
        #expect(!selection.contains(asset(1), for: device))
        let words = Explanation(CallerKind.limited.caller, selectionIsEmpty: true)
        #expect(words.cause.contains("own captures") && words.next.contains("selection expand"))
    }

    @Test("004.85: limited is not denied: its lists are answered, within the view")
    func limitedLists() {
        let verdict = decide(route: .assets, caller: CallerKind.limited.caller, object: .collection)
        #expect(verdict == .allow(.view))
    }

    @Test("Listed assets, rules by filter, album and date, and granted albums make up the view")
    func union() {
        let range = AssetFilter.DateRange(from: WallTime(millisecondsSince1970: 4000))
        let selection = Selection(
            assets: [AssetID(rawValue: 1)],
            rules: [.kind(.favorites), .captured(range), .album(AlbumID(rawValue: 8))],
            grantedAlbums: [album]
        )
        let library = [
            asset(1), asset(2), asset(3) { $0.isFavorite = true }, asset(4), asset(0) { $0.albums = [album] },
            asset(5) { $0.isHidden = true }, asset(6) { $0.trashedAt = $0.captureTime.wall },
        ]
        let visible = library.filter { selection.contains($0, for: device) }.map(\.id)
        #expect(visible == [1, 3, 4, 0].map { AssetID(rawValue: $0) })
        #expect(selection.contains(asset(9, by: 1), for: device), "its own capture")
        #expect(selection.relation(of: album) == .inGrantedAlbum)
        #expect(selection.relation(of: AlbumID(rawValue: 8)) == .outside)
    }

    @Test("A selection has limits")
    func limits() {
        let selection = Selection(rules: Array(repeating: .kind(.images), count: Selection.maximumRuleCount + 1))
        #expect(throws: AuthorizationError.self) { try selection.validate() }
        #expect(throws: Never.self) { try Selection(rules: [.kind(.images)]).validate() }
    }
}

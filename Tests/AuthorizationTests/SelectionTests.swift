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
        #expect(words.cause.contains("own captures") && words.next.contains("authorize --more"))
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
        #expect(selection.view(of: library, for: device) == Set([0, 1, 3, 4].map { AssetID(rawValue: $0) }))
        #expect(selection.relation(of: library[1], to: device) == .outside)
        #expect(selection.relation(of: asset(9, by: 1), to: device) == .own)
        #expect(selection.relation(of: nil as Asset?, to: device) == .nonexistent)
        #expect(selection.relation(of: album) == .inGrantedAlbum)
        #expect(selection.relation(of: AlbumID(rawValue: 8)) == .outside)
    }

    @Test("004.70: leaving looks the same whatever the reason")
    func leaving() {
        let before = asset(1) { $0.albums = [album] }
        let selection = Selection(grantedAlbums: [album])
        let afters: [Asset?] = [
            nil, asset(1),
            asset(1) {
                $0.albums = [album]; $0.isHidden = true
            },
            asset(1) {
                $0.albums = [album]; $0.trashedAt = $0.captureTime.wall
            },
        ]
        for after in afters {
            #expect(ViewEvent(from: before, to: after, in: selection, for: device) == .removed)
        }
        var edited = before
        edited.isFavorite = true
        #expect(ViewEvent(from: before, to: edited, in: selection, for: device) == .updated)
        #expect(ViewEvent(from: nil, to: before, in: selection, for: device) == .inserted)
        #expect(ViewEvent(from: before, to: before, in: selection, for: device) == nil)
    }

    @Test("004.70: applying what enters and leaves to the old view gives the new one, without leaks")
    func changes() {
        checkProperty("a change of selection is its view's difference") { generator, size in
            let library = (0..<UInt128(size)).map { id in
                asset(id, by: UInt128(generator.below(3))) { $0.isFavorite = generator.oneIn(3) }
            }
            func selection() -> Selection {
                let listed = library.filter { _ in generator.oneIn(2) }.map(\.id)
                return Selection(assets: Set(listed), rules: generator.oneIn(2) ? [.kind(.favorites)] : [])
            }
            let (old, new) = (selection(), selection())
            let change = old.change(to: new, over: library, for: device)
            let view = old.view(of: library, for: device).subtracting(change.leaving).union(change.entering)
            guard view == new.view(of: library, for: device) else { return "the views differ" }
            return library.allSatisfy { new.contains($0, for: device) == view.contains($0.id) } ? nil : "a leak"
        }
    }

    @Test("A selection has limits")
    func limits() {
        let selection = Selection(rules: Array(repeating: .kind(.images), count: Selection.maximumRuleCount + 1))
        #expect(throws: AuthorizationError.self) { try selection.validate() }
        #expect(throws: Never.self) { try Selection(rules: [.kind(.images)]).validate() }
    }

    @Test(
        "T21: a token from before a grant change, or from trimmed or future history, has expired",
        arguments: [
            (3, 5, true), (2, 5, false), (4, 5, false), (3, 1, false), (3, 2, true), (3, 9, true), (3, 10, false),
        ]
    )
    func tokens(_ epoch: UInt64, _ sequence: UInt64, _ isGood: Bool) {
        let position = ViewPosition(epoch: epoch, sequence: sequence)
        let current = ViewPosition(epoch: 3, sequence: 9)
        var code: ProblemCode?
        do {
            try position.requireContinuable(to: current, oldest: 2)
        } catch {
            code = error.code
        }
        #expect(code == (isGood ? nil : .changesTokenExpired))
    }
}

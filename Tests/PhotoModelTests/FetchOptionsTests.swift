import PhotoModel
import TestSupport
import Testing

struct FetchOptionsTests {
    @Test("004.81: newest capture first, images only, at most so many")
    func newestFirst() {
        checkProperty("fetch") { generator, size in
            let assets = (0..<size).map { _ in AssetGenerator.asset(&generator) }
            let options = FetchOptions(filter: .images, fetchLimit: 3)
            let list = options.fetch(from: assets)
            guard list.count <= 3, list.allSatisfy({ $0.mediaType == .image && !$0.isHidden && $0.trashedAt == nil })
            else { return "\(list)" }
            let isSorted = zip(list, list.dropFirst()).allSatisfy { $0.localCaptureDate >= $1.localCaptureDate }
            return isSorted ? nil : "not sorted: \(list.map(\.localCaptureDate))"
        }
    }

    @Test("the order is total: it does not depend on how the assets came, and its opposite is the reverse")
    func totalOrder() {
        checkProperty("total order") { generator, size in
            let assets = (0..<size).map { _ in AssetGenerator.asset(&generator) }
            let descriptors = (0..<1 + generator.below(3)).map { _ in
                FetchOptions.SortDescriptor(
                    key: generator.pick(FetchOptions.SortKey.allCases),
                    isAscending: generator.oneIn(2)
                )
            }
            var options = FetchOptions(sortDescriptors: descriptors, includesHidden: true, includesAllBurstAssets: true)
            let list = options.fetch(from: assets)
            guard list == options.fetch(from: assets.shuffled(using: &generator)) else {
                return "order of arrival shows"
            }
            options.sortDescriptors = descriptors.map { .init(key: $0.key, isAscending: !$0.isAscending) }
            return options.fetch(from: assets) == list.reversed() ? nil : "the opposite is not the reverse"
        }
    }

    @Test("of a burst a list shows the representative and what a person picked, or all on request")
    func bursts() {
        func shot(_ id: UInt128, represents: Bool, _ picks: BurstMembership.SelectionTypes) -> Asset {
            var asset = Asset(
                id: AssetID(rawValue: id),
                mediaType: .image,
                captureTime: CaptureTime(
                    wall: WallTime(microsecondsSince1970: Int64(id)),
                    source: .deviceClock,
                    isSynchronized: true
                )
            )
            asset.burst = BurstMembership(id: BurstID(rawValue: 1), representsBurst: represents, selectionTypes: picks)
            return asset
        }
        let shots = [
            shot(1, represents: false, []), shot(2, represents: true, .autoPick), shot(3, represents: false, .userPick),
            shot(4, represents: false, .autoPick),
        ]
        #expect(FetchOptions().fetch(from: shots).map(\.id.rawValue) == [3, 2])
        #expect(FetchOptions(includesAllBurstAssets: true).fetch(from: shots).count == 4)
    }

    @Test("hidden assets and the trash are shown only on request, and the trash shows nothing else")
    func hiddenAndTrash() {
        checkProperty("hidden and trash") { generator, size in
            let assets = (0..<size).map { _ in AssetGenerator.asset(&generator) }
            let everything = FetchOptions(includesHidden: true, includesAllBurstAssets: true).fetch(from: assets)
            let trash = FetchOptions(includesHidden: true, includesAllBurstAssets: true, showsTrash: true)
                .fetch(from: assets)
            guard everything.count + trash.count == assets.count else { return "some are in both or in neither" }
            return trash.allSatisfy { $0.trashedAt != nil } ? nil : "the trash shows what was not trashed"
        }
    }
}

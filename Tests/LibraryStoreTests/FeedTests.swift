import Authorization
import LibraryAPI
import Persistence
import PhotoModel
import Replication
import TestSupport
import Testing

@testable import LibraryStore

struct FeedTests {
    private let caller = StoreCaller.device(StoreFixture.device)
    private let everything = ChangeViewer.everything(grantVersion: 1)

    @Test(
        "every change has one number in commit order, and a viewer who follows tokens sees each entity as it is",
        arguments: RowEngine.installed
    )
    func follows(in engine: RowEngine) async throws {
        let fixture = try StoreFixture(in: engine)
        let store = try await fixture.create()
        var seen: [EntityReference: EntityChange] = [:]
        var position: ChangePosition?
        func pull(limit: Int) async throws {
            while true {
                let page = try await store.metadata.changes(after: position, limit: limit, for: everything)
                for change in page.changes { seen[change.entity] = change.kind == .removed ? nil : change }
                position = page.position
                if !page.hasMore { return }
            }
        }
        let (first, firstBytes) = fixture.capture(album: .title("Gate"))
        try await fixture.save(first, firstBytes, to: store)
        try await pull(limit: 1)
        #expect(seen.count == 3 && seen[.asset(first.id)]?.kind == .inserted)
        let (second, secondBytes) = fixture.capture()
        try await fixture.save(second, secondBytes, to: store)
        var edit = AssetEdit()
        edit.isFavorite = true
        edit.addedKeywords = [try #require(Keyword("snow"))]
        _ = try await store.metadata.edit(first.id, edit, in: .everything, by: caller)
        try await pull(limit: 2)
        #expect(seen[.asset(first.id)]?.kind == .updated)
        #expect(seen[.asset(first.id)]?.asset?.isFavorite == true)
        #expect(seen[.asset(second.id)]?.kind == .inserted)
        _ = try await store.metadata.trash(first.id, in: .everything, by: caller)
        try await store.purge(first.id, by: .administrator("ana"))
        try await pull(limit: 100)
        #expect(seen[.asset(first.id)] == nil && seen[.asset(second.id)] != nil)
        let page = try await store.metadata.changes(after: position, limit: 10, for: everything)
        #expect(page.changes == [] && page.position == position)
    }

    @Test(
        "000.22: whatever order commits come in, no number is skipped and no page misses one",
        arguments: RowEngine.installed
    )
    func gapless(in engine: RowEngine) async throws {
        let fixture = try StoreFixture(in: engine)
        let store = try await fixture.create()
        let captures = (0..<40).map { _ in fixture.capture() }
        let start = try await store.metadata.identity().lastChange
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (manifest, bytes) in captures {
                group.addTask { try await fixture.save(manifest, bytes, to: store) }
            }
            try await group.waitForAll()
        }
        let receipts = try await store.metadata.receipts(of: caller, after: .zero, limit: 100).receipts
        let numbers = receipts.map { $0.receipt.changeNumber.rawValue }
        #expect(numbers == Array(start.rawValue + 1...start.rawValue + 40))
        #expect(store.commits.rounds < 40, "commits that came together shared a transaction")
    }

    @Test("a token of another grant, another history, or the future has expired", arguments: RowEngine.installed)
    func expiredTokens(in engine: RowEngine) async throws {
        let fixture = try StoreFixture(in: engine)
        let store = try await fixture.create()
        let identity = try await store.metadata.identity()
        let good = ChangePosition(epoch: identity.epoch, viewVersion: 1, number: identity.lastChange)
        _ = try await store.metadata.changes(after: good, limit: 1, for: everything)
        let wrong = [
            ChangePosition(epoch: LibraryEpoch(rawValue: 1), viewVersion: 1, number: .zero),
            ChangePosition(epoch: identity.epoch, viewVersion: 2, number: .zero),
            ChangePosition(epoch: identity.epoch, viewVersion: 1, number: ChangeNumber(rawValue: 1000)),
        ]
        for position in wrong {
            let code = await errorCode {
                _ = try await store.metadata.changes(after: position, limit: 1, for: everything)
            }
            #expect(code == .tokenExpired)
        }
        try await store.metadata.beginEpoch(LibraryEpoch(rawValue: 9))
        let code = await errorCode { _ = try await store.metadata.changes(after: good, limit: 1, for: everything) }
        #expect(code == .tokenExpired)
    }

    @Test(
        "T17: a stream of an earlier grant is told nothing more, and does not begin the view anew for the later one",
        arguments: RowEngine.installed
    )
    func passedGrants(in engine: RowEngine) async throws {
        let fixture = try StoreFixture(in: engine)
        let store = try await fixture.create()
        let (manifest, bytes) = fixture.capture()
        try await fixture.save(manifest, bytes, to: store)
        func changes(after position: ChangePosition?, grantVersion: UInt64) async throws -> ChangePage {
            let selection = Selection(assets: [manifest.id])
            let viewer = ChangeViewer.limited(StoreFixture.otherDevice, selection, grantVersion: grantVersion)
            return try await store.metadata.changes(after: position, limit: 10, for: viewer)
        }
        let earlier = try await changes(after: nil, grantVersion: 5)
        let later = try await changes(after: nil, grantVersion: 6)
        #expect(later.changes.map(\.entity) == [.asset(manifest.id)])
        _ = try await store.metadata.trash(manifest.id, in: .everything, by: caller)
        let code = await errorCode { _ = try await changes(after: earlier.position, grantVersion: 5) }
        #expect(code == .tokenExpired)
        let next = try await changes(after: later.position, grantVersion: 6)
        #expect(next.changes == [EntityChange(.removed, .asset(manifest.id))])
    }

    @Test(
        "004.70: a limited viewer's feed is the log of its view: it holds exactly what it may see",
        arguments: RowEngine.installed
    )
    func limitedViews(in engine: RowEngine) async throws {
        for seed in UInt64(1)...6 {
            let fixture = try StoreFixture(seed: seed, in: engine)
            let store = try await fixture.create()
            var generator = SeededGenerator(seed: seed)
            let album = try await store.metadata.createAlbum(AlbumEdit(title: "A"), by: caller)
            let selection = Selection(rules: [.favorites], grantedAlbums: [album.id])
            let viewer = ChangeViewer.limited(StoreFixture.otherDevice, selection, grantVersion: 5)
            let view = LibraryView.selection(selection, StoreFixture.otherDevice)
            var held: Set<AssetID> = []
            var position: ChangePosition?
            var ids: [AssetID] = []
            for step in 0..<40 {
                try await act(&generator, &ids, album.id, fixture, store)
                guard generator.oneIn(3) else { continue }
                let before = position
                var changes = try await pull(&position, 1 + generator.below(4), viewer, store)
                if generator.oneIn(3) {
                    // The answer was lost: the same token is asked with again.
                    position = before
                    changes = try await pull(&position, 3, viewer, store)
                }
                follow(changes, in: view, &held, "seed \(seed), step \(step)")
                let page = try await store.metadata.page(
                    AssetQuery(options: FetchOptions(includesAllBurstAssets: true), limit: 500),
                    in: view
                )
                #expect(held == Set(page.assets.map(\.id)), "seed \(seed), step \(step)")
            }
            // Whatever the steps were: each asset comes, and leaves once it is hidden.
            for id in ids {
                for hides in [false, true] {
                    var edit = AssetEdit()
                    (edit.restores, edit.isFavorite, edit.isHidden) = (true, true, hides)
                    _ = try await store.metadata.edit(id, edit, in: .everything, by: .administrator("ana"))
                    follow(try await pull(&position, 3, viewer, store), in: view, &held, "seed \(seed), \(id)")
                    #expect(held.contains(id) != hides, "seed \(seed), \(id)")
                }
            }
        }
    }

    @Test(
        "004.70: what comes into a view by an album that a rule names is told to a feed past the photo's own change",
        arguments: [true, false],
        RowEngine.installed
    )
    func ruledAlbums(isWanted: Bool, in engine: RowEngine) async throws {
        let fixture = try StoreFixture(in: engine)
        let store = try await fixture.create()
        let album = try await store.metadata.createAlbum(AlbumEdit(title: "A"), by: caller).id
        let rule = AssetFilter.album(album)
        let selection = Selection(rules: [isWanted ? rule : .not(rule)])
        let viewer = ChangeViewer.limited(StoreFixture.otherDevice, selection, grantVersion: 5)
        var position: ChangePosition?
        var changes = try await pull(&position, 10, viewer, store)
        #expect(changes == [])
        let (manifest, bytes) = fixture.capture()
        try await fixture.save(manifest, bytes, to: store)
        if !isWanted { try await store.metadata.add([manifest.id], to: album, in: .everything, by: caller) }
        changes = try await pull(&position, 10, viewer, store)
        #expect(changes == [])
        if isWanted {
            try await store.metadata.add([manifest.id], to: album, in: .everything, by: caller)
        } else {
            try await store.metadata.remove(manifest.id, from: album, in: .everything, by: caller)
        }
        // Another read follows the view from before the photo was saved.
        let held = try await store.metadata.entities(.init(), for: viewer).changes
        changes = try await pull(&position, 10, viewer, store)
        #expect(changes.map(\.entity) == [.asset(manifest.id)] && changes == held)
    }

    @Test(
        "T54: a photo that is hidden while a limited viewer reads page by page is named as removed only if it was shown",
        arguments: [true, false],
        RowEngine.installed
    )
    func hiddenBetweenPages(isEdited: Bool, in engine: RowEngine) async throws {
        let fixture = try StoreFixture(in: engine)
        let store = try await fixture.create()
        let viewer = ChangeViewer.limited(StoreFixture.device, Selection(), grantVersion: 5)
        var position: ChangePosition? = try await store.metadata.changes(after: nil, limit: 1, for: viewer).position
        var photos: [AssetID] = []
        for _ in 0..<4 {
            let (manifest, bytes) = fixture.capture()
            try await fixture.save(manifest, bytes, to: store)
            photos.append(manifest.id)
        }
        if isEdited {
            // The view has it before it is edited, so that it came before the first page's end and changed after it.
            let held = try await store.metadata.entities(.init(), for: viewer).changes
            #expect(held.count == 4)
            var edit = AssetEdit()
            edit.title = "Gate"
            _ = try await store.metadata.edit(photos[0], edit, in: .everything, by: caller)
        }
        let first = try await store.metadata.changes(after: position, limit: 1, for: viewer)
        #expect(first.hasMore)
        position = first.position
        let hidden = photos.remove(at: isEdited ? 0 : 1)
        var edit = AssetEdit()
        edit.isHidden = true
        _ = try await store.metadata.edit(hidden, edit, in: .everything, by: .administrator("ana"))
        let rest = try await pull(&position, 1, viewer, store)
        var shown: Set<EntityReference> = []
        for change in first.changes + rest {
            if change.kind == .removed {
                #expect(shown.remove(change.entity) != nil, "it was never shown: \(change.entity)")
            } else {
                shown.insert(change.entity)
            }
        }
        #expect(shown == Set(photos.map(EntityReference.asset)))
    }

    /// Applies changes to what a viewer holds.
    private func follow(_ changes: [EntityChange], in view: LibraryView, _ held: inout Set<AssetID>, _ place: String) {
        for change in changes {
            guard case .asset(let id) = change.entity else { continue }
            switch change.kind {
            case .inserted, .updated:
                #expect(change.asset.map(view.contains) == true, "\(place)")
                held.insert(id)
            case .removed:
                #expect(held.remove(id) != nil, "an asset that was never shown was named, \(place)")
            }
        }
    }

    private func pull(
        _ position: inout ChangePosition?,
        _ limit: Int,
        _ viewer: ChangeViewer,
        _ store: LibraryStore
    ) async throws -> [EntityChange] {
        var changes: [EntityChange] = []
        while true {
            let page = try await store.metadata.changes(after: position, limit: limit, for: viewer)
            changes += page.changes
            position = page.position
            if !page.hasMore { return changes }
        }
    }

    private func act(
        _ generator: inout SeededGenerator,
        _ ids: inout [AssetID],
        _ album: AlbumID,
        _ fixture: StoreFixture,
        _ store: LibraryStore
    ) async throws {
        let administrator = StoreCaller.administrator("ana")
        guard !ids.isEmpty, !generator.oneIn(4) else {
            let (manifest, bytes) = fixture.capture(sizes: [10])
            try await fixture.save(manifest, bytes, to: store)
            return ids.append(manifest.id)
        }
        let id = generator.pick(ids)
        var edit = AssetEdit()
        switch generator.below(6) {
        case 0: edit.isFavorite = generator.oneIn(2)
        case 1: edit.isHidden = generator.oneIn(2)
        case 2: edit.restores = true
        case 3:
            _ = try await store.metadata.trash(id, in: .everything, by: administrator)
            return
        case 4:
            try await store.metadata.add([id], to: album, in: .everything, by: administrator)
            return
        default:
            _ = await errorCode {
                try await store.metadata.remove(id, from: album, in: .everything, by: administrator)
            }
            return
        }
        _ = try await store.metadata.edit(id, edit, in: .everything, by: administrator)
    }
}

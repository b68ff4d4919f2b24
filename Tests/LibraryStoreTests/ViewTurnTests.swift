import Authorization
import GRDB
import LibraryAPI
import Persistence
import PhotoModel
import Synchronization
import Testing

@testable import LibraryStore

/// Views of limited devices that are built in many turns of the writer.
struct ViewTurnTests {
    private let administrator = StoreCaller.administrator("ana")

    /// A library with an album of which a limited device sees everything, beside listed assets and its own.
    private struct World: Sendable {
        let fixture: StoreFixture
        let store: LibraryStore
        let metadata: SQLMetadataStore
        let assets: [AssetID]
        let selection: Selection

        var view: LibraryView { .selection(selection, StoreFixture.device) }

        func viewer(_ version: Int) -> ChangeViewer {
            .limited(StoreFixture.device, selection, grantVersion: UInt64(version))
        }

        /// What is in the view by the lists.
        func expected() async throws -> Set<EntityReference> {
            let query = AssetQuery(options: FetchOptions(includesAllBurstAssets: true), limit: 500)
            var entities: Set<EntityReference> = []
            for asset in try await metadata.page(query, in: view).assets {
                entities.insert(.asset(asset.id))
                for album in asset.albums { entities.insert(.membership(album: album, asset: asset.id)) }
            }
            return entities.union(selection.grantedAlbums.map(EntityReference.album))
        }

        /// What is in the view by its feed, enumerated from the beginning until nothing is new.
        func held(_ version: Int, by metadata: SQLMetadataStore) async throws -> Set<EntityReference> {
            var position: ChangePosition?
            var held: Set<EntityReference> = []
            while true {
                let page = try await metadata.changes(after: position, limit: 7, for: viewer(version))
                for change in page.changes {
                    if change.kind == .removed { held.remove(change.entity) } else { held.insert(change.entity) }
                }
                position = page.position
                if !page.hasMore, page.changes.isEmpty { break }
            }
            let ranges = try await metadata.entities(.init(), for: viewer(version)).changes.map(\.entity)
            #expect(Set(ranges) == held && ranges.count == held.count)
            return held
        }

        /// The rows of the view.
        func rowCount() async throws -> Int {
            try await metadata.store.read { try $0.value(Int.self, "SELECT count(*) FROM view_member") ?? 0 }
        }
    }

    private func world(in engine: RowEngine) async throws -> World {
        let fixture = try StoreFixture(in: engine)
        let store = try await fixture.create()
        let metadata = try #require(store.metadata as? SQLMetadataStore)
        var assets: [AssetID] = []
        for index in 0..<40 {
            let (manifest, bytes) = fixture.capture(sizes: [10])
            let owner = index < 30 ? StoreFixture.otherDevice : StoreFixture.device
            try await fixture.save(manifest, bytes, by: .device(owner), to: store)
            assets.append(manifest.id)
        }
        let album = try await metadata.createAlbum(AlbumEdit(title: "Granted"), by: administrator).id
        try await metadata.add(Array(assets[..<12]), to: album, in: .everything, by: administrator)
        let selection = Selection(assets: Set(assets[12..<20]), grantedAlbums: [album])
        return World(fixture: fixture, store: store, metadata: metadata, assets: assets, selection: selection)
    }

    /// Acts of others between the turns in which a view is built.
    private final class Others: Sendable {
        private let world: World
        private let acts = Mutex(0)
        private let counts = Mutex<[Int]>([])

        init(_ world: World) { self.world = world }

        /// The number of the view's rows after each turn.
        var rowCounts: [Int] { counts.withLock(\.self) }

        /// Saves what is in the view, or takes something out of it.
        func act() async throws {
            let count = try await world.rowCount()
            counts.withLock { $0.append(count) }
            let act = acts.withLock { acts in
                acts += 1
                return acts
            }
            let administrator = StoreCaller.administrator("ana")
            switch act {
            case 1...6:
                let (manifest, bytes) = world.fixture.capture(sizes: [10])
                try await world.fixture.save(manifest, bytes, to: world.store)
            case 7...12: _ = try await world.metadata.trash(world.assets[act], in: .everything, by: administrator)
            case 13...14:
                // One that was added before: it leaves the view and comes back.
                var edit = AssetEdit()
                edit.isHidden = act == 13
                _ = try await world.metadata.edit(world.assets[0], edit, in: .everything, by: administrator)
            default: break
            }
        }
    }

    @Test(
        "T85: a view is built in many turns of the writer, each of bounded work, while others change what is in it",
        arguments: RowEngine.installed
    )
    func building(in engine: RowEngine) async throws {
        let world = try await world(in: engine)
        for version in [5, 6] {
            // The second one begins by deleting the rows of the first.
            let others = Others(world)
            let watched = try await world.metadata.watched(world.fixture) { try await others.act() }
            #expect(try await world.held(version, by: watched) == world.expected())
            let counts = others.rowCounts
            let steps = zip(counts, counts.dropFirst()).map { abs($1 - $0) }
            #expect(counts.count >= 12 && (steps.max() ?? 0) <= 12, "\(counts)")
        }
    }

    @Test(
        "T85: a view whose building was interrupted after any turn is completed by the next request, and is exact",
        arguments: RowEngine.installed
    )
    func interruptedBuilding(in engine: RowEngine) async throws {
        let world = try await world(in: engine)
        var isInterrupted = true
        var turns = 0
        while isInterrupted {
            turns += 1
            let plan = CrashPlan(after: turns)
            let watched = try await world.metadata.watched(world.fixture) { try plan.count() }
            let version = 10 + turns
            _ = try? await watched.changes(after: nil, limit: 1, for: world.viewer(version))
            isInterrupted = plan.hasCrashed
            // Before anybody asks again.
            var edit = AssetEdit()
            edit.isHidden = turns.isMultiple(of: 2)
            _ = try await world.metadata.edit(world.assets[3], edit, in: .everything, by: administrator)
            #expect(try await world.held(version, by: world.metadata) == world.expected(), "after \(turns) turns")
        }
        #expect(turns > 8)
    }

    @Test("T85: a long page of a limited view, such as the first one of a large view, is made by a reader")
    func longPages() async throws {
        let world = try await world(in: .sqlite)
        let written = Mutex<[String]>([])
        try await world.metadata.database.write { database in
            database.trace { event in written.withLock { $0.append("\(event)") } }
        }
        var metadata = world.metadata
        metadata.turns = .small
        let page = try await metadata.changes(after: nil, limit: 7, for: world.viewer(5))
        #expect(page.changes.count == 7 && page.hasMore)
        let statements = written.withLock(\.self)
        #expect(statements.contains { $0.contains("INSERT INTO view_member") })
        #expect(!statements.contains { $0.contains("WITH candidate") })
    }
}

import Authorization
import LibraryAPI
import PhotoModel
import Synchronization
import Testing

@testable import LibraryStore

/// Removals that are forgotten in many turns of the writer.
struct ForgettingTurnTests {
    private struct World: Sendable {
        let fixture: StoreFixture
        let store: LibraryStore
        let metadata: SQLMetadataStore

        /// The removals in the library and in limited views.
        func count() async throws -> Int {
            try await metadata.store.read { database in
                let entities = "SELECT count(*) FROM entity WHERE removed IS NOT NULL"
                let members = "SELECT count(*) FROM view_member WHERE gone IS NOT NULL"
                return try [entities, members].reduce(0) { try $0 + (database.value(Int.self, $1) ?? 0) }
            }
        }

        /// Forgets what is older than a month.
        func forget(by metadata: SQLMetadataStore) async throws -> Int {
            try await metadata.forgetRemovals(
                silentSince: fixture.clock.now.advanced(by: .seconds(-APILimits.silentReplicaSeconds)),
                before: fixture.clock.now.advanced(by: .seconds(-APILimits.removalSeconds))
            )
        }
    }

    @Test(
        "many removals are forgotten in many turns of the writer; tokens expire before the first, and the rest is found",
        arguments: RowEngine.installed
    )
    func turns(in engine: RowEngine) async throws {
        let fixture = try StoreFixture(in: engine)
        let store = try await fixture.create()
        let metadata = try #require(store.metadata as? SQLMetadataStore)
        let world = World(fixture: fixture, store: store, metadata: metadata)
        let administrator = StoreCaller.administrator("ana")
        let everything = ChangeViewer.everything(grantVersion: 1)
        var follower = FeedFollower(viewer: .limited(StoreFixture.device, Selection(), grantVersion: 5))
        var ids: [AssetID] = []
        for _ in 0..<10 {
            let (manifest, bytes) = fixture.capture(sizes: [10])
            try await fixture.save(manifest, bytes, to: store)
            ids.append(manifest.id)
        }
        try await follower.pull(from: metadata)
        let early = try await metadata.changes(after: nil, limit: 100, for: everything).position
        for id in ids {
            _ = try await metadata.trash(id, in: .everything, by: administrator)
            try await store.purge(id, by: administrator)
        }
        try await follower.pull(from: metadata)
        #expect(follower.held == [])
        #expect(try await world.count() == 20)
        fixture.clock.advance(days: 40)
        let (late, bytes) = fixture.capture(sizes: [10])
        try await fixture.save(late, bytes, to: store)

        let plan = CrashPlan(after: 2)
        let interrupted = try await metadata.watched(fixture) { try plan.count() }
        await #expect(throws: PlannedCrash.self) { _ = try await world.forget(by: interrupted) }
        #expect(try await world.count() == 16)
        let expired = await errorCode { _ = try await metadata.changes(after: early, limit: 100, for: everything) }
        #expect(expired == .tokenExpired)

        let counts = Mutex<[Int]>([])
        let watched = try await metadata.watched(fixture) {
            let count = try await world.count()
            counts.withLock { $0.append(count) }
        }
        #expect(try await world.forget(by: watched) == 6)
        let left = counts.withLock(\.self)
        #expect(left.first == 16 && left.last == 0 && left.count >= 6, "\(left)")
        #expect(zip(left, left.dropFirst()).allSatisfy { $0 - $1 <= 4 }, "\(left)")
        try await follower.pull(from: metadata)
        #expect(follower.held == [.asset(late.id)])
    }
}

import LibraryAPI
import PhotoModel
import Synchronization
import Testing

@testable import LibraryStore

/// Uploads that expire in many turns of the writer.
struct ExpiryTurnTests {
    private struct Creation: Sendable {
        let asset: AssetID
        let uploads: [UploadID]
    }

    /// A library with twelve creations that nobody has touched for long, and two young ones.
    private struct World: Sendable {
        let fixture: StoreFixture
        let store: LibraryStore
        let metadata: SQLMetadataStore
        /// In the order of the table.
        let stale: [Creation]

        init(in engine: RowEngine) async throws {
            fixture = try StoreFixture(in: engine)
            store = try await fixture.create()
            metadata = try #require(store.metadata as? SQLMetadataStore)
            let callers: [StoreCaller] = [.device(StoreFixture.device), .administrator("ana")]
            var stale: [Creation] = []
            for index in 0..<12 {
                let manifest = fixture.capture(sizes: index == 5 ? [10, 20] : [10]).manifest
                let uploads = try await store.create(manifest, by: callers[index % 2]).uploads
                stale.append(Creation(asset: manifest.id, uploads: uploads.map(\.id)))
            }
            self.stale = stale.sorted { "\($0.asset)" < "\($1.asset)" }
            fixture.clock.advance(days: 20)
            for caller in callers { _ = try await store.create(fixture.capture().manifest, by: caller) }
        }

        /// Continues one of the creations.
        func continueUpload(of index: Int) async throws {
            let step = UploadProgress(id: stale[index].uploads[0], durableByteCount: 5, isComplete: false)
            for result in await metadata.record([step]) { try result.get() }
        }

        func expire(by metadata: SQLMetadataStore) async throws -> Set<UploadID> {
            let ended = try await metadata.expireUploads(
                untouchedSince: fixture.clock.now.advanced(by: .seconds(-86_400))
            )
            #expect(Set(ended).count == ended.count)
            return Set(ended)
        }

        /// The uploads of some stale creations.
        func uploads(of creations: some Sequence<Creation>) -> Set<UploadID> { Set(creations.flatMap(\.uploads)) }

        /// The number of creations.
        func count() async throws -> Int {
            try await metadata.store.read { try $0.value(Int.self, "SELECT count(*) FROM creation") ?? 0 }
        }
    }

    @Test(
        "many uploads expire in many turns of the writer, but none that is continued before its turn",
        arguments: RowEngine.installed
    )
    func turns(in engine: RowEngine) async throws {
        let world = try await World(in: engine)
        #expect(try await world.count() == 14)
        let counts = Mutex<[Int]>([])
        let watched = try await world.metadata.watched(world.fixture) {
            // A reader has found it already.
            if counts.withLock(\.isEmpty) { try await world.continueUpload(of: 5) }
            let count = try await world.count()
            counts.withLock { $0.append(count) }
        }
        let ended = try await world.expire(by: watched)
        #expect(ended == world.uploads(of: world.stale[..<5]).union(world.uploads(of: world.stale[6...])))
        #expect(counts.withLock(\.self) == [10, 9, 5, 3])
        let open = try await world.metadata.openUploads()
        #expect(open.count == 2 + world.stale[5].uploads.count && open.isSuperset(of: world.stale[5].uploads))
        #expect(try await world.expire(by: world.metadata) == [])
    }

    @Test(
        "an error leaves the rest to the next upkeep, and what has ended is named all the same",
        arguments: RowEngine.installed
    )
    func interrupted(in engine: RowEngine) async throws {
        let world = try await World(in: engine)
        let first = CrashPlan(after: 1)
        let broken = try await world.metadata.watched(world.fixture) { try first.count() }
        await #expect(throws: PlannedCrash.self) { _ = try await world.expire(by: broken) }
        #expect(try await world.count() == 10)
        let second = CrashPlan(after: 2)
        let interrupted = try await world.metadata.watched(world.fixture) { try second.count() }
        #expect(try await world.expire(by: interrupted) == world.uploads(of: world.stale[4..<8]))
        #expect(try await world.count() == 4)
        #expect(try await world.expire(by: world.metadata) == world.uploads(of: world.stale[10...]))
        #expect(try await world.count() == 2)
    }
}

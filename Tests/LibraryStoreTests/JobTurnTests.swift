import Authorization
import LibraryAPI
import PhotoModel
import Synchronization
import Testing

@testable import LibraryStore

/// Dead jobs that are retried in many turns of the writer.
struct JobTurnTests {
    private static let audit = AuditEntry.Content(.jobsControl, by: "administrator ana")

    /// A library whose ten originals are refused; three of them are awaited.
    private struct World: Sendable {
        let fixture: StoreFixture
        let store: LibraryStore
        let metadata: SQLMetadataStore

        init(in engine: RowEngine) async throws {
            fixture = try StoreFixture(in: engine)
            store = try await fixture.create()
            metadata = try #require(store.metadata as? SQLMetadataStore)
            for index in 0..<10 {
                let (manifest, bytes) = fixture.capture(sizes: [10])
                try await fixture.save(manifest, bytes, to: store)
                if index >= 7 { _ = try await metadata.raiseJob(for: manifest.id) }
            }
            try await refuse(10)
        }

        /// Takes the first jobs, which fail for good.
        func refuse(_ count: Int) async throws {
            let jobs = try await metadata.claimJobs(limit: count, lease: .seconds(60), onlyAwaited: false)
            #expect(jobs.count == count)
            for job in jobs { #expect(try await metadata.fail(job.id, JobFailure(.refused, "no picture")) == .dead) }
        }

        func deadCount() async throws -> Int {
            try await metadata.jobs(nil, after: nil, limit: 1).counts[JobState.dead.rawValue] ?? 0
        }

        /// The number of entries in the audit.
        func auditCount() async throws -> Int {
            try await metadata.store.read { try $0.value(Int.self, "SELECT count(*) FROM audit") ?? 0 }
        }
    }

    @Test(
        "all dead jobs are retried in many turns of the writer, once each; one entry in the audit tells of it at the first",
        arguments: RowEngine.installed
    )
    func retries(in engine: RowEngine) async throws {
        let world = try await World(in: engine)
        #expect(try await world.deadCount() == 10)
        let entries = try await world.auditCount()
        let plan = CrashPlan(after: 1)
        let interrupted = try await world.metadata.watched(world.fixture) { try plan.count() }
        await #expect(throws: PlannedCrash.self) { _ = try await interrupted.retryJobs(nil, audit: Self.audit) }
        #expect(try await world.deadCount() == 6)
        #expect(try await world.auditCount() == entries + 1)

        let counts = Mutex<[Int]>([])
        let watched = try await world.metadata.watched(world.fixture) {
            let count = try await world.deadCount()
            // The first of all dies again, and is not retried for ever.
            if counts.withLock(\.isEmpty) { try await world.refuse(1) }
            counts.withLock { $0.append(count) }
        }
        #expect(try await watched.retryJobs(nil, audit: Self.audit) == 6)
        #expect(counts.withLock(\.self) == [2, 1])
        #expect(try await world.auditCount() == entries + 2)
        #expect(try await watched.retryJobs(nil, audit: Self.audit) == 1)
        #expect(try await watched.retryJobs(nil, audit: Self.audit) == 0)
        #expect(try await world.auditCount() == entries + 3, "nothing was retried")
        let claimed = try await world.metadata.claimJobs(limit: 20, lease: .seconds(60), onlyAwaited: false)
        #expect(claimed.count == 10)
    }
}

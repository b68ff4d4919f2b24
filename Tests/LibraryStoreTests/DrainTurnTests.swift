import Authorization
import LibraryAPI
import PhotoModel
import Synchronization
import Testing

@testable import LibraryStore

/// Lists of devices that stop draining, which are deleted in many turns of the writer.
struct DrainTurnTests {
    /// A device that is retired, and what it announces.
    private struct World: Sendable {
        let fixture: StoreFixture
        let store: LibraryStore
        let metadata: SQLMetadataStore
        /// One of the announced assets.
        let stale: (manifest: AssetManifest, bytes: [[UInt8]])
        let announced: [AssetID]

        init(in engine: RowEngine) async throws {
            fixture = try StoreFixture(in: engine)
            store = try await fixture.create()
            metadata = try #require(store.metadata as? SQLMetadataStore)
            stale = fixture.capture()
            announced = (0..<19).map { AssetID(rawValue: UInt128(1000 + $0)) } + [stale.manifest.id]
        }

        func decide(_ event: DeviceEvent, by metadata: SQLMetadataStore) async throws {
            _ = try await metadata.decide(
                StoreFixture.device,
                .state(event),
                by: .administrator("ana"),
                reason: "test",
                audit: AuditContext()
            )
        }

        /// Decides without the turns that follow, as before a crash.
        func decideAlone(_ event: DeviceEvent) async throws {
            let metadata = metadata
            try await metadata.store.write([.library, .device(StoreFixture.device)]) { database in
                guard let record = try DeviceTable.record(of: StoreFixture.device, database) else { return }
                _ = try metadata.decide(
                    record,
                    .state(event),
                    by: .administrator("ana"),
                    reason: "test",
                    audit: AuditContext(),
                    database
                )
            }
        }

        func report(_ assets: [AssetID]) async throws -> DrainProgress? {
            let report = DrainReport(announced: assets, isWhole: true)
            return try await metadata.reportDraining(of: StoreFixture.device, report, audit: AuditContext())
        }

        /// The number of announced assets in rows.
        func rowCount() async throws -> Int {
            try await metadata.store.read { try $0.value(Int.self, "SELECT count(*) FROM announced") ?? 0 }
        }
    }

    @Test(
        "T79: a list of a device that drains no longer is deleted in many turns of the writer, and counts no more at once",
        arguments: RowEngine.installed
    )
    func forgottenLists(in engine: RowEngine) async throws {
        let world = try await World(in: engine)
        var isInterrupted = true
        var turns = 0
        while isInterrupted {
            turns += 1
            try await world.decide(.drainRequested, by: world.metadata)
            #expect(try await world.report(world.announced)?.remainingCount == world.announced.count)
            let plan = CrashPlan(after: turns)
            let counts = Mutex<[Int]>([])
            let watched = try await world.metadata.watched(world.fixture) {
                let count = try await world.rowCount()
                counts.withLock { $0.append(count) }
                try plan.count()
            }
            try? await world.decide(.drainCancelled, by: watched)
            isInterrupted = plan.hasCrashed
            let left = counts.withLock(\.self)
            #expect(left.first == world.announced.count, "\(left)")
            #expect(zip(left, left.dropFirst()).allSatisfy { $0 - $1 <= 4 }, "\(left)")

            // Retired again before all of it is deleted.
            try await world.decideAlone(.drainRequested)
            let progress = try await world.metadata.drainProgress(of: StoreFixture.device)
            #expect(progress == DrainProgress(isAnnounced: false, remainingCount: 0), "after \(turns) turns")
            let refused = await errorCode {
                try await world.fixture.save(world.stale.manifest, world.stale.bytes, to: world.store)
            }
            #expect(refused == .denied, "after \(turns) turns")
            #expect(try await world.report([world.announced[0]])?.remainingCount == 1)
            #expect(try await world.rowCount() == 1)
            try await world.decideAlone(.drainCancelled)
            #expect(try await world.metadata.resumeTurns() == 1)
            #expect(try await world.rowCount() == 0)
        }
        #expect(turns > 6)
    }
}

import Authorization
import GRDB
import LibraryAPI
import LibraryStore
import Persistence
import PhotoModel
import Testing

/// Writes and decisions at the same time.
struct GrantRaceTests {
    private static let rounds = 40
    private static let commitsPerRound = 50

    /// A gate as the server's: the device's own status decides.
    private static func caller(_ device: DeviceID) -> StoreCaller {
        .device(device) { record in
            guard record?.access.addOnly.grantsAccess == true else {
                throw StoreError(.denied, "Saving was denied.")
            }
        }
    }

    @Test("T18: of 2,000 commits that race 40 flips of the grant none is admitted while the device is denied")
    func flippingGrants() async throws {
        let fixture = try StoreFixture(seed: 18)
        let store = try await fixture.create()
        let device = StoreFixture.device
        let captures = (0..<Self.rounds * Self.commitsPerRound).map { _ in fixture.capture(sizes: [4]) }
        let committed = try await withThrowingTaskGroup(of: Int.self) { group in
            for start in stride(from: 0, to: captures.count, by: Self.commitsPerRound) {
                group.addTask {
                    var count = 0
                    for (manifest, bytes) in captures[start..<start + Self.commitsPerRound] {
                        do {
                            _ = try await fixture.save(manifest, bytes, by: Self.caller(device), to: store)
                            count += 1
                        } catch let error as StoreError where error.code == .denied || error.code == .notDetermined {
                            continue
                        }
                    }
                    return count
                }
            }
            for _ in 0..<Self.rounds {
                try await fixture.decide(device, .none, in: store)
                let denied = try await store.metadata.identity().lastChange
                for _ in 0..<3 { _ = try await store.metadata.statistics() }
                let still = try await store.metadata.identity().lastChange
                #expect(denied == still, "a commit was admitted after the decision against it")
                try await fixture.decide(device, .all, in: store)
                _ = try await store.metadata.statistics()
            }
            return try await group.reduce(0, +)
        }
        let statistics = try await store.metadata.statistics()
        #expect(statistics.assets == committed)
    }

    @Test("T45: while the audit cannot be written no decision holds, and uploads wait")
    func auditWithoutRoom() async throws {
        let fixture = try StoreFixture(seed: 45)
        let store = try await fixture.create()
        let before = try await store.metadata.device(StoreFixture.device)?.record
        let pool = try SQLiteMetadataStore.opening(fixture.layout.database).open()
        try await pool.write { database in
            try database.execute(
                sql: """
                    CREATE TRIGGER no_room BEFORE INSERT ON audit
                    BEGIN SELECT raise(FAIL, 'database or disk is full'); END
                    """
            )
        }
        await #expect(throws: (any Error).self) { try await fixture.decide(StoreFixture.device, .none, in: store) }
        #expect(try await store.metadata.device(StoreFixture.device)?.record == before)
        try await pool.write { try $0.execute(sql: "DROP TRIGGER no_room") }
        let after = try await fixture.decide(StoreFixture.device, .none, in: store)
        #expect(after.decision.addOnly == .denied)
    }
}

import Authorization
import GRDB
import LibraryAPI
import LibraryStore
import Persistence
import PhotoModel
import Testing

/// Decisions whose audit cannot be written.
struct AuditRoomTests {
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

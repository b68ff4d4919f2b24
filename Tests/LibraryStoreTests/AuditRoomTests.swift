import Authorization
import GRDB
import LibraryAPI
import LibraryStore
import Persistence
import PersistenceTestSupport
import PhotoModel
import Testing

/// Decisions whose audit cannot be written.
struct AuditRoomTests {
    @Test("T45: while the audit cannot be written no decision holds, and uploads wait")
    func auditWithoutRoom() async throws {
        let fixture = try StoreFixture(seed: 45)
        let store = try await fixture.create()
        let before = try await store.metadata.device(StoreFixture.device)?.record
        let caller = StoreCaller.device(StoreFixture.otherDevice)
        let (manifest, bytes) = fixture.capture(sizes: [50])
        let upload = try await store.create(manifest, by: caller).uploads[0]
        func append(_ range: Range<Int>) async throws {
            _ = try await store.append(
                to: upload.id,
                at: Int64(range.lowerBound),
                isLast: range.upperBound == 50,
                content: Pieces([Array(bytes[0][range])]),
                by: caller
            )
        }
        try await append(0..<20)
        // One disk holds the audit and the originals, and it is full.
        fixture.files.setFree(0)
        let pool = try SQLiteRowStore.opening(fixture.layout.database).open()
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
        // Nothing new begins, what has begun stays where it stands, and devices are told to come again.
        let fresh = fixture.capture().manifest
        #expect(await errorCode { _ = try await store.create(fresh, by: caller) } == .storageFull)
        #expect(await errorCode { _ = try await store.receiveBatch(by: caller) } == .storageFull)
        fixture.files.inject(.failure(.noSpace), atCall: 1)
        #expect(await errorCode { try await append(20..<50) } == .storageFull)
        #expect(ErrorCode.storageFull.retry == .after)
        #expect(try await store.status(of: upload.id, by: caller).offset == 20)
        fixture.files.setFree(1 << 40)
        try await pool.write { try $0.execute(sql: "DROP TRIGGER no_room") }
        try await append(20..<50)
        _ = try await store.commit(manifest.id, by: caller)
        let after = try await fixture.decide(StoreFixture.device, .none, in: store)
        #expect(after.decision.addOnly == .denied)
    }
}

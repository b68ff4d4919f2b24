import PostgreSQLTestSupport
import Synchronization
import TestSupport
import Testing

@testable import PostgreSQL

/// Transactions that only read: they begin with their first statement, and nobody waits for their end.
@Suite(.enabled(if: TestServer.isInstalled, "PostgreSQL is not installed"))
struct ReadingTests {
    /// A pool with one connection to read, and a table of one row.
    private static func withCounter<Value>(
        _ change: (inout ConnectionSettings) -> Void = { _ in },
        _ body: (ConnectionPool) async throws -> Value
    ) async throws -> Value {
        try await TestServer.withPool({ settings in
            settings.connectionCount = 2
            change(&settings)
        }) { pool in
            try await pool.write(lock: "") {
                try $0.run("CREATE TABLE counter (n BIGINT NOT NULL); INSERT INTO counter VALUES (7)")
            }
            return try await body(pool)
        }
    }

    private static func count(_ connection: PostgreSQLConnection) throws -> PostgreSQLValue {
        try connection.execute("SELECT n FROM counter", isKept: true).value(0, 0)
    }

    private static func processNumber(_ connection: PostgreSQLConnection) throws -> PostgreSQLValue {
        try connection.execute("SELECT pg_backend_pid()").value(0, 0)
    }

    @Test("a read begins in the round trip of its first statement", arguments: [true, false])
    func beginning(_ keepsSession: Bool) async throws {
        try await Self.withCounter({ $0.keepsSession = keepsSession }) { pool in
            for _ in 0..<3 {
                try await pool.read { connection in
                    #expect(connection.queuedCount == (keepsSession ? 1 : 2) && connection.markCount == 0)
                    #expect(try Self.count(connection) == .integer(7))
                    #expect(connection.queuedCount == 0)
                    let isolation = try connection.execute("SELECT current_setting('transaction_isolation')")
                    #expect(try isolation.value(0, 0) == .text("repeatable read"))
                }
            }
        }
    }

    @Test("a read's end is not waited for, and the read stays valid if its connection ends before it")
    func endLost() async throws {
        let server = try await TestServer.shared()
        try await Self.withCounter { direct in
            let cutter = try CommitCutter(to: server.folder)
            let address = try ServerAddress("postgres:///postgres?host=\(cutter.folder)&user=tintype")
            var settings = try ConnectionSettings(address, schema: direct.settings.schema)
            // Nothing is prepared, so that every COMMIT has its text.
            (settings.keepsSession, settings.connectionCount) = (false, 2)
            let pool = ConnectionPool(settings)
            let attempts = Mutex(0)
            let body: @Sendable (PostgreSQLConnection) throws -> PostgreSQLValue = { connection in
                attempts.withLock { $0 += 1 }
                return try Self.count(connection)
            }
            #expect(try await pool.read(body) == .integer(7))
            cutter.arm(.beforeForwarding, staysAway: false)
            #expect(try await pool.read(body) == .integer(7))
            #expect(attempts.withLock { $0 } == 2, "it was not repeated")
            #expect(try await pool.read(body) == .integer(7), "another connection took over")
            #expect(cutter.cutCount == 1)
            cutter.stop()
        }
    }

    @Test("a read holds nothing once it has returned")
    func locks() async throws {
        try await Self.withCounter { pool in
            #expect(try await pool.read { try Self.count($0) } == .integer(7))
            try await pool.write(lock: "LOCK TABLE counter IN ACCESS EXCLUSIVE MODE") {
                try $0.execute("UPDATE counter SET n = 8")
            }
            #expect(try await pool.read { try Self.count($0) } == .integer(8))
        }
    }

    @Test("a connection that ended after a read is replaced")
    func lost() async throws {
        try await Self.withCounter { pool in
            let former = try await pool.read { try Self.processNumber($0) }
            try await pool.write(lock: "") {
                try $0.execute("SELECT pg_terminate_backend(CAST(? AS INT), 10000)", [former])
            }
            let latter = try await pool.read { try Self.processNumber($0) }
            #expect(latter != former)
            #expect(try await pool.read { try Self.count($0) } == .integer(7))
        }
    }

    @Test("whatever ended a read, its connection reads on")
    func refusals() async throws {
        struct Refusal: Error {}
        try await Self.withCounter { pool in
            let number = try await pool.read { try Self.processNumber($0) }
            await #expect(throws: Refusal.self) { try await pool.read { _ -> Void in throw Refusal() } }
            await #expect(throws: Refusal.self) {
                try await pool.read { connection in
                    _ = try Self.count(connection)
                    throw Refusal()
                }
            }
            await #expect { try await pool.read { try $0.execute("SELECT 1 / 0").count } } throws: {
                code($0) == .failed
            }
            await #expect { try await pool.read { try $0.queue("SELECT 1 / 0") } } throws: { code($0) == .failed }
            try await pool.read { _ in }
            let isRefused = try await pool.read { (try? $0.execute("SELECT 1 / 0")) == nil }
            #expect(isRefused)
            #expect(try await pool.read { try Self.count($0) } == .integer(7))
            let latest = try await pool.read { try Self.processNumber($0) }
            #expect(latest == number)
        }
    }

    @Test("what the server refused at a read's end does not concern the next one")
    func endRefused() async throws {
        try await Self.withCounter { pool in
            let connection = try PostgreSQLConnection(pool.settings)
            try connection.beginReading(pool.settings)
            #expect(try Self.count(connection) == .integer(7))
            // In the place of a COMMIT that somebody cancelled.
            try connection.queue("SELECT 1 / 0")
            connection.hasUnreadEnd = true
            try connection.beginReading(pool.settings)
            #expect(try Self.count(connection) == .integer(7))
            try connection.endReading()
            #expect(!connection.isIdle)
            connection.rollBack()
            #expect(connection.isIdle && connection.queuedCount == 0)
            try connection.beginReading(pool.settings)
            #expect(try Self.count(connection) == .integer(7))
            connection.rollBack()
        }
    }
}

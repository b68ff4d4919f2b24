import PostgreSQLTestSupport
import Synchronization
import TestSupport
import Testing

@testable import PostgreSQL

@Suite(.enabled(if: TestServer.isInstalled, "PostgreSQL is not installed"))
struct TransactionTests {
    private static let lock = "SELECT n FROM counter FOR UPDATE"

    /// A pool with a table of one row, which is the lock as well.
    private static func withCounter<Value>(
        _ change: (inout ConnectionSettings) -> Void = { _ in },
        _ body: (ConnectionPool) async throws -> Value
    ) async throws -> Value {
        try await TestServer.withPool(change) { pool in
            try await pool.write(lock: "") {
                try $0.run("CREATE TABLE counter (n BIGINT NOT NULL); INSERT INTO counter VALUES (0)")
            }
            return try await body(pool)
        }
    }

    private static func count(_ connection: PostgreSQLConnection) throws -> Int64 {
        guard case .integer(let count) = try connection.execute("SELECT n FROM counter").value(0, 0) else { return -1 }
        return count
    }

    /// Reads, adds one and writes: loses a count unless writers are kept apart.
    private static func addOne(_ connection: PostgreSQLConnection) throws {
        try connection.execute("UPDATE counter SET n = ?", [.integer(try count(connection) + 1)])
    }

    private static func end(_ other: PostgreSQLConnection, by connection: PostgreSQLConnection) throws {
        let own = try other.execute("SELECT pg_backend_pid()").value(0, 0)
        try connection.execute("SELECT pg_terminate_backend(CAST(? AS INT), 10000)", [own])
    }

    @Test("writers of two pools take turns by the row's lock", arguments: [true, false])
    func turns(_ keepsSession: Bool) async throws {
        try await Self.withCounter({ $0.keepsSession = keepsSession }) { first in
            let second = ConnectionPool(first.settings)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<20 {
                    for pool in [first, second] {
                        group.addTask { try await pool.write(lock: Self.lock) { try Self.addOne($0) } }
                    }
                }
                try await group.waitForAll()
            }
            #expect(try await second.read { try Self.count($0) } == 40)
        }
    }

    @Test("a reader sees one state to its end, waits for no writer, and cannot write")
    func snapshot() async throws {
        try await Self.withCounter { pool in
            let other = ConnectionPool(pool.settings)
            let counts = try await pool.read { connection in
                let before = try Self.count(connection)
                try other.writeBlocking(lock: Self.lock) { writer in
                    try Self.addOne(writer)
                    #expect(try Self.count(connection) == before)
                }
                return [before, try Self.count(connection)]
            }
            #expect(counts == [0, 0])
            #expect(try await pool.read { try Self.count($0) } == 1)
            await #expect { try await pool.read { try Self.addOne($0) } } throws: { code($0) == .unavailable }
        }
    }

    @Test("what a transaction throws undoes all of it, and what a savepoint throws or drops only its part")
    func undone() async throws {
        struct Refusal: Error {}
        try await Self.withCounter { pool in
            await #expect(throws: Refusal.self) {
                try await pool.write(lock: Self.lock) { connection in
                    try Self.addOne(connection)
                    throw Refusal()
                }
            }
            #expect(try await pool.read { try Self.count($0) } == 0)
            try await pool.write(lock: Self.lock) { connection in
                for stays in [true, false, true] {
                    try connection.savepoint {
                        try Self.addOne(connection)
                        return stays
                    }
                }
                #expect(throws: Refusal.self) {
                    try connection.savepoint {
                        try Self.addOne(connection)
                        throw Refusal()
                    }
                }
                // A statement that the server refuses, too.
                #expect(throws: PostgreSQLError.self) {
                    try connection.savepoint {
                        try connection.run("SELECT 1 / 0")
                        return true
                    }
                }
            }
            #expect(try await pool.read { try Self.count($0) } == 2)
        }
    }

    @Test("a transaction in another's way is repeated, and not for ever")
    func conflicts() async throws {
        let conflict = "DO $$ BEGIN RAISE SQLSTATE '40001'; END $$"
        try await Self.withCounter { pool in
            let attempts = Mutex(0)
            try await pool.write(lock: Self.lock) { connection in
                try Self.addOne(connection)
                if attempts.withLock({
                    $0 += 1; return $0
                }) < 3 {
                    try connection.run(conflict)
                }
            }
            #expect(attempts.withLock { $0 } == 3)
            #expect(try await pool.read { try Self.count($0) } == 1)
            attempts.withLock { $0 = 0 }
            await #expect {
                try await pool.write(lock: Self.lock) { connection in
                    attempts.withLock { $0 += 1 }
                    try connection.run(conflict)
                }
            } throws: { code($0) == .conflict }
            #expect(attempts.withLock { $0 } == 5)
        }
    }

    @Test("a lock that is held for too long ends the wait, and the connection goes on")
    func lockTimeout() async throws {
        try await Self.withCounter({ $0.lockSeconds = 1 }) { pool in
            let other = ConnectionPool(pool.settings)
            try await pool.write(lock: Self.lock) { _ in
                #expect { try other.writeBlocking(lock: Self.lock) { try Self.addOne($0) } } throws: {
                    code($0) == .timeout
                }
            }
            try await other.write(lock: Self.lock) { try Self.addOne($0) }
            #expect(try await pool.read { try Self.count($0) } == 1)
        }
    }

    @Test("a connection that ended, idle or in the middle of a transaction, is replaced and the transaction repeated")
    func lostConnections() async throws {
        try await Self.withCounter { pool in
            let other = ConnectionPool(pool.settings)
            let attempts = Mutex(0)
            // The first transaction opens the connection, so that it is no fresh one when it ends.
            try await pool.write(lock: Self.lock) { try Self.addOne($0) }
            try await pool.write(lock: Self.lock) { connection in
                try Self.addOne(connection)
                if attempts.withLock({
                    $0 += 1; return $0
                }) == 1 {
                    try other.writeBlocking(lock: "") { try Self.end(connection, by: $0) }
                }
                try Self.addOne(connection)
            }
            #expect(attempts.withLock { $0 } == 2)
            #expect(try await pool.read { try Self.count($0) } == 3)
            _ = try await other.write(lock: "") {
                try $0.execute(
                    """
                    SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity
                    WHERE pid <> pg_backend_pid() AND query LIKE '%' || CAST(? AS TEXT) || '%'
                    """,
                    [.text(pool.settings.schema)]
                )
            }
            #expect(try await pool.read { try Self.count($0) } == 3)
        }
    }

    @Test("while the server is stopped every call is unavailable, and afterwards the same pool goes on")
    func restart() async throws {
        let server = try await offTheSharedThreads { try TestServer() }
        let pool = ConnectionPool(try server.settings())
        try await pool.write(lock: "") {
            try $0.run("CREATE TABLE public.counter (n BIGINT); INSERT INTO public.counter VALUES (7)")
        }
        try await server.control("stop -m immediate")
        await #expect { try await pool.read { try $0.execute("SELECT 1").count } } throws: { code($0) == .unavailable }
        await #expect { try await pool.write(lock: "") { try $0.execute("SELECT 1").count } } throws: {
            code($0) == .unavailable
        }
        try await server.control("start")
        #expect(try await pool.read { try $0.execute("SELECT n FROM public.counter").value(0, 0) } == .integer(7))
        #expect(try await pool.write(lock: "") { try $0.execute("SELECT 1").count } == 1)
    }
}

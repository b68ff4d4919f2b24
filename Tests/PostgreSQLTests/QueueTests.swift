import PostgreSQLTestSupport
import Synchronization
import TestSupport
import Testing

@testable import PostgreSQL

/// Statements that run without being waited for.
@Suite(.enabled(if: TestServer.isInstalled, "PostgreSQL is not installed"))
struct QueueTests {
    private static let insertion = "INSERT INTO item (key, bytes) VALUES (?, ?)"

    private static func withItems<Value>(
        _ change: (inout ConnectionSettings) -> Void = { _ in },
        _ body: (ConnectionPool) async throws -> Value
    ) async throws -> Value {
        try await TestServer.withPool(change) { pool in
            try await pool.write(lock: "") {
                try $0.run("CREATE TABLE item (key BIGINT PRIMARY KEY, bytes BYTEA)")
            }
            return try await body(pool)
        }
    }

    private static func insert(_ key: Int64, byteCount: Int = 1, _ connection: PostgreSQLConnection) throws {
        let bytes = [UInt8](repeating: 7, count: byteCount)
        try connection.queue(insertion, [.integer(key), .blob(bytes)], isKept: true)
    }

    private static func keys(_ connection: PostgreSQLConnection) throws -> [PostgreSQLValue] {
        let rows = try connection.execute("SELECT key FROM item ORDER BY key")
        return try (0..<rows.count).map { try rows.value($0, 0) }
    }

    @Test("queued statements run in order, before the next read and before the commit", arguments: [true, false])
    func order(_ keepsSession: Bool) async throws {
        try await Self.withItems({ $0.keepsSession = keepsSession }) { pool in
            try await pool.write(lock: "") { connection in
                for key: Int64 in 1...3 { try Self.insert(key, connection) }
                #expect(connection.queuedCount == 3, "nobody has waited for them")
                try connection.queue("UPDATE item SET key = key + 10 WHERE key > 1")
                #expect(try Self.keys(connection) == [.integer(1), .integer(12), .integer(13)])
                #expect(connection.queuedCount == 0)
                try connection.queue("DELETE FROM item WHERE key > 1")
                try connection.settle()
                #expect(connection.affectedCount == 2)
                try Self.insert(4, connection)
            }
            #expect(try await pool.read { try Self.keys($0) } == [.integer(1), .integer(4)])
        }
    }

    @Test("many statements, and large ones, are queued without either side waiting for the other for ever")
    func many() async throws {
        try await Self.withItems { pool in
            try await pool.write(lock: "") { connection in
                for key: Int64 in 0..<1500 {
                    try Self.insert(key, byteCount: key.isMultiple(of: 100) ? 300_000 : 1, connection)
                    #expect(connection.queuedCount < 1000)
                }
            }
            #expect(try await pool.read { try Self.keys($0).count } == 1500)
        }
    }

    @Test("a refusal is thrown by whatever waits next, and nothing of the transaction stays")
    func refusals() async throws {
        let waits: [@Sendable (PostgreSQLConnection) throws -> Void] = [
            { _ = try $0.execute("SELECT 1") }, { _ = try $0.run("SELECT 1") }, { try $0.settle() },
            { _ = try $0.fill("item", ["key"]) { nil } }, { _ in },
        ]
        try await Self.withItems { pool in
            for wait in waits {
                let hasPassed = Mutex(false)
                await #expect {
                    try await pool.write(lock: "") { connection in
                        for key: Int64 in [1, 2, 1, 3] { try Self.insert(key, connection) }
                        hasPassed.withLock { $0 = true }
                        try wait(connection)
                    }
                } throws: { code($0) == .uniqueViolation }
                #expect(hasPassed.withLock { $0 })
                let keys = try await pool.read { try Self.keys($0) }
                #expect(keys.isEmpty)
            }
        }
    }

    @Test("what a savepoint queued is undone with it, also if the server refused it; what came before is not")
    func savepoints() async throws {
        struct Refusal: Error {}
        try await Self.withItems { pool in
            try await pool.write(lock: "") { connection in
                try Self.insert(1, connection)
                #expect(throws: PostgreSQLError.self) {
                    try connection.savepoint {
                        try Self.insert(2, connection)
                        try Self.insert(1, connection)
                        return true
                    }
                }
                #expect(throws: Refusal.self) {
                    try connection.savepoint {
                        try Self.insert(1, connection)
                        throw Refusal()
                    }
                }
                for (key, stays) in [(1, false), (3, false), (4, true)] as [(Int64, Bool)] {
                    try connection.savepoint {
                        try Self.insert(key, connection)
                        return stays
                    }
                }
            }
            #expect(try await pool.read { try Self.keys($0) } == [.integer(1), .integer(4)])
        }
    }

    @Test("the beginning and the end of a part are waited for with other statements")
    func savepointTrips() async throws {
        try await Self.withItems { pool in
            try await pool.write(lock: "") { connection in
                try Self.insert(0, connection)
                try connection.settle()
                for key: Int64 in 1...3 {
                    try connection.savepoint {
                        #expect(connection.queuedCount == (key == 1 ? 1 : 2), "an earlier release, and the savepoint")
                        try Self.insert(key, connection)
                        try connection.settle()
                        return true
                    }
                    #expect(connection.queuedCount == 1, "the release")
                }
                #expect(throws: PostgreSQLError.self) {
                    try connection.savepoint {
                        try Self.insert(4, connection)
                        try Self.insert(1, connection)
                        try connection.settle()
                        return true
                    }
                }
                try connection.savepoint {
                    try connection.savepoint {
                        try Self.insert(5, connection)
                        return true
                    }
                    try connection.savepoint {
                        try Self.insert(6, connection)
                        return false
                    }
                    return true
                }
            }
            let keys = try await pool.read { try Self.keys($0) }
            #expect(keys == [.integer(0), .integer(1), .integer(2), .integer(3), .integer(5)])
        }
    }

    @Test("a transaction of which a refusal was ignored is not taken for committed")
    func ignoredRefusal() async throws {
        try await Self.withItems { pool in
            await #expect {
                try await pool.write(lock: "") { connection in
                    try Self.insert(1, connection)
                    _ = try? connection.execute("SELECT 1 / 0")
                }
            } throws: { code($0) == .failed }
            let keys = try await pool.read { try Self.keys($0) }
            #expect(keys.isEmpty)
        }
    }

    @Test("a transaction that stands still with statements queued ends, and its locks with it")
    func standing() async throws {
        try await Self.withItems({ ($0.idleSeconds, $0.lockSeconds) = (1, 20) }) { pool in
            let other = ConnectionPool(pool.settings)
            let attempts = Mutex(0)
            try await pool.write(lock: "LOCK TABLE item") { connection in
                attempts.withLock { $0 += 1 }
                guard attempts.withLock({ $0 }) == 1 else { return }
                for key: Int64 in 0..<40 { try Self.insert(key, connection) }
                #expect(connection.queuedCount == 40 && connection.unsentCount < 40)
                // Once the server has ended this transaction.
                try other.writeBlocking(lock: "LOCK TABLE item") { _ in }
                try connection.settle()
            }
            #expect(attempts.withLock { $0 } == 2)
            let keys = try await pool.read { try Self.keys($0) }
            #expect(keys.isEmpty)
        }
    }

    @Test("large statements are not queued: libpq would send them before their end is marked")
    func large() async throws {
        try await Self.withItems { pool in
            try await pool.write(lock: "") { connection in
                for key: Int64 in 0..<3 { try Self.insert(key, byteCount: 20_000, connection) }
                #expect(connection.queuedCount == 3 && connection.unsentByteCount < 32 << 10)
                try Self.insert(3, byteCount: 100_000, connection)
                #expect(connection.queuedCount == 0)
                try Self.insert(4, connection)
                let sum = "SELECT sum(length(bytes)) + length(CAST(? AS BYTEA)) FROM item"
                let rows = try connection.execute(sum, [.blob([UInt8](repeating: 1, count: 50_000))])
                #expect(try rows.value(0, 0) == .integer(210_001))
            }
        }
    }

    @Test("a transaction whose connection ends with statements queued is repeated on another one")
    func lost() async throws {
        try await Self.withItems { pool in
            let attempts = Mutex(0)
            try await pool.write(lock: "") { connection in
                attempts.withLock { $0 += 1 }
                try Self.insert(1, connection)
                if attempts.withLock({ $0 }) == 1 {
                    try connection.queue("SELECT pg_terminate_backend(pg_backend_pid())")
                    try Self.insert(2, connection)
                }
            }
            #expect(attempts.withLock { $0 } == 2)
            #expect(try await pool.read { try Self.keys($0) } == [.integer(1)])
        }
    }
}

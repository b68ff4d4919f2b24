import Foundation
import PostgreSQLTestSupport
import Synchronization
import Testing

@testable import PostgreSQL

/// A connection that ends during `COMMIT`: the server is asked what became of the transaction.
@Suite(.enabled(if: TestServer.isInstalled, "PostgreSQL is not installed"))
struct LostCommitTests {
    private static let lock = "SELECT n FROM counter FOR UPDATE"

    @Test("a commit whose answer was lost counts as done, and is not repeated")
    func answerLost() async throws {
        try await Self.withCut(.afterForwarding) { pool, direct in
            try await pool.write(lock: Self.lock) { try $0.run("UPDATE counter SET n = n + 1") }
            #expect(try await Self.count(direct) == 1)
        }
    }

    @Test("a commit that never arrived is repeated on another connection, and takes place once")
    func commitLost() async throws {
        try await Self.withCut(.beforeForwarding) { pool, direct in
            try await pool.write(lock: Self.lock) { try $0.run("UPDATE counter SET n = n + 1") }
            #expect(try await Self.count(direct) == 1)
        }
    }

    @Test("where the server cannot be asked, the outcome is unknown, and nothing is repeated")
    func nobodyToAsk() async throws {
        for cut in [CommitCutter.Cut.beforeForwarding, .afterForwarding] {
            try await Self.withCut(cut, staysAway: true) { pool, direct in
                await #expect {
                    try await pool.write(lock: Self.lock) { try $0.run("UPDATE counter SET n = n + 1") }
                } throws: { code($0) == .unknownOutcome }
                let count = try await Self.count(direct)
                #expect(count == (cut == .afterForwarding ? 1 : 0))
            }
        }
    }

    private static func count(_ pool: ConnectionPool) async throws -> Int64? {
        // Under the lock, so that a commit under way has ended.
        try await pool.write(lock: lock) { connection in
            guard case .integer(let count) = try connection.execute("SELECT n FROM counter").value(0, 0) else {
                return nil
            }
            return count
        }
    }

    /// Runs a test with a pool whose first commit is cut, and one that reaches the server directly.
    private static func withCut(
        _ cut: CommitCutter.Cut,
        staysAway: Bool = false,
        _ body: (ConnectionPool, ConnectionPool) async throws -> Void
    ) async throws {
        let server = try await TestServer.shared()
        try await TestServer.withPool { direct in
            try await direct.write(lock: "") {
                try $0.run("CREATE TABLE counter (n BIGINT NOT NULL); INSERT INTO counter VALUES (0)")
            }
            let cutter = try CommitCutter(to: server.folder)
            let address = try ServerAddress("postgres:///postgres?host=\(cutter.folder)&user=tintype")
            let pool = ConnectionPool(try ConnectionSettings(address, schema: direct.settings.schema))
            try await pool.write(lock: Self.lock) { _ = try $0.execute("SELECT 1") }
            cutter.arm(cut, staysAway: staysAway)
            try await body(pool, direct)
            #expect(cutter.cutCount == 1)
            cutter.stop()
        }
    }
}

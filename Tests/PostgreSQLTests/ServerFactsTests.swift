import PostgreSQLTestSupport
import Testing

@testable import PostgreSQL

struct ServerFactsTests {
    @Test(
        "a server that would lose confirmed changes is refused by the setting's name",
        arguments: [
            (["140022", "UTF8", "on", "on", "on", "", "00000001"], "upgrade"),
            (["150000", "SQL_ASCII", "on", "on", "on", "", "00000001"], "ENCODING"),
            (["150000", "UTF8", "off", "on", "on", "", "00000001"], "fsync = on"),
            (["150000", "UTF8", "on", "off", "on", "", "00000001"], "full_page_writes = on"),
            (["150000", "UTF8", "on", "on", "off", "", "00000001"], "synchronous_commit"),
            (["150000", "UTF8", "on", "on", "local", "ANY 1 (b)", "00000001"], "failover"),
            (["150000", "UTF8", "on", "on", "on", "", ""], "standby"),
        ]
    )
    func refused(_ values: [String], _ word: String) throws {
        #expect { try Self.facts(values).requireSuitable() } throws: { "\($0)".contains(word) }
    }

    @Test(
        "a suitable one is taken",
        arguments: [
            ["150000", "UTF8", "on", "on", "on", "", "00000001"],
            ["180001", "UTF8", "on", "on", "remote_write", "b", "0000000A"],
            ["150000", "UTF8", "on", "on", "local", "", "00000001"],
        ]
    )
    func suitable(_ values: [String]) throws {
        try Self.facts(values).requireSuitable()
    }

    @Test(
        "the server's own settings are read back when a connection opens",
        .enabled(if: TestServer.isInstalled, "PostgreSQL is not installed")
    )
    func readBack() async throws {
        let server = try await TestServer.shared()
        try await TestServer.withPool { pool in
            try await pool.write(lock: "") {
                try $0.run("CREATE ROLE careless LOGIN; ALTER ROLE careless SET synchronous_commit = off")
            }
        }
        let careless = ConnectionPool(try server.settings(user: "careless"))
        await #expect { _ = try await careless.read { try $0.execute("SELECT 1").count } } throws: {
            code($0) == .unsuitable && "\($0)".contains("synchronous_commit")
        }
        await #expect { try await careless.read { try $0.execute("SELECT 1").count } } throws: {
            code($0) == .unsuitable
        }
    }

    private static func facts(_ values: [String]) throws -> ServerFacts {
        ServerFacts(
            version: try #require(Int64(values[0])),
            encoding: values[1],
            fsync: values[2],
            fullPageWrites: values[3],
            synchronousCommit: values[4],
            standbys: values[5],
            timeline: values[6]
        )
    }
}

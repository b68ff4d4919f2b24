import Foundation
import PostgreSQLTestSupport
import TestSupport
import Testing

@testable import PostgreSQL

/// What an error of PostgreSQL is; nil for any other error.
func code(_ error: any Error) -> PostgreSQLError.Code? { (error as? PostgreSQLError)?.code }

@Suite(.enabled(if: TestServer.isInstalled, "PostgreSQL is not installed"))
struct ConnectionTests {
    @Test(
        "an address tells its parts and shows nothing secret; one with a password or options is refused without its text"
    )
    func addresses() throws {
        let address = try ServerAddress("postgres://photos@db.example:6432/library?sslmode=verify-full")
        #expect(address.host == "db.example" && address.database == "library" && address.user == "photos")
        #expect(address.description == "database library on db.example")
        #expect(try ServerAddress("host=/run/postgresql dbname=library").host == "/run/postgresql")
        for text in [
            "postgres://photos:hush@db.example/library", "host=a password=hush", "postgres://a/b?options=-cfsync%3Doff",
            "postgres://photos:hu sh@a:b:c/", "mysql://hush", "postgres://hush@[/", "postgres://hush\0",
        ] {
            #expect { try ServerAddress(text) } throws: { !"\($0)".contains("hu") }
        }
    }

    @Test(
        "a schema's name is checked",
        arguments: ["", "Photos", "1st", "a-b", "a\"b", String(repeating: "a", count: 64)]
    )
    func schemas(_ name: String) throws {
        let address = try ServerAddress("postgres:///x")
        #expect(throws: PostgreSQLError.self) { try ConnectionSettings(address, schema: name) }
        #expect(try ConnectionSettings(address, schema: String(repeating: "a", count: 63)).schema.count == 63)
    }

    @Test("a server that is not there is unavailable; one that refuses the login or has no such database denies")
    func refusedLogins() async throws {
        let server = try await TestServer.shared()
        let nowhere = try ConnectionSettings(ServerAddress("postgres:///x?host=/nowhere"), schema: "x")
        await #expect { _ = try await ConnectionPool(nowhere).read { try $0.execute("SELECT 1").count } } throws: {
            code($0) == .unavailable
        }
        let foreign = try server.settings(database: "nowhere")
        await #expect { _ = try await ConnectionPool(foreign).read { try $0.execute("SELECT 1").count } } throws: {
            code($0) == .denied
        }
        try await TestServer.withPool { pool in
            try await pool.write(lock: "") { connection in
                try connection.run("DROP ROLE IF EXISTS secretive; CREATE ROLE secretive LOGIN PASSWORD 'hush'")
            }
        }
        var secretive = try server.settings(user: "secretive")
        secretive.password = "loud-and-wrong"
        await #expect { _ = try await ConnectionPool(secretive).read { try $0.execute("SELECT 1").count } } throws: {
            code($0) == .denied && !"\($0)".contains("loud")
        }
        secretive.password = "hush"
        _ = try await ConnectionPool(secretive).read { try $0.execute("SELECT 1").count }
    }

    @Test("a server that has no connection left is unavailable: a program that starts meanwhile must not give up")
    func connectionLimit() async throws {
        let server = try await TestServer.shared()
        try await TestServer.withPool { pool in
            try await pool.write(lock: "") { connection in
                try connection.run("DROP ROLE IF EXISTS crowded; CREATE ROLE crowded LOGIN CONNECTION LIMIT 0")
            }
        }
        let crowded = try server.settings(user: "crowded")
        await #expect { _ = try await ConnectionPool(crowded).read { try $0.execute("SELECT 1").count } } throws: {
            code($0) == .unavailable
        }
    }

    @Test(
        "certificates are to blame only if they are at every address that was tried",
        arguments: [
            (
                "connection to server at \"db-1\" (10.0.0.1), port 5432 failed: SSL error: certificate verify failed",
                true
            ),
            (
                "connection to server at \"db-1\" (10.0.0.1), port 5432 failed: root certificate file \"/x\" does not exist "
                    + "Either provide the file or change sslmode to disable server certificate verification.", true
            ),
            (
                "connection to server at \"db-1\" (10.0.0.1), port 5432 failed: Connection refused connection to server at "
                    + "\"db-2\" (10.0.0.2), port 5432 failed: SSL error: certificate verify failed", false
            ),
            ("connection to server at \"db-1\" (10.0.0.1), port 5432 failed: timeout expired", false),
            ("could not translate host name \"db-1\" to address: Name or service not known", false), ("", false),
        ]
    )
    func certificates(message: String, isAboutThem: Bool) {
        #expect(PostgreSQLConnection.isAboutCertificates(message) == isAboutThem)
    }

    @Test("a refusal is classified by its state, and tells no row's values")
    func refusals() async throws {
        try await TestServer.withPool { pool in
            try await pool.write(lock: "") { try $0.run("CREATE TABLE item (key BIGINT PRIMARY KEY)") }
            func insert() async throws {
                try await pool.write(lock: "") { try $0.execute("INSERT INTO item VALUES (?)", [.integer(4711)]) }
            }
            try await insert()
            await #expect { try await insert() } throws: { code($0) == .uniqueViolation && !"\($0)".contains("4711") }
            for (sql, expected) in [
                ("SELEKT", .failed), ("SELECT * FROM nothing", .failed), ("SELECT 1 / 0", .failed),
                ("INSERT INTO item VALUES (1)", .unavailable),
                ("SET statement_timeout = '1ms'; SELECT pg_sleep(9)", .timeout),
            ] as [(String, PostgreSQLError.Code)] {
                await #expect { try await pool.read { try $0.run(sql) } } throws: { code($0) == expected }
            }
        }
    }

    @Test(
        "each state of the standard has a code",
        arguments: [
            ("40001", .conflict), ("40P01", .conflict), ("55P03", .timeout), ("57014", .timeout),
            ("57P01", .unavailable),
            ("08006", .unavailable), ("53300", .unavailable), ("53100", .noSpace), ("25006", .unavailable),
            ("25P03", .unavailable), ("28P01", .denied), ("3D000", .denied), ("42501", .denied),
            ("23505", .uniqueViolation),
            ("23503", .failed), ("XX001", .damaged), ("XX000", .failed), ("42601", .failed), ("", .failed),
        ] as [(String, PostgreSQLError.Code)]
    )
    func states(_ state: String, _ expected: PostgreSQLError.Code) {
        #expect(PostgreSQLError.code(ofState: state) == expected)
    }

    @Test("statements are prepared once and dropped when they are too many; without a session none is kept")
    func preparedStatements() async throws {
        for keepsSession in [true, false] {
            let counts = try await TestServer.withPool({ $0.keepsSession = keepsSession }) { pool in
                try await pool.read { connection in
                    func count() throws -> PostgreSQLValue {
                        try connection.run("SELECT count(*)::text FROM pg_prepared_statements").value(0, 0)
                    }
                    let before = try count()
                    for _ in 0..<3 { try connection.execute("SELECT CAST(? AS BIGINT)", [.integer(1)], isKept: true) }
                    let few = try count()
                    for number in 0..<600 { try connection.execute("SELECT \(number)", isKept: true) }
                    try connection.execute("SELECT CAST(? AS BIGINT)", [.integer(2)], isKept: true)
                    return [before, few, try count()]
                }
            }
            let known = counts.compactMap { if case .text(let text) = $0 { Int(text) } else { nil } }
            try #require(known.count == 3)
            #expect(known[1] - known[0] == (keepsSession ? 1 : 0))
            #expect(keepsSession ? 1...512 ~= known[2] : known[2] == 0)
        }
    }

    @Test("settings hold in every transaction, with a session and without", arguments: [true, false])
    func sessionSettings(_ keepsSession: Bool) async throws {
        try await TestServer.withPool({ $0.keepsSession = keepsSession }) { pool in
            let names = [
                "search_path", "lock_timeout", "statement_timeout", "idle_in_transaction_session_timeout", "TimeZone",
            ]
            let read: @Sendable (PostgreSQLConnection) throws -> [PostgreSQLValue] = { connection in
                try names.map { try connection.execute("SELECT current_setting(?)", [.text($0)]).value(0, 0) }
            }
            let expected = ["\(pool.settings.schema)", "5s", "30s", "8s", "UTC"].map(PostgreSQLValue.text)
            let (reading, writing) = (try await pool.read(read), try await pool.write(lock: "", read))
            #expect(reading == expected)
            #expect(writing == expected)
        }
    }
}

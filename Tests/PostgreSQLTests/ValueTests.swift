import PostgreSQLTestSupport
import Testing

@testable import PostgreSQL

@Suite(.enabled(if: TestServer.isInstalled, "PostgreSQL is not installed"))
struct ValueTests {
    @Test(
        "values come back from a table as they went in",
        arguments: [
            (.null, "BIGINT"), (.integer(0), "BIGINT"), (.integer(.max), "BIGINT"), (.integer(.min), "BIGINT"),
            (.real(0), "DOUBLE PRECISION"), (.real(-.infinity), "DOUBLE PRECISION"),
            (.real(.ulpOfOne), "DOUBLE PRECISION"),
            (.text(""), "TEXT"), (.text("e\u{301} 🙂 '?\\"), "TEXT"), (.text(#"{"b":1, "a":[]}"#), "JSON"),
            (.blob([]), "BYTEA"), (.blob([0, 255, 39, 92]), "BYTEA"), (.boolean(true), "BOOLEAN"),
            (.boolean(false), "BOOLEAN"),
        ] as [(PostgreSQLValue, String)]
    )
    func roundTrip(_ value: PostgreSQLValue, _ type: String) async throws {
        let read = try await TestServer.withPool { pool in
            try await pool.write(lock: "") { connection in
                try connection.run("CREATE TABLE item (value \(type))")
                try connection.execute("INSERT INTO item VALUES (?)", [value])
                return try connection.execute("SELECT value FROM item").value(0, 0)
            }
        }
        #expect(read == value)
    }

    @Test(
        "every width of a number and every kind of text is read, and sums as whole numbers",
        arguments: [
            ("SELECT (-2)::int2", .integer(-2)), ("SELECT (-70000)::int4", .integer(-70_000)),
            ("SELECT 1.5::float4", .real(1.5)), ("SELECT count(*) FROM pg_class WHERE false", .integer(0)),
            ("SELECT sum(x) FROM (VALUES (9223372036854775806::int8), (1)) v (x)", .integer(.max)),
            ("SELECT sum(x) FROM (VALUES (-9223372036854775807::int8), (-1)) v (x)", .integer(.min)),
            ("SELECT sum(x) FROM (VALUES (-10000::int8), (0)) v (x)", .integer(-10_000)),
            ("SELECT 120000000::numeric", .integer(120_000_000)), ("SELECT 0::numeric", .integer(0)),
            ("SELECT 12345678::numeric", .integer(12_345_678)),
            ("SELECT 'a'::name", .text("a")), ("SELECT 'b'::varchar", .text("b")), ("SELECT 'bare'", .text("bare")),
            ("SELECT '7'::xid8", .integer(7)), ("SELECT 4294967295::oid", .integer(4_294_967_295)),
            ("SELECT EXISTS (SELECT 1)", .boolean(true)),
        ] as [(String, PostgreSQLValue)]
    )
    func columns(_ sql: String, _ expected: PostgreSQLValue) async throws {
        let read = try await TestServer.withPool { try await $0.read { try $0.execute(sql).value(0, 0) } }
        #expect(read == expected)
    }

    @Test(
        "a value that cannot be told exactly is an error and no other value",
        arguments: [
            ("SELECT 1.5::numeric", .damaged), ("SELECT 'NaN'::numeric", .damaged),
            ("SELECT 9223372036854775808::numeric", .damaged), ("SELECT -9223372036854775809::numeric", .damaged),
            ("SELECT 1e40::numeric", .damaged), ("SELECT '{}'::jsonb", .failed), ("SELECT ARRAY[1]", .failed),
        ] as [(String, PostgreSQLError.Code)]
    )
    func refusals(_ sql: String, _ code: PostgreSQLError.Code) async throws {
        try await TestServer.withPool { pool in
            await #expect { _ = try await pool.read { try $0.execute(sql).value(0, 0) } } throws: {
                ($0 as? PostgreSQLError)?.code == code
            }
        }
    }

    @Test(
        "damaged binary values are refused whatever their type",
        arguments: [16, 20, 21, 23, 26, 700, 701, 1700, 5069] as [UInt32]
    )
    func damage(_ type: UInt32) {
        for bytes in [[], [1, 2, 3], [UInt8](repeating: 255, count: 9)] as [[UInt8]] {
            #expect(throws: PostgreSQLError.self) { try Self.decode(type, bytes) }
        }
        #expect(throws: PostgreSQLError.self) { try Self.decode(25, [0xc3]) }
    }

    private static func decode(_ type: UInt32, _ bytes: [UInt8]) throws -> PostgreSQLValue {
        try unsafe PostgreSQLValue(type: type, bytes.span.bytes)
    }

    @Test("a result tells its columns' names and how many rows it has, or changed")
    func names() async throws {
        try await TestServer.withPool { pool in
            let names = try await pool.read { connection in
                let rows = try connection.execute("SELECT 1::int8 AS one, 2::int8 AS two")
                return (0..<rows.columnCount).map(rows.name(ofColumn:)) + ["\(rows.count)"]
            }
            #expect(names == ["one", "two", "1"])
            let changed = try await pool.write(lock: "") { connection in
                try connection.run("CREATE TABLE item (n BIGINT)")
                return try connection.execute("INSERT INTO item VALUES (1), (2), (3)").affectedCount
            }
            #expect(changed == 3)
        }
    }

    @Test("text with a NUL character is refused before it is sent, and the transaction goes on")
    func nul() async throws {
        let after = try await TestServer.withPool { pool in
            try await pool.write(lock: "") { connection in
                #expect { try connection.execute("SELECT ?", [.text("a\0b")]) } throws: {
                    ($0 as? PostgreSQLError)?.code == .failed
                }
                return try connection.execute("SELECT CAST(? AS BIGINT)", [.integer(3)]).value(0, 0)
            }
        }
        #expect(after == .integer(3))
    }
}

import GRDB
import Persistence
import PersistenceTestSupport
import Testing

struct DatabaseTests {
    private static let schema = DatabaseSchema([
        .init(1, "first", sql: "CREATE TABLE a (x INTEGER) STRICT;"),
        .init(2, "second", sql: "ALTER TABLE a ADD COLUMN y TEXT; CREATE INDEX a_x ON a (x);"),
    ])

    private func dump(_ pool: DatabasePool) throws -> [String] {
        try pool.read { try String.fetchAll($0, sql: "SELECT ifnull(sql, name) FROM sqlite_master ORDER BY name") }
    }

    @Test("every connection's promises are read back: WAL, synchronous FULL, foreign keys", arguments: [false, true])
    func pragmas(isSerial: Bool) throws {
        let directory = try TemporaryDirectory()
        let opening = DatabaseOpening(directory.path.appending("db"), schema: Self.schema)
        let writer: any DatabaseWriter = isSerial ? try opening.openSerially() : try opening.open()
        try writer.writeWithoutTransaction { database in
            #expect(try Int.fetchOne(database, sql: "PRAGMA synchronous") == 2)
            #expect(try String.fetchOne(database, sql: "PRAGMA journal_mode") == "wal")
            #expect(try Int.fetchOne(database, sql: "PRAGMA foreign_keys") == 1)
            try database.execute(sql: "PRAGMA synchronous = NORMAL")
        }
        #expect(throws: Persistence.PersistenceError.self) { try opening.check(writer) }
    }

    @Test("a schema that grew step by step is the one that is made at once")
    func migrations() throws {
        let directory = try TemporaryDirectory()
        let old = directory.path.appending("old")
        for count in 0...Self.schema.migrations.count {
            _ = try DatabaseOpening(old, schema: Self.schema.prefix(count)).open()
        }
        let grown = try DatabaseOpening(old, schema: Self.schema).open()
        let made = try DatabaseOpening(directory.path.appending("new"), schema: Self.schema).open()
        #expect(try dump(grown) == dump(made))
    }

    @Test("a step that was changed after it was applied, and a newer schema, are refused")
    func appendOnly() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path.appending("db")
        _ = try DatabaseOpening(path, schema: Self.schema).open()
        let changed = DatabaseSchema([.init(1, "first", sql: "CREATE TABLE b (x INTEGER) STRICT;")])
        let other = DatabaseSchema(changed.migrations + [Self.schema.migrations[1]])
        let damaged = #expect(throws: Persistence.PersistenceError.self) {
            try DatabaseOpening(path, schema: other).open()
        }
        #expect(damaged?.code == .damaged)
        let foreign = #expect(throws: Persistence.PersistenceError.self) {
            try DatabaseOpening(path, schema: Self.schema.prefix(1)).open()
        }
        #expect(foreign?.code == .foreign)
    }
}

import GRDB
import Persistence
import PostgreSQL

/// Fills a schema from a library's rows in a SQLite file, the format of backups, in one transaction: the reverse of
/// `PostgreSQLCopy`.
///
/// The schema keeps the arrival's mark, so that nobody serves the library before it is complete.
struct PostgreSQLImport {
    let connection: PostgreSQLConnection
    let schema: String
    let arrival: ArrivalID

    /// Tables referenced by others, before those.
    private static let first = ["content", "asset", "album", "creation", "device"]
    /// Tables whose keys come from a sequence.
    private static let counted = [("asset", "key"), ("quarantine", "key"), ("job", "id")]

    /// Creates the schema and imports all rows.
    ///
    /// Blocks.
    ///
    /// - Parameter path: the file, with this program's schema.
    /// - Throws: `exists` if the schema contains other tables; errors of either database.
    func take(_ path: Path) throws {
        // Its statements take as long as the library is large.
        try connection.run("SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0")
        if try SchemaMark.find(schema, connection) == .arriving(arrival) {
            try PostgreSQLSchema.clear(schema, connection)
        }
        try PostgreSQLSchema.migrate(schema, isNew: true, connection)
        try SchemaMark.arriving(arrival).set(connection)
        var configuration = Configuration()
        configuration.readonly = true
        configuration.prepareDatabase { SQLiteDialect.prepare($0) }
        let file = try DatabaseQueue(path: path.text, configuration: configuration)
        try file.read { database in
            let tables = try Self.tables(database)
            // The rows of a new schema, such as the one with the paused state of jobs, are in the file too.
            try connection.run("TRUNCATE \(tables.map { "\"\($0)\"" }.joined(separator: ", ")) CASCADE")
            // The days' counts are copied, not counted.
            try connection.run("ALTER TABLE asset DISABLE TRIGGER USER")
            for table in tables { try take(table, database) }
            try takeWords(database)
            try connection.run("ALTER TABLE asset ENABLE TRIGGER USER")
        }
        try file.close()
        for (table, column) in Self.counted {
            try connection.execute(
                """
                SELECT setval(pg_get_serial_sequence('\(table)', '\(column)'),
                    (SELECT coalesce(max(\(column)), 0) + 1 FROM \(table)), false)
                """
            )
        }
        try connection.run("ANALYZE asset, asset_word, entity, resource, content")
    }

    /// A library's tables in SQLite, those referenced by others first.
    static func tables(_ database: Database) throws -> [String] {
        let all = try String.fetchAll(
            database,
            sql: """
                SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
                    AND name NOT LIKE 'asset\\_word%' ESCAPE '\\' AND name <> 'schema_migrations' ORDER BY name
                """
        )
        return first + all.filter { !first.contains($0) }
    }

    private func take(_ table: String, _ database: Database) throws {
        let names = try database.columns(in: table).map { "\"\($0.name)\"" }
        try fill("\"\(table)\"", names, from: "SELECT \(names.joined(separator: ", ")) FROM \"\(table)\"", database)
    }

    /// Imports the words as text, from which the server builds its own form.
    private func takeWords(_ database: Database) throws {
        try connection.run("CREATE TEMPORARY TABLE taken_word (number BIGINT, words TEXT) ON COMMIT DROP")
        try fill("taken_word", ["number", "words"], from: "SELECT rowid, words FROM asset_word", database)
        try connection.run(
            "INSERT INTO asset_word (number, words) SELECT number, \(PostgreSQLDialect.words(in: "words")) FROM taken_word"
        )
    }

    private func fill(_ table: String, _ columns: [String], from query: String, _ database: Database) throws {
        let rows = try Row.fetchCursor(database, sql: query)
        _ = try connection.fill(table, columns) {
            guard let row = try rows.next() else { return nil }
            return columns.indices.map { PostgreSQLValue(SQLValue(row[$0] as DatabaseValue)) }
        }
    }
}

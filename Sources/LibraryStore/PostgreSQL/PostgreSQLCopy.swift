import GRDB
import Persistence
import PostgreSQL

/// Copies a library's rows from one consistent read into a new SQLite file, the form of backups.
struct PostgreSQLCopy {
    let connection: PostgreSQLConnection
    /// Rows in memory at a time.
    private static let pageCount = 500

    /// Writes the file, replacing one left by an earlier attempt.
    ///
    /// Blocks.
    func write(to path: Path) throws {
        // The file's last sync may exceed the allowed pause within a transaction; a read-only one blocks nobody.
        try connection.run("SET LOCAL idle_in_transaction_session_timeout = 0")
        if try PosixFileSystem().status(path) != nil { try PosixFileSystem().unlink(path) }
        var configuration = Configuration()
        // Tables are filled in any order.
        configuration.foreignKeysEnabled = false
        configuration.prepareDatabase { SQLiteDialect.prepare($0) }
        let file = try DatabaseQueue(path: path.text, configuration: configuration)
        try file.writeWithoutTransaction { database in
            try LibrarySchema.schema.migrate(database)
            try database.inTransaction {
                // The file's triggers fill `capture_count`.
                for table in try PostgreSQLImport.tables(database) where table != "capture_count" {
                    try copy(table, database)
                }
                try copyWords(database)
                return .commit
            }
        }
        try file.close()
    }

    private func copy(_ table: String, _ database: Database) throws {
        let names = try database.columns(in: table).map { "\"\($0.name)\"" }
        let columns = names.joined(separator: ", ")
        let marks = names.map { _ in "?" }.joined(separator: ", ")
        try copy(
            "SELECT \(columns) FROM \"\(table)\"",
            try database.makeStatement(sql: "INSERT OR REPLACE INTO \"\(table)\" (\(columns)) VALUES (\(marks))")
        )
    }

    private func copyWords(_ database: Database) throws {
        try copy(
            "SELECT number, array_to_string(tsvector_to_array(words), ' ') FROM asset_word ORDER BY number",
            try database.makeStatement(sql: "INSERT INTO asset_word (rowid, words) VALUES (?, ?)")
        )
    }

    private func copy(_ query: String, _ insertion: Statement) throws {
        try connection.run("DECLARE copied NO SCROLL CURSOR FOR \(query)")
        while true {
            let rows = try connection.execute("FETCH \(Self.pageCount) FROM copied")
            for row in 0..<rows.count {
                let values = try (0..<rows.columnCount).map { SQLValue(try rows.value(row, $0)).databaseValue }
                try insertion.execute(arguments: StatementArguments(values))
            }
            if rows.count < Self.pageCount { break }
        }
        try connection.run("CLOSE copied")
    }
}

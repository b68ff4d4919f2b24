package import GRDB

/// Opens SQLite databases with common settings: write-ahead log, `synchronous=FULL`, foreign keys, and a schema that
/// only grows by numbered migrations.
///
/// GRDB's pool sets `synchronous=NORMAL` on its writer after preparing the connection, so FULL is set afterwards, and
/// every pragma is read back: durability must rest on the actual settings, not the requested ones.
package struct DatabaseOpening: Sendable {
    /// The database file.
    package let path: Path
    /// Its schema's migrations.
    package let schema: DatabaseSchema
    /// How long a connection waits for another process, in milliseconds.
    package var busyTimeoutMilliseconds = 5000
    /// The number of concurrent readers.
    package var maximumReaderCount = 4
    /// The writer's page cache, in KiB; pages that one transaction changes beyond that are written twice.
    package var writerCacheKibibytes = 2000
    /// Pages in the write-ahead log before a checkpoint: the larger the log, the less often a frequently changed page
    /// is copied.
    package var checkpointPageCount = 1000
    /// Prepares every connection, for example by adding functions.
    package var prepare: (@Sendable (Database) throws -> Void)?

    /// Describes a database.
    package init(_ path: Path, schema: DatabaseSchema, prepare: (@Sendable (Database) throws -> Void)? = nil) {
        self.path = path
        self.schema = schema
        self.prepare = prepare
    }

    /// Opens the database for concurrent readers and one writer, and migrates its schema.
    ///
    /// Blocks.
    ///
    /// - Throws: `damaged` if a pragma does not hold or an applied migration differs from this program's;
    ///   `foreign` if the schema is newer than this program; SQLite's errors.
    package func open() throws -> DatabasePool {
        let pool = try DatabasePool(path: path.text, configuration: configuration)
        try setUp(pool)
        return pool
    }

    /// Opens the database, as ``open()``, with a single connection shared by readers and writers: a quarter of a pool's
    /// cost, which matters to a short-lived command.
    ///
    /// Blocks.
    package func openSerially() throws -> DatabaseQueue {
        let queue = try DatabaseQueue(path: path.text, configuration: configuration)
        try setUp(queue)
        return queue
    }

    private var configuration: Configuration {
        var configuration = Configuration()
        configuration.foreignKeysEnabled = true
        configuration.maximumReaderCount = maximumReaderCount
        configuration.busyMode = .timeout(Double(busyTimeoutMilliseconds) / 1000)
        if let prepare {
            configuration.prepareDatabase { try prepare($0) }
        }
        return configuration
    }

    private func setUp(_ writer: some DatabaseWriter) throws {
        try writer.writeWithoutTransaction { database in
            try database.execute(sql: "PRAGMA journal_mode = WAL")
            try database.execute(sql: "PRAGMA synchronous = FULL")
            try database.execute(sql: "PRAGMA cache_size = -\(writerCacheKibibytes)")
            try database.execute(sql: "PRAGMA wal_autocheckpoint = \(checkpointPageCount)")
            try schema.migrate(database)
        }
        try check(writer)
    }

    /// Reads the pragmas back.
    ///
    /// - Throws: `damaged`, naming the first mismatch.
    package func check(_ writer: some DatabaseWriter) throws {
        let wanted = [("journal_mode", "wal"), ("synchronous", "2"), ("foreign_keys", "1")]
        try writer.writeWithoutTransaction { database in
            for (name, value) in wanted {
                let row = try Row.fetchOne(database, sql: "PRAGMA \(name)")
                let found = row.flatMap {
                    String.fromDatabaseValue($0[0]) ?? Int.fromDatabaseValue($0[0]).map(String.init)
                }
                guard found == value else {
                    throw PersistenceError(
                        .damaged,
                        "PRAGMA \(name)",
                        path.text,
                        "it is \(found ?? "nothing") instead of \(value): nothing would be durable"
                    )
                }
            }
        }
    }
}

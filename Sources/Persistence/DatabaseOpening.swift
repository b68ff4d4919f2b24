package import GRDB

/// Opens a SQLite database the way every database of ours is opened: write-ahead log, `synchronous=FULL`, foreign keys,
/// and a schema that only ever grows by numbered migrations.
///
/// GRDB's pool sets `synchronous=NORMAL` on its writer after the connection was prepared, so FULL is set afterwards, and
/// every pragma is read back: a promise of durability does not rest on what was asked for, but on what holds.
package struct DatabaseOpening: Sendable {
    /// Where the database is.
    package let path: Path
    /// The steps that make its schema.
    package let schema: DatabaseSchema
    /// How long a connection waits for another process, in milliseconds.
    package var busyTimeoutMilliseconds = 5000
    /// Connections that read at once.
    package var maximumReaderCount = 4
    /// Memory in which the writer may keep pages, in KiB; what one transaction changes beyond that is written twice.
    package var writerCacheKibibytes = 2000
    /// Pages in the write-ahead log after which they are moved into the database: a page that changes often is moved less
    /// often the more there may be.
    package var checkpointPageCount = 1000
    /// Prepares every connection, for example with functions.
    package var prepare: (@Sendable (Database) throws -> Void)?

    /// Describes a database.
    package init(_ path: Path, schema: DatabaseSchema, prepare: (@Sendable (Database) throws -> Void)? = nil) {
        self.path = path
        self.schema = schema
        self.prepare = prepare
    }

    /// Opens the database for many readers and one writer at once, and brings its schema up to date.
    ///
    /// Blocks.
    ///
    /// - Returns: the pool.
    /// - Throws: `damaged` when a pragma does not hold or a migration that was applied is not the one of this program;
    ///   `foreign` when the schema is newer than this program; what SQLite says.
    package func open() throws -> DatabasePool {
        let pool = try DatabasePool(path: path.text, configuration: configuration)
        try setUp(pool)
        return pool
    }

    /// Opens the database with one connection, on which readers and writers take turns: a quarter of a pool's work, which
    /// a command that ends at once feels.
    ///
    /// Blocks.
    ///
    /// - Returns: the queue.
    /// - Throws: as ``open()`` does.
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
    /// - Parameter writer: the open database.
    /// - Throws: `damaged` with the first that does not hold.
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
                        "it is \(found ?? "nothing") where \(value) is needed: nothing would be durable"
                    )
                }
            }
        }
    }
}

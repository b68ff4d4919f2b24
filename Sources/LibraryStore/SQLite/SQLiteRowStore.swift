import FoundationEssentials
import GRDB
import LibraryAPI
package import Persistence
import PhotoModel

/// The rows in SQLite: one writer, many readers, every commit durable (`synchronous=FULL`).
package struct SQLiteRowStore: RowStore {
    let pool: DatabasePool
    private let timeZone: TimeZone
    private let blocking: BlockingPool

    /// The options with which a library's database is always opened.
    package static func opening(_ path: Path) -> DatabaseOpening {
        var opening = DatabaseOpening(path, schema: LibrarySchema.schema) { SQLiteDialect.prepare($0) }
        // Identifiers are spread over a whole index: a push of a thousand changes touches 600 pages.
        opening.writerCacheKibibytes = 8 << 10
        opening.checkpointPageCount = 4000
        return opening
    }

    /// Opens the database, and migrates its schema.
    ///
    /// Blocks.
    ///
    /// - Parameters:
    ///   - path: the database file.
    ///   - timeZone: the time zone assumed for captures without their own UTC offset.
    ///   - blocking: runs copies.
    /// - Throws: as `DatabaseOpening.open`.
    init(_ path: Path, timeZone: TimeZone, blocking: BlockingPool) throws {
        pool = try Self.opening(path).open()
        self.timeZone = timeZone
        self.blocking = blocking
    }

    /// Opens the database of a library's folder.
    ///
    /// Blocks.
    ///
    /// - Throws: `notFound` without the file, unless the library is new.
    init(_ layout: LibraryLayout, isNew: Bool, timeZone: TimeZone, blocking: BlockingPool) throws {
        if !isNew { try layout.require(layout.database, in: PosixFileSystem()) }
        try self.init(layout.database, timeZone: timeZone, blocking: blocking)
    }

    func duties(isShared: Bool, now: @escaping @Sendable () -> WallTime) -> any LibraryDuties { SoleServerDuties() }

    var readerCount: Int { pool.configuration.maximumReaderCount }

    var signals: any LibrarySignals {
        SoleServerSignals { [pool] in
            try await pool.read { database in
                ChangeNumber(rawValue: try Int64.fetchOne(database, sql: "SELECT change_number FROM library") ?? 0)
            }
        }
    }

    func read<Value: Sendable>(_ body: @escaping @Sendable (any SQLSession) throws -> Value) async throws -> Value {
        try await pool.read { try body(SQLiteSession(database: $0, timeZone: timeZone)) }
    }

    func write<Value: Sendable>(
        _ locks: [RowLock],
        _ body: @escaping @Sendable (any SQLSession) throws -> Value
    ) async throws -> Value {
        try await pool.write { try body(SQLiteSession(database: $0, timeZone: timeZone)) }
    }

    func writeBlocking<Value>(_ locks: [RowLock], _ body: (any SQLSession) throws -> Value) throws -> Value {
        try pool.write { try body(SQLiteSession(database: $0, timeZone: timeZone)) }
    }

    /// Does nothing: whatever SQLite has confirmed is in its file.
    func guardHistory(_ begin: @escaping @Sendable (any SQLSession, _ reason: String) throws -> LibraryEpoch) {}

    func refreshPlans() async throws {
        try await pool.write { try $0.execute(sql: "PRAGMA analysis_limit = 1000; ANALYZE") }
    }

    /// Copies with SQLite's online backup, so that nobody has to wait.
    func copy(to path: Path) async throws {
        try await blocking.run { [pool] in
            let copy = try DatabaseQueue(path: path.text)
            try pool.backup(to: copy)
            // A single plain file that needs no log beside it.
            try copy.writeWithoutTransaction { try $0.execute(sql: "PRAGMA journal_mode = DELETE") }
            try copy.close()
        }
    }
}

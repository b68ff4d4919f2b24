import FoundationEssentials
import GRDB
import LibraryAPI
import Persistence
import PhotoModel

/// The rows of a snapshot: a read-only database file.
struct SnapshotTable: Sendable {
    private let database: DatabaseQueue

    /// Opens the file for reading.
    ///
    /// - Throws: `foreign` if a newer program wrote it; SQLite's error for a damaged one.
    init(_ path: Path) throws {
        var configuration = Configuration()
        configuration.readonly = true
        configuration.prepareDatabase { SQLiteDialect.prepare($0) }
        database = try DatabaseQueue(path: path.text, configuration: configuration)
    }

    /// The library's identity, and its latest change.
    func identity() throws -> LibraryIdentity {
        try database.read { try SQLMetadataStore.identity(SQLiteSession(database: $0)) }
    }

    /// The number of contents, and their bytes.
    func totals() throws -> TransferProgress {
        try database.read { try CommitTable.totals(SQLiteSession(database: $0)) }
    }

    /// One page of contents, after a digest.
    func contents(after digest: ContentDigest?, limit: Int) throws -> [ContentRow] {
        try database.read { try CommitTable.contents(after: digest, limit: limit, SQLiteSession(database: $0)) }
    }

    /// Whether SQLite finds every page and index intact.
    func isWhole() throws -> Bool {
        try database.read { try String.fetchOne($0, sql: "PRAGMA integrity_check") == "ok" }
    }
}

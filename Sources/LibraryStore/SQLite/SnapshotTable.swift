import GRDB
import LibraryAPI
import Persistence
import PhotoModel

/// The rows of a snapshot: a plain database file that nobody writes.
struct SnapshotTable: Sendable {
    private let database: DatabaseQueue

    /// Opens the file to be read.
    ///
    /// - Throws: `foreign` when a newer program wrote it; what SQLite says of a damaged one.
    init(_ path: Path) throws {
        var configuration = Configuration()
        configuration.readonly = true
        configuration.prepareDatabase { SQLiteMetadataStore.prepare($0) }
        database = try DatabaseQueue(path: path.text, configuration: configuration)
    }

    /// Which library it is, and how far it had come.
    func identity() throws -> LibraryIdentity {
        try database.read { try SQLiteMetadataStore.identity($0) }
    }

    /// How many contents there are, and their bytes.
    func totals() throws -> (contents: Int, byteCount: Int64) {
        try database.read { database in
            let row = try Row.fetchOne(database, sql: "SELECT count(*), ifnull(sum(byte_count), 0) FROM content")
            return (row?[0] ?? 0, row?[1] ?? 0)
        }
    }

    /// Contents, a page after a digest.
    func contents(after digest: ContentDigest?, limit: Int) throws -> [ContentRow] {
        try database.read { try CommitTable.contents(after: digest, limit: limit, $0) }
    }

    /// Whether SQLite finds every page and index whole.
    func isWhole() throws -> Bool {
        try database.read { try String.fetchOne($0, sql: "PRAGMA integrity_check") == "ok" }
    }
}

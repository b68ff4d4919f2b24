import Authorization
package import FoundationEssentials
import GRDB
package import LibraryAPI
package import Persistence
import PhotoModel
import Synchronization

/// The rows in SQLite: one writer, many readers, every commit durable (`synchronous=FULL`).
///
/// What many clients do at once (describing assets, noting what is durable, committing) shares its transactions, each of
/// which waits for the disk once.
package struct SQLiteMetadataStore: MetadataStore {
    let database: DatabasePool
    let effects: StoreEffects
    let blocking: BlockingPool
    let library: LibraryID
    let limits: StoreLimits
    /// How far the steps of a list's page go; tests make them small.
    var widths = ListPlan.Widths()
    private let records = LatestRecord()
    let chain = AuditChain { ContentHasher.digest($0) }
    let rounds: GroupCommitter<@Sendable (Database) throws -> Void, Void>
    /// Calls that share one transaction at most.
    private static let roundCount = 512

    /// The database of a library, as it is opened everywhere.
    ///
    /// - Parameters:
    ///   - path: its file.
    ///   - timeZone: where captures count as taken whose own offset to UTC is unknown.
    /// - Returns: how it is opened.
    package static func opening(_ path: Path, timeZone: TimeZone = .gmt) -> DatabaseOpening {
        var opening = DatabaseOpening(path, schema: LibrarySchema.schema) { prepare($0, timeZone) }
        // Identifiers are spread over all of an index: a push of a thousand changes touches 600 pages.
        opening.writerCacheKibibytes = 8 << 10
        opening.checkpointPageCount = 4000
        return opening
    }

    /// Functions and collations that the schema's rows and indexes rest on.
    static func prepare(_ database: Database, _ timeZone: TimeZone = .gmt) {
        database.add(function: AssetTable.utcOffset(in: timeZone))
        database.add(function: FilterSQL.near)
        database.add(function: FilterSQL.unhex)
        database.add(collation: Keyword.collation)
    }

    /// Opens the rows of a library.
    ///
    /// Blocks.
    ///
    /// - Parameters:
    ///   - layout: where the library is.
    ///   - library: the library that the marker names.
    ///   - isNew: whether the row that names the library is to be made.
    ///   - limits: what one device may have.
    ///   - timeZone: where captures count as taken whose own offset to UTC is unknown; nil leaves their days as they are, and
    ///     is for callers that change no assets.
    ///   - effects: time, randomness and key.
    ///   - blocking: where calls that others wait for are run.
    /// - Throws: `foreign` if the database is another library's, `notFound` if it is not there.
    package init(
        _ layout: LibraryLayout,
        library: LibraryID,
        isNew: Bool,
        limits: StoreLimits = StoreLimits(),
        timeZone: TimeZone? = .gmt,
        effects: StoreEffects,
        blocking: BlockingPool
    ) throws {
        self.limits = limits
        self.effects = effects
        self.blocking = blocking
        self.library = library
        if !isNew { try layout.require(layout.database, in: PosixFileSystem()) }
        let database = try Self.opening(layout.database, timeZone: timeZone ?? .gmt).open()
        self.database = database
        rounds = GroupCommitter(maximumWeight: Self.roundCount) { calls in
            do {
                try await blocking.uncancelled {
                    try database.write { database in
                        for call in calls { try call(database) }
                    }
                }
                return calls.map { _ in .success(()) }
            } catch {
                return calls.map { _ in .failure(error) }
            }
        }
        try database.write { database in
            if isNew {
                try database.execute(
                    sql: "INSERT INTO library (only, id, epoch, replica, created) VALUES (1, ?, ?, ?, ?)",
                    arguments: [
                        library.blob, LibraryEpoch(rawValue: effects.randomBits()).blob,
                        AssetID(rawValue: effects.randomBits()).blob,
                        effects.now().microsecondsSince1970,
                    ]
                )
            }
            guard try Data.fetchOne(database, sql: "SELECT id FROM library") == library.blob else {
                throw PersistenceError(
                    .foreign,
                    "open",
                    layout.database.text,
                    "the database belongs to another library than \(layout.marker) says"
                )
            }
            if let timeZone { try Self.adopt(timeZone, database) }
        }
    }

    /// Which library it is, and how far it has come.
    package func identity() async throws -> LibraryIdentity {
        try await database.read { try Self.identity($0) }
    }

    static func identity(_ database: Database) throws -> LibraryIdentity {
        let statement = try database.cachedStatement(
            sql: "SELECT id, epoch, change_number, backup_number FROM library"
        )
        guard let row = try Row.fetchOne(statement) else {
            throw RowDamage("no library row")
        }
        return LibraryIdentity(
            id: try LibraryID(blob: row["id"]),
            epoch: try LibraryEpoch(blob: row["epoch"]),
            lastChange: ChangeNumber(rawValue: row["change_number"]),
            backupWatermark: (row["backup_number"] as Int64?).map { ChangeNumber(rawValue: $0) }
        )
    }

    /// What is recorded of the caller's device, after the gate has let it pass; nil for operators.
    func admit(_ caller: StoreCaller, _ database: Database) throws -> DecisionRecord? {
        guard let id = caller.deviceID else {
            try caller.gate(nil)
            return nil
        }
        guard let record = try records.record(of: id, database) else {
            throw StoreError(.identityMissing, "The device is not known here: enrol it.", about: id.description)
        }
        try caller.gate(record)
        return record
    }

    /// Replicated rows that are changed on a caller's behalf.
    func rows(of caller: StoreCaller, _ what: String, _ database: Database) -> ReplicatedTable {
        ReplicatedTable(database: database, effects: effects, note: ChangeNote(caller.actor, what))
    }

    /// One transaction for many: each item in a savepoint of its own, so that one that fails leaves the others be.
    ///
    /// Calls that come together share the transaction. It runs on the blocking pool and to its end, since many wait for
    /// it.
    func together<Item: Sendable, Answer: Sendable>(
        _ items: [Item],
        _ body: @escaping @Sendable (Item, Database) throws -> Answer
    ) async -> [Result<Answer, any Error>] {
        await transaction(of: items) { items, database in try Self.apart(items, database, body) }
    }

    /// One transaction for many, that may be shared: what the body throws undoes all of it.
    func transaction<Item: Sendable, Answer: Sendable>(
        of items: [Item],
        _ body: @escaping @Sendable ([Item], Database) throws -> [Result<Answer, any Error>]
    ) async -> [Result<Answer, any Error>] {
        let results = Mutex<[Result<Answer, any Error>]>([])
        do {
            try await rounds.commit { database in
                let answers = try body(items, database)
                results.withLock { $0 = answers }
            }
            return results.withLock { $0 }
        } catch {
            return items.map { _ in .failure(error) }
        }
    }

    /// Does the same with each item, in a savepoint of its own.
    static func apart<Item, Answer>(
        _ items: some Sequence<Item>,
        _ database: Database,
        _ body: (Item, Database) throws -> Answer
    ) throws -> [Result<Answer, any Error>] {
        try items.map { item in
            var result: Result<Answer, any Error> = .failure(CancellationError())
            try database.inSavepoint {
                result = Result { try body(item, database) }
                guard case .failure = result else { return .commit }
                return .rollback
            }
            return result
        }
    }
}

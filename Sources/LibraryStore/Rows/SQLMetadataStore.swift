import Authorization
import FoundationEssentials
import LibraryAPI
import Persistence
import PhotoModel
import Synchronization

/// The rows of a library in SQL, independent of the engine.
///
/// Calls that many clients make at once (describing assets, recording durable bytes, committing) share transactions,
/// each of which waits for the disk once.
package struct SQLMetadataStore: MetadataStore {
    let store: any RowStore
    let effects: StoreEffects
    let blocking: BlockingPool
    let library: LibraryID
    let limits: StoreLimits
    /// Whether several servers may work with these rows and the same originals at once.
    let isShared: Bool
    /// Divides work that only one server needs to do among the library's servers.
    package let duties: any LibraryDuties
    /// How far the steps of a list's page go; tests make them small.
    var widths = ListPlan.Widths()
    /// How much the turns of long acts do; tests make the numbers small.
    var turns = TurnWidths()
    let listTexts = KeptTexts()
    private let records = LatestRecord()
    let chain = AuditChain { ContentHasher.digest($0) }
    let rounds: GroupCommitter<RoundCall, Void>
    let wholeReads: ReadingTurns
    /// The most calls in one transaction.
    private static let roundCount = 512

    /// One of the calls that share a transaction.
    struct RoundCall: Sendable {
        let locks: [RowLock]
        let body: @Sendable (any SQLSession) throws -> Void
    }

    /// Opens the rows of a library.
    ///
    /// Blocks.
    ///
    /// - Parameters:
    ///   - store: the database.
    ///   - library: the library named by the marker.
    ///   - isNew: whether to create the library's row.
    ///   - beginsHistory: whether to begin a new history, because the rows were reset to an earlier time.
    ///   - isShared: whether several servers may work with these rows and the same originals at once.
    ///   - limits: each device's limits.
    ///   - timeZone: the time zone assumed for captures without their own UTC offset; nil leaves their days unchanged,
    ///     for callers that change no assets.
    ///   - effects: time, randomness and key.
    ///   - blocking: runs calls that others wait for.
    /// - Throws: `foreign` if the database is another library's.
    init(
        over store: any RowStore,
        library: LibraryID,
        isNew: Bool,
        beginsHistory: Bool = false,
        isShared: Bool = false,
        limits: StoreLimits = StoreLimits(),
        timeZone: TimeZone? = .gmt,
        effects: StoreEffects,
        blocking: BlockingPool
    ) throws {
        self.limits = limits
        self.isShared = isShared
        duties = store.duties(isShared: isShared, now: effects.now)
        self.effects = effects
        self.blocking = blocking
        self.library = library
        self.store = store
        wholeReads = ReadingTurns(ofReaders: store.readerCount)
        rounds = GroupCommitter(maximumWeight: Self.roundCount) { calls in
            try await blocking.uncancelled {
                try store.writeBlocking(calls.flatMap(\.locks)) { database in
                    for call in calls { try call.body(database) }
                }
            }
            return calls.map { _ in .success(()) }
        }
        let chain = chain
        let begin: @Sendable (any SQLSession, String) throws -> LibraryEpoch = { database, reason in
            let epoch = LibraryEpoch(rawValue: effects.randomBits())
            try Self.begin(epoch, reason, chain, effects, database)
            return epoch
        }
        let restored = beginsHistory ? LibraryEpoch(rawValue: effects.randomBits()) : nil
        // A restored database is on another timeline, for which the guard would begin a second history.
        store.guardHistory { database, reason in try restored ?? begin(database, reason) }
        try store.writeBlocking([.library]) { database in
            if isNew {
                try database.execute(
                    "INSERT INTO library (\"only\", id, epoch, replica, created) VALUES (1, ?, ?, ?, ?)",
                    [
                        library.blob, LibraryEpoch(rawValue: effects.randomBits()).blob,
                        AssetID(rawValue: effects.randomBits()).blob,
                        effects.now().microsecondsSince1970,
                    ]
                )
            }
            guard try database.value(Data.self, "SELECT id FROM library") == library.blob else {
                throw PersistenceError(
                    .foreign,
                    "open",
                    MetadataLocation.rowsWord,
                    "it belongs to a different library from the folder's marker"
                )
            }
            if let restored { try Self.begin(restored, "restored", chain, effects, database) }
            if let timeZone {
                try Self.adopt(timeZone, database)
                try BurstTable.showAll(database)
            }
        }
        store.guardHistory(begin)
    }

    /// Notifies the library's other servers.
    package var signals: any LibrarySignals { store.signals }

    /// Makes the library's other servers end these parties' requests, once the transaction is committed.
    func close(_ parties: [Party], _ database: any SQLSession) throws {
        guard let origin = signals.origin else { return }
        for party in parties { try ClosureTable(database: database, origin: origin).add(party) }
    }

    /// The library's identity and latest change.
    package func identity() async throws -> LibraryIdentity { try await store.read { try Self.identity($0) } }

    static func identity(_ database: any SQLSession) throws -> LibraryIdentity { try state(database).identity }

    /// The library's identity, and the change up to which removals are forgotten.
    static func state(_ database: any SQLSession) throws -> (identity: LibraryIdentity, forgotten: ChangeNumber) {
        let statement = try database.statement("SELECT id, epoch, change_number, backup_number, forgotten FROM library")
        guard let row = try statement.row() else { throw RowDamage("no library row") }
        database.note(ChangeNumber(rawValue: try row["change_number"]))
        let identity = LibraryIdentity(
            id: try LibraryID(blob: row["id"]),
            epoch: try LibraryEpoch(blob: row["epoch"]),
            lastChange: ChangeNumber(rawValue: try row["change_number"]),
            backupWatermark: (try row["backup_number"] as Int64?).map { ChangeNumber(rawValue: $0) }
        )
        return (identity, ChangeNumber(rawValue: try row["forgotten"]))
    }

    /// Reads one consistent state of a whole view, which may take seconds, in its turn.
    func readWhole<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLSession) throws -> Value
    ) async throws -> Value {
        try await wholeReads.run { try await store.read(body) }
    }

    /// The record of the caller's device, after the gate has admitted it; nil for operators.
    func admit(_ caller: StoreCaller, _ database: any SQLSession) throws -> DecisionRecord? {
        guard let id = caller.deviceID else {
            try caller.gate(nil)
            return nil
        }
        guard let record = try records.record(of: id, database) else {
            throw StoreError(.identityMissing, "The device is unknown here: enrol it.", about: id.description)
        }
        try caller.gate(record)
        return record
    }

    /// Replicated rows, for changes by a caller.
    func rows(of caller: StoreCaller, _ what: String, _ database: any SQLSession) -> ReplicatedTable {
        ReplicatedTable(database: database, effects: effects, note: ChangeNote(caller.actor, what))
    }

    /// One transaction for many items, each in its own savepoint, so that a failure does not affect the others.
    ///
    /// Simultaneous calls share the transaction. It runs on the blocking pool, and to its end, since many wait for it.
    func together<Item: Sendable, Answer: Sendable>(
        _ items: [Item],
        _ locks: [RowLock],
        _ body: @escaping @Sendable (Item, any SQLSession) throws -> Answer
    ) async -> [Result<Answer, any Error>] {
        await transaction(of: items, locks) { items, database in try Self.apart(items, database, body) }
    }

    /// One transaction for many items, which may be shared; an error of the body rolls back everything.
    func transaction<Item: Sendable, Answer: Sendable>(
        of items: [Item],
        _ locks: [RowLock],
        _ body: @escaping @Sendable ([Item], any SQLSession) throws -> [Result<Answer, any Error>]
    ) async -> [Result<Answer, any Error>] {
        await items.failingTogether {
            let results = Mutex<[Result<Answer, any Error>]>([])
            let call = RoundCall(locks: locks) { database in
                let answers = try body(items, database)
                results.withLock { $0 = answers }
            }
            try await rounds.commit(call)
            return results.withLock { $0 }
        }
    }

    /// Runs the same body for each item, in its own savepoint.
    static func apart<Item, Answer>(
        _ items: some Sequence<Item>,
        _ database: any SQLSession,
        _ body: (Item, any SQLSession) throws -> Answer
    ) throws -> [Result<Answer, any Error>] {
        try items.map { item in
            var result: Result<Answer, any Error> = .failure(CancellationError())
            try database.savepoint {
                result = Result {
                    let answer = try body(item, database)
                    // What the engine refuses concerns this item only.
                    try database.settle()
                    return answer
                }
                guard case .failure = result else { return true }
                return false
            }
            return result
        }
    }
}

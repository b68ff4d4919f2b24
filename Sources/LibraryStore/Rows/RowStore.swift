import LibraryAPI
import Persistence
import PhotoModel

/// What a writing transaction locks before it reads, so that the data it decides on stays valid until it ends; without
/// one, it locks the rows that it writes.
///
/// Several are taken in the order of the cases. SQLite has one writer, which holds every lock.
enum RowLock: Hashable, Sendable {
    /// The library's row: for anything that takes change numbers, appends to the audit, or decides what others' writes
    /// depend on.
    case library
    /// A device's row: for anything that its record, profile, replicas or quota permit.
    case device(DeviceID)
    /// The rows of a limited device's view, which reflect one consistent state of everything else.
    case view(of: DeviceID)
    /// The records of a kind, including future ones.
    case records(RecordKind)
}

/// The database with a library's rows: the only code that knows transactions, locks and retries.
///
/// A body may run more than once, if the engine requires the transaction to be repeated: it must affect nothing but the
/// session.
protocol RowStore: Sendable {
    /// How servers that share these rows notify each other.
    var signals: any LibrarySignals { get }

    /// The number of transactions that may read at once.
    var readerCount: Int { get }

    /// How servers that share these rows divide the work.
    ///
    /// - Parameters:
    ///   - isShared: whether several servers may work at once.
    ///   - now: this machine's clock.
    /// - Returns: the duties.
    func duties(isShared: Bool, now: @escaping @Sendable () -> WallTime) -> any LibraryDuties

    /// Reads one consistent state.
    func read<Value: Sendable>(_ body: @escaping @Sendable (any SQLSession) throws -> Value) async throws -> Value

    /// Runs a transaction, which is durable on return; an error of the body rolls it back.
    func write<Value: Sendable>(
        _ locks: [RowLock],
        _ body: @escaping @Sendable (any SQLSession) throws -> Value
    ) async throws -> Value

    /// The same on the calling thread; locks may repeat.
    ///
    /// Blocks.
    func writeBlocking<Value>(_ locks: [RowLock], _ body: (any SQLSession) throws -> Value) throws -> Value

    /// Sets how a new history begins if the database turns out to have lost changes, within a transaction that has the
    /// library's lock; the reason is for the audit.
    func guardHistory(_ begin: @escaping @Sendable (any SQLSession, _ reason: String) throws -> LibraryEpoch)

    /// Refreshes the statistics by which the engine chooses indexes.
    func refreshPlans() async throws

    /// Copies all rows consistently into a new SQLite file, the format of backups.
    func copy(to path: Path) async throws
}

extension StoreCaller {
    /// The locks of a transaction judged by the caller's record, replica or quota.
    var locks: [RowLock] { deviceID.map { [.device($0)] } ?? [] }
}

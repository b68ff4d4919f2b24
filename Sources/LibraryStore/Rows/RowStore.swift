import LibraryAPI
import Persistence
import PhotoModel

/// What a writing transaction locks before it reads, so that what it decides on stays true until it ends; without any, it
/// locks the rows that it writes.
///
/// Several are taken in the order of the cases. SQLite has one writer, which is every lock at once.
enum RowLock: Hashable, Sendable {
    /// The library's row: for whatever takes change numbers, appends to the audit, or decides what others' writes rest on.
    case library
    /// A device's row: for whatever its record, profile, replicas or quota permit.
    case device(DeviceID)
    /// The rows of a limited device's view, which follow one consistent state of everything else.
    case view(of: DeviceID)
    /// The records of a kind, also those that are not there yet.
    case records(RecordKind)
}

/// The database that holds a library's rows: the one place that knows transactions, locks and repetition.
///
/// A body may run more than once, where the engine finds that a transaction has to be repeated: it must have no effect
/// but on the session.
protocol RowStore: Sendable {
    /// How servers over these rows tell each other what happened.
    var signals: any LibrarySignals { get }

    /// How servers over these rows divide what only one needs to do.
    ///
    /// - Parameters:
    ///   - isShared: whether several servers may work at once.
    ///   - now: this machine's clock.
    /// - Returns: the duties.
    func duties(isShared: Bool, now: @escaping @Sendable () -> WallTime) -> any LibraryDuties

    /// Reads one consistent state.
    func read<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLSession) throws -> Value
    ) async throws -> Value

    /// Runs a transaction, which is durable once this returns; what the body throws undoes it.
    func write<Value: Sendable>(
        _ locks: [RowLock],
        _ body: @escaping @Sendable (any SQLSession) throws -> Value
    ) async throws -> Value

    /// The same on the calling thread; locks may repeat.
    ///
    /// Blocks.
    func writeBlocking<Value>(_ locks: [RowLock], _ body: (any SQLSession) throws -> Value) throws -> Value

    /// Sets how a new history begins where the database turns out to have lost changes, within a transaction that has the
    /// library's lock; the reason is for the audit.
    func guardHistory(_ begin: @escaping @Sendable (any SQLSession, _ reason: String) throws -> LibraryEpoch)

    /// Samples what the engine's choice among indexes rests on.
    func refreshPlans() async throws

    /// Copies all rows, consistently, into a new SQLite file, which is the form of backups.
    func copy(to path: Path) async throws
}

extension StoreCaller {
    /// What a transaction locks that is judged by the caller's record, replica or quota.
    var locks: [RowLock] { deviceID.map { [.device($0)] } ?? [] }
}

import FoundationEssentials
import LibraryAPI
import Logging
import Persistence
import PhotoModel
import PostgreSQL

/// The rows in PostgreSQL: one writer per library, enforced by the lock on the library's row.
struct PostgreSQLRowStore: RowStore {
    let pool: ConnectionPool
    private let notices: PostgreSQLSignals
    private let timeZone: TimeZone
    private let history: EpochGuard

    /// Connects, checks the server, and creates or migrates the schema.
    ///
    /// Blocks.
    ///
    /// - Parameters:
    ///   - settings: how connections are opened.
    ///   - isNew: whether to create the schema; otherwise it must exist.
    ///   - timeZone: the time zone assumed for captures without their own UTC offset.
    ///   - logger: logs lost changes.
    ///   - arrival: the move or restore in progress, which alone may open an incomplete arrival.
    /// - Throws: PostgreSQL's `unavailable`, `denied` or `unsuitable`; `notFound` without the schema, `exists` if a new
    ///   library's schema has tables, `foreign` for a newer program's.
    init(
        _ settings: ConnectionSettings,
        isNew: Bool,
        timeZone: TimeZone,
        logger: Logger? = nil,
        arrival: ArrivalID? = nil
    ) throws {
        self.init(reading: settings, timeZone: timeZone, logger)
        try pool.writeBlocking(lock: PostgreSQLSchema.lock(settings.schema)) { connection in
            try PostgreSQLSchema.migrate(settings.schema, isNew: isNew, arrival: arrival, connection)
        }
        try notices.begin()
    }

    /// Reads a library that a server may have open, without migrating it.
    init(reading settings: ConnectionSettings, timeZone: TimeZone = .gmt, _ logger: Logger? = nil) {
        pool = ConnectionPool(settings)
        notices = PostgreSQLSignals(pool)
        history = EpochGuard(logger)
        self.timeZone = timeZone
    }

    /// Checks that a library can be created: the server is suitable, and the schema has no tables, or only those left
    /// by an earlier attempt of the same arrival.
    ///
    /// Blocks.
    static func requireRoom(_ settings: ConnectionSettings, arrival: ArrivalID? = nil) throws {
        try ConnectionPool(settings).writeBlocking(lock: "") { connection in
            if let arrival, try SchemaMark.find(settings.schema, connection) == .arriving(arrival) { return }
            _ = try PostgreSQLSchema.isEmpty(settings.schema, isNew: true, connection)
        }
    }

    func duties(isShared: Bool, now: @escaping @Sendable () -> WallTime) -> any LibraryDuties {
        PostgreSQLDuties(self, isShared: isShared, now: now)
    }

    var signals: any LibrarySignals { notices }

    var readerCount: Int { pool.readerCount }

    func read<Value: Sendable>(_ body: @escaping @Sendable (any SQLSession) throws -> Value) async throws -> Value {
        let floor = history.floor
        let outcome = try await pool.read { try run(body, on: $0) }
        if note(outcome, after: floor) { return outcome.value }
        // The holder of the lock checks, and begins a new history if changes were lost.
        try await write([.library]) { _ in }
        return try await pool.read { try run(body, on: $0) }.value
    }

    func write<Value: Sendable>(
        _ locks: [RowLock],
        _ body: @escaping @Sendable (any SQLSession) throws -> Value
    ) async throws -> Value {
        let floor = history.floor
        let outcome = try await pool.write(lock: locks.statements, isolation: locks.isolation) {
            try run(body, on: $0, isNumbering: locks.contains(.library))
        }
        _ = note(outcome, after: floor)
        if locks.contains(.library) { notices.tell(.changes) }
        return outcome.value
    }

    func writeBlocking<Value>(_ locks: [RowLock], _ body: (any SQLSession) throws -> Value) throws -> Value {
        let floor = history.floor
        let outcome = try pool.writeBlocking(lock: locks.statements, isolation: locks.isolation) {
            try run(body, on: $0, isNumbering: locks.contains(.library))
        }
        _ = note(outcome, after: floor)
        if locks.contains(.library) { notices.tell(.changes) }
        return outcome.value
    }

    func guardHistory(_ begin: @escaping @Sendable (any SQLSession, _ reason: String) throws -> LibraryEpoch) {
        history.set(begin)
    }

    /// A transaction's result, and the state of its database.
    fileprivate struct Outcome<Value> {
        let value: Value
        let number: Int64?
        let timeline: String
    }

    private func run<Value>(
        _ body: (any SQLSession) throws -> Value,
        on connection: PostgreSQLConnection,
        isNumbering: Bool = false
    ) throws -> Outcome<Value> {
        let session = PostgreSQLSession(connection, timeZone: timeZone)
        if isNumbering { try history.hold(session) }
        let value = try body(session)
        return Outcome(value: value, number: session.number, timeline: connection.timeline)
    }

    private func note(_ outcome: Outcome<some Any>, after floor: EpochGuard.Floor) -> Bool {
        history.note(outcome.number, timeline: outcome.timeline, after: floor)
    }

    func refreshPlans() async throws {
        // Autovacuum does the same eventually.
        try await pool.write(lock: "") { connection in
            try connection.run(
                "ANALYZE asset, asset_word, album_asset, entity, keyword, receipt, resource, view_member"
            )
        }
    }

    func copy(to path: Path) async throws {
        try await pool.read { try PostgreSQLCopy(connection: $0).write(to: path) }
    }
}

extension [RowLock] {
    /// The statements that take the locks, in the order used by all writers.
    fileprivate var statements: String {
        Set(self).sorted { $0.place < $1.place }.map(\.statement).joined(separator: "; ")
    }

    fileprivate var isolation: ConnectionPool.Isolation {
        contains { if case .view = $0 { true } else { false } } ? .repeatableRead : .readCommitted
    }
}

extension RowLock {
    /// The order of locking, so that no two writers wait for each other.
    fileprivate var place: String {
        switch self {
        case .library: "0"
        case .device(let id): "1 \(id)"
        case .view(let id): "2 \(id)"
        case .records(let kind): "3 \(kind.rawValue)"
        }
    }

    fileprivate var statement: String {
        switch self {
        case .library: "SELECT id FROM library FOR UPDATE"
        case .device(let id), .view(let id):
            "SELECT id FROM device WHERE id = CAST('\\x\(HexadecimalText.text(id.blob))' AS BYTEA) FOR UPDATE"
        // A record may not exist, and then has no row to lock.
        case .records(let kind):
            "SELECT pg_advisory_xact_lock(hashtextextended(current_schema() || '.record.' || '\(kind.quoted)', 0))"
        }
    }
}

extension RecordKind {
    /// The name within a literal.
    fileprivate var quoted: String { rawValue.replacing("'", with: "''") }
}

extension PostgreSQLRowStore.Outcome: Sendable where Value: Sendable {}

import Synchronization

/// One connection of a pool, opened on demand and reopened after it was lost.
///
/// Its state is guarded by `turn`: only the body of ``withTurn(_:)`` may touch it.
final class ConnectionLane: @unchecked Sendable {
    let settings: ConnectionSettings
    private let turn = Mutex(())
    private var connection: PostgreSQLConnection?
    /// The server's timeline when the connection was opened; empty before the first.
    private(set) var timeline = ""

    init(_ settings: ConnectionSettings) { self.settings = settings }

    /// Waits, on a thread that may block, until the connection is free.
    func withTurn<Value>(_ body: (ConnectionLane) throws -> Value) throws -> Value {
        var result: Value?
        try turn.withLock { _ in result = try body(self) }
        guard let result else { throw PostgreSQLError(.failed, "a transaction without a result") }
        return result
    }

    /// Whether a connection is open, as far as known.
    var isOpen: Bool { connection != nil }

    /// The open connection; without one, opens one and checks its server.
    func opened() throws(PostgreSQLError) -> PostgreSQLConnection {
        if let connection { return connection }
        let opened = try PostgreSQLConnection(settings)
        let facts = try ServerFacts.read(opened)
        try facts.requireSuitable()
        timeline = facts.timeline
        opened.timeline = facts.timeline
        opened.hasSynchronousStandbys = !facts.standbys.isEmpty
        connection = opened
        return opened
    }

    /// Drops a connection that can no longer be used.
    func close(_ lost: PostgreSQLConnection) {
        if connection === lost { connection = nil }
    }

    /// Whether a transaction whose connection ended during `COMMIT` was committed.
    ///
    /// - Parameters:
    ///   - number: the transaction's number.
    ///   - lock: its lock: a transaction that acquires it later knows that the earlier one has ended.
    ///   - formerTimeline: the timeline on which it began. After a failover, transaction numbers are reused.
    /// - Returns: whether it was.
    /// - Throws: `unknownOutcome` if that cannot be determined.
    func wasCommitted(
        _ number: PostgreSQLConnection.TransactionNumber,
        lock: String,
        onTimeline formerTimeline: String
    ) throws(PostgreSQLError) -> Bool {
        let unknown = "the connection ended during COMMIT, and whether it took place is unknown"
        do throws(PostgreSQLError) {
            let connection = try opened()
            guard timeline == formerTimeline else {
                throw PostgreSQLError(.unknownOutcome, "\(unknown): another server took over")
            }
            defer { connection.rollBack() }
            _ = try connection.beginWriting(settings, .readCommitted, lock: lock)
            let rows = try connection.execute(
                "SELECT pg_xact_status(CAST(CAST(? AS TEXT) AS XID8))",
                [.text(number.text)]
            )
            switch rows.count == 1 ? try rows.value(0, 0) : .null {
            case .text("committed"): return true
            case .text("aborted"): return false
            default: throw PostgreSQLError(.unknownOutcome, unknown)
            }
        } catch {
            guard error.code != .unknownOutcome else { throw error }
            throw PostgreSQLError(.unknownOutcome, "\(unknown): \(error.message)")
        }
    }
}

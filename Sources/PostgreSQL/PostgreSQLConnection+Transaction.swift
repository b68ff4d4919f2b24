extension PostgreSQLConnection {
    /// The number of a transaction, by which the server knows afterwards whether it was committed.
    struct TransactionNumber: Hashable, Sendable {
        let text: String
    }

    /// Begins a transaction that changes nothing and reads one consistent state.
    func beginReading(_ settings: ConnectionSettings) throws(PostgreSQLError) {
        try run("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;" + settings.transactionAssignments)
    }

    /// Begins a transaction that may write, and takes its lock.
    ///
    /// - Parameters:
    ///   - settings: the transaction's settings.
    ///   - isolation: what it sees of others.
    ///   - lock: a statement that waits for the lock, without arguments; empty for none.
    /// - Returns: its number.
    /// - Throws: the server's refusal; `timeout` if the lock is not given.
    func beginWriting(
        _ settings: ConnectionSettings,
        _ isolation: ConnectionPool.Isolation,
        lock: String
    ) throws(PostgreSQLError) -> TransactionNumber {
        let rows = try run(
            """
            BEGIN ISOLATION LEVEL \(isolation.rawValue) READ WRITE; \(settings.transactionAssignments)
            \(lock.isEmpty ? "" : lock + ";") SELECT pg_current_xact_id()::text
            """
        )
        guard rows.count == 1, case .text(let number) = try rows.value(0, 0) else {
            throw PostgreSQLError(.damaged, "the server does not say the transaction's number")
        }
        return TransactionNumber(text: number)
    }

    /// Rolls back the open transaction; harmless without one, or without a connection.
    func rollBack() {
        if !isLost, !isIdle { _ = try? run("ROLLBACK") }
    }

    /// Runs a part of a transaction that can be undone alone.
    ///
    /// - Parameter body: the part; returns whether it stays.
    /// - Throws: what the body throws, after undoing the part.
    package func savepoint(_ body: () throws -> Bool) throws {
        try run("SAVEPOINT part")
        let stays: Bool
        do {
            stays = try body()
        } catch {
            if !isLost { _ = try? run("ROLLBACK TO SAVEPOINT part; RELEASE SAVEPOINT part") }
            throw error
        }
        try run(stays ? "RELEASE SAVEPOINT part" : "ROLLBACK TO SAVEPOINT part; RELEASE SAVEPOINT part")
    }
}

extension ConnectionSettings {
    /// What every transaction sets for itself where sessions are not kept.
    fileprivate var transactionAssignments: String { keepsSession ? "" : assignments("SET LOCAL") }
}

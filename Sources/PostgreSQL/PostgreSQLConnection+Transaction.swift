extension PostgreSQLConnection {
    /// A transaction's number, by which the server can later tell whether it was committed.
    struct TransactionNumber: Hashable, Sendable {
        let text: String
    }

    /// Begins a read-only transaction with one consistent snapshot, in the round trip of its first statement.
    ///
    /// - Throws: `unavailable` if the connection ended.
    func beginReading(_ settings: ConnectionSettings) throws(PostgreSQLError) {
        try finishReading()
        try queue("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", isKept: true)
        if !settings.keepsSession { try queue(settings.transactionAssignment) }
    }

    /// Ends a transaction that only read, without waiting for the answer: the next one reads it first.
    ///
    /// The server gets the end at once, so that it keeps neither the snapshot nor the locks.
    ///
    /// - Throws: the refusal of a statement whose answer nobody has read.
    func endReading() throws(PostgreSQLError) {
        try settle()
        try queue("COMMIT", isKept: true)
        try mark()
        hasUnreadEnd = true
    }

    /// Reads the answer to ``endReading()``, if nobody has.
    private func finishReading() throws(PostgreSQLError) {
        guard hasUnreadEnd else { return }
        hasUnreadEnd = false
        do throws(PostgreSQLError) {
            try settle()
        } catch {
            // A refusal, for example because somebody cancelled the statement, is too late to concern anyone.
            guard !isLost else { throw error }
        }
        if !isIdle { try run("ROLLBACK") }
    }

    /// Begins a numbered transaction that may write, and takes its lock by a statement without arguments that waits for
    /// it, if any.
    ///
    /// - Throws: the server's refusal; `timeout` if the lock is not available in time.
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
            throw PostgreSQLError(.damaged, "the server did not return the transaction's number")
        }
        return TransactionNumber(text: number)
    }

    /// Rolls back the open transaction; harmless without one, or without a connection.
    func rollBack() {
        guard !isLost, !isIdle else { return }
        _ = try? settle()
        hasUnreadEnd = false
        if !isIdle { _ = try? run("ROLLBACK") }
    }

    /// Runs part of a transaction, which is rolled back alone if it throws, or returns that it is not to be kept.
    package func savepoint(_ body: () throws -> Bool) throws {
        // What the server refuses of earlier statements is not this part's. The release of an earlier part is refused
        // only with the whole transaction; then this part does not exist, and the earlier one must not be rolled back
        // in its place.
        if !queuesNothingButRelease { try settle() }
        partDepth += 1
        defer { partDepth -= 1 }
        let usual = "part_\(partDepth)"
        let part = queuedRelease == usual ? usual + "_next" : usual
        let end = "ROLLBACK TO SAVEPOINT \(part); RELEASE SAVEPOINT \(part)"
        try queue("SAVEPOINT \(part)")
        let stays: Bool
        do {
            stays = try body()
            if stays {
                try release(part)
            } else {
                // What goes anyway may be refused as well.
                _ = try? settle()
            }
        } catch {
            _ = try? settle()
            if !isLost { _ = try? run(end) }
            throw error
        }
        if !stays { try run(end) }
    }

    /// Ends a part that stays; waits only if the server may refuse something of it, which is then rolled back.
    private func release(_ part: String) throws(PostgreSQLError) {
        let isSettled = queuedCount == 0
        try queue("RELEASE SAVEPOINT \(part)")
        if isSettled { queuedRelease = part } else { try settle() }
    }

    /// Commits, in the round trip of what is queued.
    ///
    /// - Throws: the server's refusal; `failed` if an earlier refusal was ignored, so that the server rolled back.
    func commit() throws(PostgreSQLError) {
        guard try execute("COMMIT").command == "COMMIT" else {
            throw PostgreSQLError(.failed, "a statement of the transaction had been refused: it was rolled back")
        }
    }
}

extension ConnectionSettings {
    /// What every transaction sets for itself if sessions are not kept.
    fileprivate var transactionAssignments: String { keepsSession ? "" : assignments("SET LOCAL") }
}

internal import CPostgreSQL

// A round trip costs the server and this process a switch each, which is more than most statements do. libpq's pipeline
// mode saves it, see https://www.postgresql.org/docs/current/libpq-pipeline-mode.html.
extension PostgreSQLConnection {
    /// The most statements without an answer: theirs, some fifty bytes each, fill buffers until somebody reads them.
    private static let maximumQueuedCount = 512
    /// The statements after which the server begins to work, while this process prepares more.
    private static let sentCount = 16
    /// The most bytes of a statement that is queued, and of those that are sent together.
    ///
    /// libpq sends 64 KiB by itself, and without the mark that ends them. The server's limit on a transaction that stands
    /// still holds only behind that mark: a process that stops before it would keep its locks for ever.
    private static let sentByteCount = 32 << 10

    /// Runs a statement of the open transaction whose rows nobody reads, as by ``execute(_:_:isKept:)``, without
    /// waiting for it.
    ///
    /// Statements run in the order of the calls. If the server refuses one, it skips those queued behind it, and the
    /// next call that waits throws the refusal: ``execute(_:_:isKept:)``, ``run(_:)``, ``settle()`` or the commit.
    ///
    /// - Throws: the refusal of an earlier statement; `unavailable` if the connection ended.
    package func queue(
        _ sql: String,
        _ arguments: [PostgreSQLValue] = [],
        isKept: Bool = false
    ) throws(PostgreSQLError) {
        let encoded = try EncodedArguments(arguments)
        guard Self.byteCount(sql, encoded) <= Self.sentByteCount else {
            try execute(sql, arguments, isKept: isKept)
            return
        }
        try send(sql, arguments, encoded, isKept: isKept)
        if queuedCount >= Self.maximumQueuedCount {
            try settle()
        } else if unsentCount >= Self.sentCount {
            try mark()
        }
    }

    /// Whether no statement is queued whose refusal would concern its part of the transaction alone.
    var queuesNothingButRelease: Bool { queuedCount == (queuedRelease == nil ? 0 : 1) }

    /// Waits until everything queued has run.
    ///
    /// - Throws: the first refusal, or `unavailable` if the connection ended.
    package func settle() throws(PostgreSQLError) { _ = try answers() }

    /// Runs a statement behind queued ones, in the same round trip unless it is large.
    ///
    /// - Returns: its rows; nil if nothing was queued, or has been waited for, and the statement did not run.
    func executeQueued(
        _ sql: String,
        _ arguments: [PostgreSQLValue],
        isKept: Bool
    ) throws(PostgreSQLError) -> PostgreSQLRows? {
        guard queuedCount > 0 else { return nil }
        let encoded = try EncodedArguments(arguments)
        guard Self.byteCount(sql, encoded) <= Self.sentByteCount else {
            try settle()
            return nil
        }
        try send(sql, arguments, encoded, isKept: isKept)
        return try answers()
    }

    private static func byteCount(_ sql: String, _ arguments: EncodedArguments) -> Int {
        sql.utf8.count + arguments.byteCount
    }

    private func send(
        _ sql: String,
        _ arguments: [PostgreSQLValue],
        _ encoded: EncodedArguments,
        isKept: Bool
    ) throws(PostgreSQLError) {
        // Waits for what is queued if it has to prepare the statement.
        let name = try preparedName(sql, arguments, isKept: isKept)
        let byteCount = Self.byteCount(sql, encoded)
        if unsentByteCount + byteCount > Self.sentByteCount { try mark() }
        if queuedCount == 0 {
            guard unsafe PQenterPipelineMode(handle) == 1 else { throw failure() }
        }
        let isSent = unsafe encoded.withPointers { values, lengths, formats in
            let count = Int32(arguments.count)
            if let name {
                return unsafe PQsendQueryPrepared(handle, name, count, values, lengths, formats, 1) == 1
            }
            let types = arguments.map(\.typeNumber)
            let text = StatementText.numbered(sql)
            return unsafe PQsendQueryParams(handle, text, count, types, values, lengths, formats, 1) == 1
        }
        guard isSent else { throw failure() }
        queuedCount += 1
        unsentCount += 1
        unsentByteCount += byteCount
    }

    /// Sends what is queued, and marks its end.
    func mark() throws(PostgreSQLError) {
        guard unsentCount > 0 else { return }
        (unsentCount, unsentByteCount) = (0, 0)
        guard unsafe PQpipelineSync(handle) == 1 else { throw failure() }
        markCount += 1
    }

    /// Waits for all answers; returns the last statement's rows, or nil if none was queued.
    private func answers() throws(PostgreSQLError) -> PostgreSQLRows? {
        guard queuedCount > 0 else { return nil }
        (queuedCount, queuedRelease) = (0, nil)
        defer { markCount = 0 }
        try mark()
        var last: PostgreSQLRows?
        var problem: PostgreSQLError?
        var isBetween = false
        while markCount > 0 {
            guard let result = unsafe PQgetResult(handle) else {
                // Null ends each statement's results; twice, it ends everything, as on a lost connection.
                guard !isBetween else { break }
                isBetween = true
                continue
            }
            isBetween = false
            guard unsafe PQresultStatus(result) != PGRES_PIPELINE_SYNC else {
                unsafe PQclear(result)
                markCount -= 1
                continue
            }
            do throws(PostgreSQLError) {
                last = try unsafe checked(result)
            } catch {
                problem = problem ?? error
            }
        }
        let hasEnded = unsafe PQexitPipelineMode(handle) == 1
        if let problem { throw problem }
        guard hasEnded, !isLost, let last else { throw failure() }
        affectedCount = last.affectedCount
        return last
    }
}

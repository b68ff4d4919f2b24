import Persistence
import Synchronization

/// Connections to one database: transactions as synchronous closures on dedicated threads.
///
/// One connection writes and all others read, so that readers never wait behind a writer that waits for a lock. A
/// closure may run more than once, after a lost connection or a conflict with another transaction, so it must change
/// nothing but the database.
package final class ConnectionPool: Sendable {
    /// The isolation of a writing transaction.
    package enum Isolation: String, Sendable {
        /// Each statement sees what was committed before it began: a read after taking a lock is at least as new as the
        /// lock.
        case readCommitted = "READ COMMITTED"
        /// All statements see one snapshot; after a conflict with another transaction it is repeated.
        case repeatableRead = "REPEATABLE READ"
    }

    /// How connections are opened.
    package let settings: ConnectionSettings
    /// The number of transactions that may read at once.
    package let readerCount: Int
    private let writer: ConnectionLane
    private let writerThread: BlockingPool
    private let idleReaders: Mutex<[ConnectionLane]>
    private let readerThreads: BlockingPool
    /// The most attempts for a transaction.
    private static let maximumAttempts = 5

    /// Creates the pool; connects on first use.
    package init(_ settings: ConnectionSettings) {
        precondition(settings.connectionCount >= 2, "a pool needs a connection to write and one to read")
        self.settings = settings
        let width = settings.connectionCount - 1
        readerCount = width
        writer = ConnectionLane(settings)
        writerThread = BlockingPool(width: 1)
        idleReaders = Mutex((0..<width).map { _ in ConnectionLane(settings) })
        readerThreads = BlockingPool(width: width)
    }

    /// Runs a transaction that only reads, in one consistent state of the database, and may run again.
    ///
    /// - Throws: what the body throws; `unavailable` if the server cannot be reached; the blocking pool's `overloaded`.
    package func read<Value: Sendable>(
        _ body: @escaping @Sendable (PostgreSQLConnection) throws -> Value
    ) async throws -> Value {
        try await readerThreads.run { [self] in
            // There are as many lanes as threads.
            guard let lane = idleReaders.withLock({ $0.popLast() }) else {
                throw PostgreSQLError(.failed, "a thread without a connection")
            }
            defer { idleReaders.withLock { $0.append(lane) } }
            return try lane.withTurn { lane in
                try Self.repeating(on: lane) { connection in
                    try connection.beginReading(lane.settings)
                    let value = try body(connection)
                    try connection.endReading()
                    return value
                }
            }
        }
    }

    /// Runs a transaction that writes, and may run again; its changes are durable when it returns.
    ///
    /// Once begun it runs to its end, even if the task is cancelled. The lock is statements without arguments that wait
    /// for the locks under which the transaction reads and writes.
    ///
    /// - Throws: what the body throws, after a rollback; `unavailable` if the server cannot be reached;
    ///   `unknownOutcome` if the connection ended during `COMMIT`.
    @discardableResult
    package func write<Value: Sendable>(
        lock: String,
        isolation: Isolation = .readCommitted,
        _ body: @escaping @Sendable (PostgreSQLConnection) throws -> Value
    ) async throws -> Value {
        try await writerThread.run { [self] in try writeBlocking(lock: lock, isolation: isolation, body) }
    }

    /// Runs a writing transaction on the calling thread, as ``write(lock:isolation:_:)`` does on the pool's.
    @discardableResult
    package func writeBlocking<Value>(
        lock: String,
        isolation: Isolation = .readCommitted,
        _ body: (PostgreSQLConnection) throws -> Value
    ) throws -> Value {
        try writer.withTurn { lane in
            try Self.repeating(on: lane, isolation) { connection in
                let number = try connection.beginWriting(lane.settings, isolation, lock: lock)
                let value = try body(connection)
                // If the connection ends here, nothing was committed, and nobody has to ask; a release may go along.
                if !connection.queuesNothingButRelease { try connection.settle() }
                try Self.commit(number, lock: lock, on: lane, connection)
                return value
            }
        }
    }

    private static func repeating<Value>(
        on lane: ConnectionLane,
        _ isolation: Isolation = .readCommitted,
        _ body: (PostgreSQLConnection) throws -> Value
    ) throws -> Value {
        var attemptCount = 0
        while true {
            attemptCount += 1
            let wasOpen = lane.isOpen
            let connection = try lane.opened()
            do {
                return try body(connection)
            } catch {
                connection.rollBack()
                if connection.isLost || !connection.isIdle { lane.close(connection) }
                guard attemptCount < maximumAttempts, let code = (error as? PostgreSQLError)?.code else { throw error }
                switch code {
                case .conflict: continue
                // A row inserted after this transaction's snapshot.
                case .uniqueViolation where isolation == .repeatableRead: continue
                // An idle connection may have ended long ago; if a fresh one ends, the server is in trouble.
                case .unavailable where wasOpen && connection.isLost: continue
                default: throw error
                }
            }
        }
    }

    /// Commits.
    ///
    /// If the connection ends meanwhile, asks the server for the transaction's outcome over another one.
    private static func commit(
        _ number: PostgreSQLConnection.TransactionNumber,
        lock: String,
        on lane: ConnectionLane,
        _ connection: PostgreSQLConnection
    ) throws {
        do {
            try connection.commit()
        } catch  where connection.isLost {
            let timeline = lane.timeline
            lane.close(connection)
            guard try lane.wasCommitted(number, lock: lock, onTimeline: timeline) else { throw error }
        }
    }
}

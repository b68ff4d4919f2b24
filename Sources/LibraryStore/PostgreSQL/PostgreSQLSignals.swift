import FoundationEssentials
import Logging
import Persistence
import PostgreSQL
import Synchronization

/// Signals between servers that share a schema: notices on a channel and, as a fallback, a check of the library's row
/// every second, which finds whatever a notice missed.
///
/// Notices are sent outside the transactions they announce: `NOTIFY` within one holds a lock of the whole cluster until
/// the commit is flushed. They are collected, and sent at most every ``noticeInterval``.
final class PostgreSQLSignals: LibrarySignals {
    /// How often to check the library's row without a notice.
    private static let lookInterval = Duration.seconds(1)
    /// The minimum interval between two notices of this server: 20 a second.
    private static let noticeInterval = Duration.milliseconds(50)
    /// The pause before reopening a lost notice connection.
    private static let reconnectInterval = Duration.seconds(1)

    private struct State {
        /// The last position seen in the library's row; nil before the first check.
        var position: SignalPosition?
        var outbox = SignalOutbox()
        var counts = SignalCounts()
        /// Wakes the sender of notices; nil while there is no connection for them.
        var sending: AsyncStream<Void>.Continuation?
    }

    private let pool: ConnectionPool
    private let number = Int64.random(in: .min ... .max)
    private let state: Mutex<State>
    private let listening = BlockingPool(width: 1)

    /// Signals over these connections; nothing is received before ``run(_:_:)``.
    init(_ pool: ConnectionPool) {
        self.pool = pool
        state = Mutex(State())
    }

    /// Starts at a library's current position: everything decided from now on is received.
    ///
    /// Blocks. The schema must have its tables.
    func begin() throws {
        let position = try pool.writeBlocking(lock: "") { try Self.position($0) }
        // A new library has no row yet.
        state.withLock { $0.position = position ?? SignalPosition(change: 0, closure: 0) }
    }

    var origin: Int64? { number }

    var counts: SignalCounts? { state.withLock(\.counts) }

    func tell(_ signal: LibrarySignal) {
        state.withLock { state in
            // Without a connection nobody can be notified: the others check by themselves.
            guard let sending = state.sending else { return }
            state.outbox.add(signal)
            sending.yield()
        }
    }

    func run(_ logger: Logger, _ receive: @escaping @Sendable (LibrarySignal) -> Void) async {
        let (looks, look) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                while !Task.isCancelled {
                    look.yield()
                    try? await Task.sleep(for: Self.lookInterval)
                }
            }
            group.addTask { for await _ in looks { await self.look(logger, receive) } }
            if let settings = pool.settings.forNotices {
                group.addTask {
                    await self.exchangeNotices(settings, logger) { signal in
                        if signal == .changes { look.yield() } else { receive(signal) }
                    }
                }
            }
            await group.waitForAll()
        }
    }
}

// MARK: Checks
extension PostgreSQLSignals {
    private static func position(_ connection: PostgreSQLConnection) throws -> SignalPosition? {
        let rows = try connection.execute("SELECT change_number, closure_number FROM library", isKept: true)
        guard rows.count == 1, case .integer(let change) = try rows.value(0, 0),
            case .integer(let closure) = try rows.value(0, 1)
        else { return nil }
        return SignalPosition(change: change, closure: closure)
    }

    /// Reads the library's position, and reports what others did since the last check.
    private func look(_ logger: Logger, _ receive: (LibrarySignal) -> Void) async {
        let known = state.withLock(\.position)
        do {
            let (found, parties) = try await pool.read { [number] connection in
                let position = try Self.position(connection) ?? known ?? SignalPosition(change: 0, closure: 0)
                let numbers = known?.closures(to: position)
                return (position, try numbers.map { try Self.parties($0, exceptOf: number, connection) } ?? [])
            }
            state.withLock { state in
                state.position = found
                state.counts.closures += Int64(parties.count)
            }
            for party in parties { receive(.closure(party)) }
            if known?.hasChanged(to: found) == true { receive(.changes) }
        } catch is CancellationError {
            // The server is stopping.
        } catch {
            // Readiness reports it; until then nothing is read from this database that could be announced.
            logger.debug("the library's row could not be looked at", metadata: ["error": "\(error)"])
        }
    }

    private static func parties(
        _ numbers: ClosedRange<Int64>,
        exceptOf origin: Int64,
        _ connection: PostgreSQLConnection
    ) throws -> [Party] {
        let rows = try connection.execute(
            "SELECT kind, party FROM closure WHERE number BETWEEN ? AND ? AND origin <> ? ORDER BY number",
            [.integer(numbers.lowerBound), .integer(numbers.upperBound), .integer(origin)],
            isKept: true
        )
        return try (0..<rows.count).compactMap { row in
            guard case .text(let kind) = try rows.value(row, 0), case .blob(let bytes) = try rows.value(row, 1) else {
                throw RowDamage("a closure without its party")
            }
            return try Party(kind: kind, blob: Data(bytes))
        }
    }
}

// MARK: Notices
extension PostgreSQLSignals {
    /// Sends and receives notices; reconnects whenever the connection ends.
    ///
    /// After each connect `receive` gets `changes` and `jobs`, because notices in between were lost.
    private func exchangeNotices(
        _ settings: ConnectionSettings,
        _ logger: Logger,
        _ receive: @escaping @Sendable (LibrarySignal) -> Void
    ) async {
        var isReported = false
        while !Task.isCancelled {
            do {
                let listener = try await listening.run {
                    try NoticeListener(settings, channel: "tintype_\(settings.schema)")
                }
                defer { listener.close() }
                if isReported { logger.notice("receiving other servers' notices again") }
                isReported = false
                try await exchange(over: listener, receive)
                if !Task.isCancelled { logger.notice("the connection for notices ended: reconnecting") }
            } catch is CancellationError {
                return
            } catch {
                if !isReported {
                    logger.warning(
                        "not receiving other servers' notices: their changes are seen up to a second late (library.notices)",
                        metadata: ["error": "\(error)"]
                    )
                }
                isReported = true
            }
            try? await Task.sleep(for: Self.reconnectInterval)
        }
    }

    /// Uses one connection until it ends, or the task is cancelled.
    private func exchange(
        over listener: NoticeListener,
        _ receive: @escaping @Sendable (LibrarySignal) -> Void
    ) async throws {
        let (requests, sending) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        state.withLock { state in
            state.sending = sending
            state.counts.isListening = true
        }
        defer {
            state.withLock { state in
                state.sending = nil
                state.outbox = SignalOutbox()
                state.counts.isListening = false
            }
        }
        receive(.changes)
        receive(.jobs)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { for await payload in listener.notices { self.hear(payload, receive) } }
            group.addTask { for await _ in requests { try await self.send(over: listener) } }
            try await group.next()
            group.cancelAll()
        }
    }

    private func hear(_ payload: String, _ receive: (LibrarySignal) -> Void) {
        state.withLock { $0.counts.received += 1 }
        let notice = SignalNotice(payload)
        if notice.asksForLook { receive(.changes) }
        for signal in notice.signals { receive(signal) }
    }

    private func send(over listener: NoticeListener) async throws {
        while let payload = state.withLock({ $0.outbox.next() }) {
            try await listener.notify(payload)
            state.withLock { $0.counts.sent += 1 }
            try await Task.sleep(for: Self.noticeInterval)
        }
    }
}

import FoundationEssentials
import LibraryAPI
import Logging
import PostgreSQL
import Synchronization

/// Detects that the database lost changes which this process has announced, for example after an asynchronous failover
/// or when it is reset to an earlier time while servers run, and begins a new history.
///
/// Numbers only grow, even across histories. Announced numbers are kept in memory; the timeline of the server that
/// wrote last is a row, so that processes started later detect a failover too.
final class EpochGuard: Sendable {
    /// What was announced before a transaction began, which the transaction must see.
    struct Floor: Sendable {
        fileprivate let generation: Int
        fileprivate let number: Int64
    }

    private struct State {
        /// The histories seen, the latest last.
        var epochs: [Data] = []
        /// The highest announced number.
        var number: Int64 = 0
        /// Incremented when `number` decreases.
        var generation = 0
        /// The timeline compared with the row.
        var timeline: String?
        var begin: (@Sendable (any SQLSession, String) throws -> LibraryEpoch)?
    }

    private let state = Mutex(State())
    private let logger: Logger?

    init(_ logger: Logger?) { self.logger = logger }

    /// Sets how a history begins; without it nothing is guarded.
    func set(_ begin: @escaping @Sendable (any SQLSession, _ reason: String) throws -> LibraryEpoch) {
        state.withLock { $0.begin = begin }
    }

    /// What has been announced so far.
    var floor: Floor { state.withLock { Floor(generation: $0.generation, number: $0.number) } }

    /// Records what a transaction has read or assigned, after it has ended.
    ///
    /// - Parameters:
    ///   - number: its highest number; nil for none.
    ///   - timeline: its connection's timeline.
    ///   - floor: what was announced before it began.
    /// - Returns: false if ``hold(_:)`` must check before anything of it is announced.
    func note(_ number: Int64?, timeline: String, after floor: Floor) -> Bool {
        state.withLock { state in
            guard state.begin != nil else { return true }
            if let known = state.timeline, known != timeline { return false }
            guard let number, floor.generation == state.generation else { return true }
            guard number >= floor.number else { return false }
            state.number = max(state.number, number)
            return true
        }
    }

    /// Begins a new history if changes were lost, within a transaction that has the library's lock, before it does
    /// anything else.
    func hold(_ session: PostgreSQLSession) throws {
        let known = state.withLock { $0 }
        guard let begin = known.begin else { return }
        let row = try session.statement(
            "SELECT epoch, change_number, (SELECT timeline FROM written_timeline) AS timeline FROM library"
        ).row()
        guard let row else { return }
        let (epoch, number): (Data, Int64) = (try row["epoch"], try row["change_number"])
        let timeline = session.connection.timeline
        let written: String? = try row["timeline"]
        var reason: String?
        if let written, written != timeline, !session.connection.hasSynchronousStandbys {
            reason = "another database took over without synchronous standbys"
        }
        // Another server may have begun a history; an older one that was seen before means that the past came back.
        let isSetBack = known.epochs.contains(epoch) && (number < known.number || epoch != known.epochs.last)
        if isSetBack { reason = "the database is at change \(number), but \(known.number) was announced" }
        if written != timeline {
            try session.execute("DELETE FROM written_timeline")
            try session.execute("INSERT INTO written_timeline (\"only\", timeline) VALUES (1, ?)", [timeline])
        }
        var latest = epoch
        if let reason {
            latest = try begin(session, reason).blob
            logger?.error(
                "the database lost confirmed changes: a new history begins, and devices will offer again what they have",
                metadata: ["reason": "\(reason)", "change": "\(number)", "told": "\(known.number)"]
            )
        }
        state.withLock { state in
            if state.epochs.last != latest {
                state.epochs.append(latest)
                state.generation += 1
                state.number = number
            }
            state.number = max(state.number, number)
            state.timeline = timeline
        }
    }
}

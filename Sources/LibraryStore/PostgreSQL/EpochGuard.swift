import FoundationEssentials
import LibraryAPI
import Logging
import PostgreSQL
import Synchronization

/// Notices that the database lost changes which this process told of, as after an asynchronous failover or when it is set back
/// to an earlier time while servers run, and begins a new history.
///
/// Numbers only grow, also across histories. What was told is remembered in memory; the timeline of the server that wrote last
/// is a row, so that a failover is noticed by processes that started later, too.
final class EpochGuard: Sendable {
    /// What was told before a transaction began: the transaction must see at least that.
    struct Floor: Sendable {
        fileprivate let generation: Int
        fileprivate let number: Int64
    }

    private struct State {
        /// The histories that were seen, the latest last.
        var epochs: [Data] = []
        /// The highest number that was told.
        var number: Int64 = 0
        /// Grows when `number` falls.
        var generation = 0
        /// The timeline that was compared with the row.
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

    /// What was told so far.
    var floor: Floor { state.withLock { Floor(generation: $0.generation, number: $0.number) } }

    /// Notes what a transaction has read or assigned, after it has ended.
    ///
    /// - Parameters:
    ///   - number: its highest number; nil for none.
    ///   - timeline: that of its connection.
    ///   - floor: what had been told before it began.
    /// - Returns: false if ``hold(_:)`` has to look into it before anything of it is told.
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

    /// Begins a new history if changes were lost, within a transaction that has the library's lock, before it does anything
    /// else.
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
        // Another server may have begun a history; one that was seen before the latest is a past that came back.
        let isSetBack = known.epochs.contains(epoch) && (number < known.number || epoch != known.epochs.last)
        if isSetBack { reason = "the database is at change \(number), where \(known.number) was told" }
        if written != timeline {
            try session.execute("DELETE FROM written_timeline")
            try session.execute("INSERT INTO written_timeline (\"only\", timeline) VALUES (1, ?)", [timeline])
        }
        var latest = epoch
        if let reason {
            latest = try begin(session, reason).blob
            logger?.error(
                "the database lost confirmed changes: a new history begins, and devices offer again what they have",
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

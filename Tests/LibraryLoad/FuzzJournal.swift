import Synchronization

/// What the lanes of a run have done and found, in the order in which it happened.
final class FuzzJournal: Sendable {
    private struct State {
        var outcome = ProtocolFuzz.Outcome()
        var recent: [String] = []
    }

    /// Secrets of all lanes: no lane's watched caller may be told those of another either.
    let secrets = FuzzSecrets()
    private let end: ContinuousClock.Instant
    private let state = Mutex(State())

    /// Begins a run.
    init(until end: ContinuousClock.Instant) { self.end = end }

    /// What was done and found so far.
    var outcome: ProtocolFuzz.Outcome { state.withLock(\.outcome) }

    /// Whether no request may begin any more.
    var isOver: Bool { ContinuousClock.now >= end || !state.withLock(\.outcome.violations.isEmpty) }

    /// Notes a request that begins.
    func begin(_ line: String) { state.withLock { $0.recent = ($0.recent + [line]).suffix(32) } }

    /// Counts an answer; 0 for none.
    func count(_ status: Int) { state.withLock { $0.outcome.statuses[status, default: 0] += 1 } }

    /// Counts an entry of the corpus as accepted.
    func accept(_ entry: String) { state.withLock { _ = $0.outcome.accepted.insert(entry) } }

    /// Counts what was reached with the right bytes.
    func reach(_ what: ProtocolFuzz.Reached, _ count: Int = 1) {
        state.withLock { $0.outcome.reached[what, default: 0] += count }
    }

    /// Notes what must not be, with the requests before it, and ends the run.
    func violate(_ what: String, _ errors: [String]) {
        state.withLock { state in
            let lines = [what] + state.recent + errors
            state.outcome.violations.append(lines.joined(separator: "\n    "))
        }
    }
}

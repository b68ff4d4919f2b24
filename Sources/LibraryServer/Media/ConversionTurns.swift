import Authorization
import LibraryAPI
import Synchronization

/// Decides whose movie is converted next: one at a time, since each keeps a worker busy for a minute or two.
///
/// A caller that was refused comes before those that ask later, one turn each, if it asks again soon. Otherwise a program
/// that asks all the time would always be there first.
final class ConversionTurns: Sendable {
    /// How long a refused caller's turn is kept; programs ask again after seconds.
    static let patience = Duration.seconds(15)
    /// The most refused callers whose turns are kept.
    private static let maximumCount = 64

    private struct State {
        var isTaken = false
        /// The refused callers, the first one next.
        var refused: [(caller: Actor, expires: Duration)] = []
    }

    private let now: @Sendable () -> Duration
    private let state = Mutex(State())

    /// - Parameter now: a monotonic clock; only differences matter.
    init(now: @escaping @Sendable () -> Duration) { self.now = now }

    /// Takes the turn.
    ///
    /// - Throws: `server.unavailable` with a retry time; do not call ``leave()`` then.
    func enter(_ caller: Actor) throws(ProblemDetails) {
        let now = now()
        let isIn = state.withLock { state in
            state.refused.removeAll { $0.expires <= now }
            let place = state.refused.firstIndex { $0.caller == caller }
            let isFirst = state.refused.isEmpty || place == 0
            if !state.isTaken, isFirst {
                if let place { state.refused.remove(at: place) }
                state.isTaken = true
                return true
            }
            let expires = now + Self.patience
            if let place {
                state.refused[place].expires = expires
            } else if state.refused.count < Self.maximumCount {
                state.refused.append((caller, expires))
            }
            return false
        }
        guard isIn else {
            throw ProblemDetails(.unavailable, "Another movie is being converted: try again.", retryAfterSeconds: 2)
        }
    }

    /// Gives the turn back.
    func leave() { state.withLock { $0.isTaken = false } }
}

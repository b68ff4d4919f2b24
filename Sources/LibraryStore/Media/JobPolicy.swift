import LibraryAPI

/// Decides what happens to a failed job.
///
/// A file refused by its decoder makes the job dead at once: a retry would fail the same way. A file that killed two
/// workers makes it bad: it is retried only when an administrator names it. Anything else is retried after 10 s,
/// doubling up to 6 h, and dead after the eighth attempt.
struct JobPolicy: Hashable, Sendable {
    static let maximumAttempts = 8
    static let maximumDeaths = 2
    static let firstDelay = Duration.seconds(10)
    static let longestDelay = Duration.seconds(6 * 3600)

    /// A failed job's new state.
    struct Verdict: Hashable, Sendable {
        var state: JobState
        var attempts: Int
        var deaths: Int
        var delay: Duration
    }

    /// Judges a failure.
    ///
    /// - Parameters:
    ///   - cause: the cause.
    ///   - attempts: how often the job was started, including this time.
    ///   - deaths: how many workers it killed before.
    /// - Returns: the job's state, counts, and delay.
    static func verdict(_ cause: JobFailure.Cause, attempts: Int, deaths: Int) -> Verdict {
        switch cause {
        case .notTried:
            return Verdict(state: .waiting, attempts: max(0, attempts - 1), deaths: deaths, delay: .seconds(1))
        case .refused: return Verdict(state: .dead, attempts: attempts, deaths: deaths, delay: .zero)
        case .workerDied where deaths + 1 >= maximumDeaths:
            return Verdict(state: .bad, attempts: attempts, deaths: deaths + 1, delay: .zero)
        case .workerDied, .system:
            let deaths = cause == .workerDied ? deaths + 1 : deaths
            let isLast = attempts >= maximumAttempts
            let delay = min(firstDelay * (1 << min(max(0, attempts - 1), 20)), longestDelay)
            return Verdict(state: isLast ? .dead : .waiting, attempts: attempts, deaths: deaths, delay: delay)
        }
    }
}

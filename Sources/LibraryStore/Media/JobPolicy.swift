import LibraryAPI

/// What becomes of a job that failed.
///
/// A file that its decoder refuses is dead at once: the next time would be the same. One at which two workers died is bad,
/// and is only tried again when an administrator names it. Everything else is tried again after 10 s, doubling up to 6 h,
/// and is dead after the eighth time.
struct JobPolicy: Hashable, Sendable {
    static let maximumAttempts = 8
    static let maximumDeaths = 2
    static let firstDelay = Duration.seconds(10)
    static let longestDelay = Duration.seconds(6 * 3600)

    /// What a job becomes.
    struct Verdict: Hashable, Sendable {
        var state: JobState
        var attempts: Int
        var deaths: Int
        var delay: Duration
    }

    /// Judges a failure.
    ///
    /// - Parameters:
    ///   - cause: whose fault it was.
    ///   - attempts: how often the job was begun, this time included.
    ///   - deaths: how many workers died at it before.
    /// - Returns: the job's state, counts, and how long it waits.
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

import Capture

/// Decides what to do when a camera's stream ends, so that it comes back by itself without a storm of attempts.
///
/// Without a frame since it was opened for the first time, an error is told: the settings may be wrong. After that the
/// camera is known to work, and whatever happens is an interruption: the stream is begun anew, then the camera is opened
/// anew, then again and again after pauses that grow. One attempt runs at a time, since one thread makes them all.
struct StreamRecovery: Hashable, Sendable {
    /// How a run of streaming ended, or an attempt to open.
    enum Ending {
        /// Somebody asked for it.
        case stopped
        /// The stream is stuck or broken, which beginning it anew may mend.
        case broken(CaptureError)
        /// The source changed; the format must be agreed on anew.
        case sourceChanged(CaptureError)
        /// The camera is lost, busy or refuses to work.
        case failed(CaptureError)
    }

    /// What to do next.
    enum Action {
        /// Nothing any more.
        case end
        /// Nothing any more, and tell why.
        case fail(CaptureError)
        /// Begin the stream anew.
        case restart
        /// Close the camera, and open it after a pause, which a change of device nodes ends early.
        case reopen(after: Duration, why: CaptureError)
    }

    /// How many attempts without a frame are made before a camera that never gave one counts as failed.
    static let firstAttempts = 3
    /// The longest pause while the camera is not there: a node that came without a sign is found by looking.
    static let longestAbsence = Duration.seconds(1)
    /// The longest pause between attempts on a camera that is there.
    static let longestPause = Duration.seconds(8)

    private var hasDelivered = false
    private var attempts = 0

    /// Decides.
    ///
    /// - Parameters:
    ///   - ending: what happened.
    ///   - deliveredCount: how many frames came before it, since the last decision.
    /// - Returns: what to do.
    mutating func action(after ending: Ending, deliveredCount: Int) -> Action {
        if deliveredCount > 0 { (hasDelivered, attempts) = (true, 0) }
        attempts += 1
        switch ending {
        case .stopped: return .end
        case .sourceChanged(let error): return .reopen(after: .zero, why: error)
        case .broken(let error):
            if !hasDelivered, attempts > Self.firstAttempts { return .fail(error) }
            return attempts == 1 ? .restart : .reopen(after: pause(Self.longestPause), why: error)
        case .failed(let error):
            guard hasDelivered else { return .fail(error) }
            let isAway = error.code == .deviceLost
            return .reopen(after: pause(isAway ? Self.longestAbsence : Self.longestPause), why: error)
        }
    }

    /// None for the first two attempts, then from a quarter of a second on twice as long each time.
    private func pause(_ longest: Duration) -> Duration {
        guard attempts > 2 else { return .zero }
        return min(longest, .milliseconds(250) * (1 << min(attempts - 3, 10)))
    }
}

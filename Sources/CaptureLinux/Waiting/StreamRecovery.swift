import Capture

/// Decides how to recover when a camera's stream ends, without a storm of attempts.
///
/// An error before the first frame is reported: the settings may be wrong. After that the camera is known to work, and
/// any failure is an interruption: the stream is restarted, then the camera reopened, again and again with growing
/// pauses. Only one attempt runs at a time, since one thread makes them all.
struct StreamRecovery: Hashable, Sendable {
    /// How a streaming run, or an attempt to open, ended.
    enum Ending {
        /// It was requested.
        case stopped
        /// The stream is stuck or broken, which a restart may fix.
        case broken(CaptureError)
        /// The source changed; renegotiate the format.
        case sourceChanged(CaptureError)
        /// The camera is lost, busy or refuses to work.
        case failed(CaptureError)
    }

    /// The next action.
    enum Action {
        /// Stop.
        case end
        /// Stop with an error.
        case fail(CaptureError)
        /// Restart the stream.
        case restart
        /// Close the camera, and reopen it after a pause, which a change of device nodes ends early.
        case reopen(after: Duration, why: CaptureError)
    }

    /// The number of attempts before a camera that never delivered a frame counts as failed.
    static let firstAttempts = 3
    /// The longest pause while the camera is absent: a node that appeared unnoticed is found by polling.
    static let longestAbsence = Duration.seconds(1)
    /// The longest pause between attempts on a present camera.
    static let longestPause = Duration.seconds(8)

    private var hasDelivered = false
    private var attempts = 0

    /// Decides the next action after what happened, and how many frames were delivered since the last decision.
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

    /// No pause for the first two attempts, then a quarter of a second, doubling each time.
    private func pause(_ longest: Duration) -> Duration {
        guard attempts > 2 else { return .zero }
        return min(longest, .milliseconds(250) * (1 << min(attempts - 3, 10)))
    }
}

import Capture
import Synchronization

/// Firings of a camera's triggers until their shots are taken, up to a limit.
///
/// Whoever sends a trigger's messages, such as a broker, may send any number; each firing begins a shot with a folder
/// of its own before the session refuses what it cannot take.
final class FiringQueue: Sendable {
    /// One firing.
    struct Firing: Sendable {
        /// The profile to which the trigger belongs.
        let profile: CaptureProfile
        /// The trigger and the time.
        let event: TriggerEvent
    }

    /// As many as a session may take at once, at most.
    static let maximumCount = 64

    /// The accepted firings, in order.
    let firings: AsyncStream<Firing>
    private let sink: AsyncStream<Firing>.Continuation
    private let count = Mutex(0)

    init() {
        (firings, sink) = AsyncStream<Firing>.makeStream()
    }

    /// Accepts a firing; returns why not.
    func offer(_ event: TriggerEvent, of profile: CaptureProfile) -> CaptureError? {
        let isAccepted = count.withLock { count in
            guard count < Self.maximumCount else { return false }
            count += 1
            return true
        }
        guard isAccepted else {
            return CaptureError(.tooManyCaptures, "\(Self.maximumCount) shots wait; the trigger fires too often")
        }
        sink.yield(Firing(profile: profile, event: event))
        return nil
    }

    /// Makes room after an accepted firing's shot was taken, or failed.
    func complete() {
        count.withLock { $0 -= 1 }
    }

    /// Ends ``firings`` after those accepted.
    func finish() {
        sink.finish()
    }
}

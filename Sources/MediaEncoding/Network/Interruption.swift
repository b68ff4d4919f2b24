import Capture
import Synchronization

/// Ends calls of libavformat that wait for the network: when somebody wants it, or when they take too long.
final class Interruption: Sendable {
    private let clock: any CaptureClock
    private let isStopped = Atomic<Bool>(false)
    private let deadline = Atomic<Int64>(.max)

    /// Nothing is to be ended yet.
    init(clock: any CaptureClock) {
        self.clock = clock
    }

    /// Ends the call under way, and all that follow.
    func stop() { isStopped.store(true, ordering: .relaxed) }

    /// Whether ``stop()`` was called.
    var wasStopped: Bool { isStopped.load(ordering: .relaxed) }

    /// Gives what follows so much time.
    func allow(_ duration: Duration) {
        deadline.store(clock.reading().monotonic.advanced(by: duration).nanoseconds, ordering: .relaxed)
    }

    /// Whether the call under way must end; asked by libavformat every tenth of a second.
    var isDue: Bool {
        wasStopped || clock.reading().monotonic.nanoseconds > deadline.load(ordering: .relaxed)
    }
}

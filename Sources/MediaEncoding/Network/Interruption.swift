import Capture
import Synchronization

/// Interrupts libavformat calls that wait for the network: on request, or when they take too long.
final class Interruption: Sendable {
    private let clock: any CaptureClock
    private let isStopped = Atomic<Bool>(false)
    private let deadline = Atomic<Int64>(.max)

    /// Nothing is interrupted yet.
    init(clock: any CaptureClock) {
        self.clock = clock
    }

    /// Interrupts the current call and all following ones.
    func stop() { isStopped.store(true, ordering: .relaxed) }

    /// Whether ``stop()`` was called.
    var wasStopped: Bool { isStopped.load(ordering: .relaxed) }

    /// Sets the time limit of the following calls.
    func allow(_ duration: Duration) {
        deadline.store(clock.reading().monotonic.advanced(by: duration).nanoseconds, ordering: .relaxed)
    }

    /// Whether the current call must end; polled by libavformat every tenth of a second.
    var isDue: Bool {
        wasStopped || clock.reading().monotonic.nanoseconds > deadline.load(ordering: .relaxed)
    }
}

import Synchronization

/// A clock on which waiting takes no time.
struct InstantClock: Clock {
    typealias Instant = ContinuousClock.Instant
    var now: Instant { ContinuousClock.now }
    var minimumResolution: Duration { .zero }
    func sleep(until deadline: Instant, tolerance: Duration?) async throws { try Task.checkCancellation() }
}

/// A clock on which time goes by only while somebody waits.
final class SteppingClock: Clock {
    typealias Instant = ContinuousClock.Instant
    private let time = Mutex(ContinuousClock.now)
    var now: Instant { time.withLock(\.self) }
    var minimumResolution: Duration { .zero }
    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        try Task.checkCancellation()
        time.withLock { $0 = max($0, deadline) }
    }
}

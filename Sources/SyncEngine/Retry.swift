/// The number of consecutive failures, and when the next try is due.
struct Retry: Hashable, Sendable {
    /// Failures since the last success.
    private(set) var failures = 0
    /// The earliest time of the next try.
    private(set) var due = Duration.zero

    /// Whether it may be tried now.
    func isDue(at now: Duration) -> Bool { due <= now }

    /// Counts a failure and waits longer after each; the wait that the library asks for takes precedence.
    ///
    /// Concurrent requests over a shared link fail together: that counts once, and never shortens the wait.
    mutating func fail(after wait: Duration? = nil, isShared: Bool = false, now: Duration, _ backoff: inout Backoff) {
        let isPending = isShared && due > now
        if !isPending { failures += 1 }
        let next = now + max(backoff.minimum, wait ?? backoff.wait(after: failures))
        due = isPending ? max(due, next) : next
    }

    /// Forgets the failures, but keeps the wait.
    mutating func succeed() { failures = 0 }

    /// Delays the next try until a time.
    mutating func postpone(until time: Duration) { due = max(due, time) }

    /// Brings the next try forward.
    mutating func hasten(to now: Duration) { due = min(due, now) }
}

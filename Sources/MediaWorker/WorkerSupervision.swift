/// When a worker may be started after others died: at once after a success, else after 0.1 s, doubling up to 30 s.
struct WorkerSupervision: Hashable, Sendable {
    static let firstDelay = Duration.milliseconds(100)
    static let longestDelay = Duration.seconds(30)

    /// Deaths since the last success.
    private(set) var deaths = 0
    private var earliestStart = Duration.zero

    /// Records that a worker died, or could not be started.
    mutating func workerDied(at now: Duration) {
        // The first death costs nothing: one bad file among many good ones is normal.
        if deaths > 0 {
            let doublings = min(deaths - 1, 16)
            let delay = min(Self.firstDelay * (1 << doublings), Self.longestDelay)
            earliestStart = now + delay
        }
        deaths += 1
    }

    /// Records a success.
    mutating func workerSucceeded() {
        deaths = 0
        earliestStart = .zero
    }

    /// The delay before the next start; nil for none.
    func delay(at now: Duration) -> Duration? {
        earliestStart > now ? earliestStart - now : nil
    }
}

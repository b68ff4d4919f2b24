/// How long to wait before each attempt to reach a camera again: twice as long each time, up to half a minute.
struct ReconnectionDelays {
    /// Before the first attempt.
    static let first = Duration.milliseconds(500)
    /// The longest.
    static let longest = Duration.seconds(30)
    /// After so many failures in a row the camera counts as lost: three and a half minutes.
    static let attemptCount = 12

    private var failureCount = 0

    /// The wait before the next attempt; nil when there have been enough.
    mutating func next() -> Duration? {
        guard failureCount < Self.attemptCount else { return nil }
        defer { failureCount += 1 }
        return min(Self.longest, Self.first * (1 << failureCount))
    }

    /// Frames came.
    mutating func reset() { failureCount = 0 }
}

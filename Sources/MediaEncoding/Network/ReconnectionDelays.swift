/// The delay before each attempt to reconnect to a camera: doubling, up to half a minute.
struct ReconnectionDelays {
    /// The delay before the first attempt.
    static let first = Duration.milliseconds(500)
    /// The longest delay.
    static let longest = Duration.seconds(30)
    /// After this many failures in a row the camera counts as lost: three and a half minutes.
    static let attemptCount = 12

    private var failureCount = 0

    /// The delay before the next attempt; nil after too many failures.
    mutating func next() -> Duration? {
        guard failureCount < Self.attemptCount else { return nil }
        defer { failureCount += 1 }
        return min(Self.longest, Self.first * (1 << failureCount))
    }

    /// Resets the delays once frames arrive.
    mutating func reset() { failureCount = 0 }
}

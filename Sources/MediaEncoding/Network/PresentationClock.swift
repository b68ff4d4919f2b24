import Capture

/// Maps a stream's presentation times to this machine's monotonic clock.
///
/// A camera's own times have no jitter, but an arbitrary zero and their own pace: they are anchored to the moment of
/// arrival once, and again after drifting apart. A frame cannot arrive before it was captured, so the anchor moves to
/// the smallest delay seen.
struct PresentationClock {
    /// How far a frame may be from its arrival before the clocks are re-anchored.
    static let tolerance = Duration.milliseconds(500)
    /// The minimum distance between frames.
    static let shortestInterval = Duration.milliseconds(1)

    private var offset: Duration?
    private var last: MonotonicTime?

    /// The time of the next frame.
    ///
    /// - Parameters:
    ///   - presentation: the stream's time, from an arbitrary zero; nil if it has none that can be trusted.
    ///   - arrival: when the frame arrived.
    /// - Returns: a time later than the previous frame's.
    mutating func time(of presentation: Duration?, arrivedAt arrival: MonotonicTime) -> MonotonicTime {
        var time = arrival
        if let presentation {
            let delay = Duration.nanoseconds(arrival.nanoseconds) - presentation
            if let known = offset, delay >= known, delay - known <= Self.tolerance {
                time = MonotonicTime(nanoseconds: 0).advanced(by: presentation + known)
            } else {
                offset = delay
            }
        }
        if let last { time = max(time, last.advanced(by: Self.shortestInterval)) }
        last = time
        return time
    }
}

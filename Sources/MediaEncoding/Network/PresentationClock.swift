import Capture

/// Turns the times that a stream tells of its frames into times of this machine's monotonic clock.
///
/// A camera's own times have no jitter, but run from anywhere and at its own pace: they are joined to the moment of
/// arrival once, and again when they have drifted apart. A frame that comes after too short a delay was not earlier than
/// one that took longer: so the anchor moves to the least delay seen.
struct PresentationClock {
    /// How far a frame may be from its arrival before the two clocks are joined anew.
    static let tolerance = Duration.milliseconds(500)
    /// Frames are at least so far apart.
    static let shortestInterval = Duration.milliseconds(1)

    private var offset: Duration?
    private var last: MonotonicTime?

    /// The time of the next frame.
    ///
    /// - Parameters:
    ///   - presentation: what the stream says, from any zero; nil when it says nothing that can be trusted.
    ///   - arrival: when the frame arrived.
    /// - Returns: a time that is later than that of the frame before.
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

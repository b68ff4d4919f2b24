/// Decides when a camera's automatic exposure has settled: a fixed number of frames is either too small or wastes time.
///
/// Settled means that the brightness stayed within 2 % of its range over 5 frames; 2 seconds are enough in any case.
package struct WarmUp: Hashable, Sendable {
    /// How many frames must agree.
    package static let stableFrameCount = 5
    /// The maximum brightness difference among them, on a scale of 0 to 1.
    package static let tolerance = 0.02
    /// The longest wait.
    package static let limit = Duration.seconds(2)

    private var recent: [Double] = []
    private var start: MonotonicTime?
    /// Whether frames are usable.
    package private(set) var isSettled: Bool

    /// A camera just started, or one with constant exposure.
    package init(isSettled: Bool = false) {
        self.isSettled = isSettled
    }

    /// Examines a frame's mean brightness, 0 to 1, and returns whether frames from this one on are usable; if the
    /// brightness is unknown, only the limit ends the warm-up.
    package mutating func observe(luma: Double?, at time: MonotonicTime) -> Bool {
        if isSettled { return true }
        let start = start ?? time
        self.start = start
        if let luma {
            recent.append(luma)
            if recent.count > Self.stableFrameCount { recent.removeFirst() }
            if recent.count == Self.stableFrameCount, let low = recent.min(), let high = recent.max() {
                isSettled = high - low <= Self.tolerance
            }
        }
        if time.duration(since: start) >= Self.limit { isSettled = true }
        return isSettled
    }
}

/// Decides when a camera's automatic exposure has settled: a count of frames is either too small or wasted time.
///
/// Settled means that the brightness stayed within 2 % of its range over 5 frames; 2 seconds are enough in any case.
package struct WarmUp: Hashable, Sendable {
    /// How many frames must agree.
    package static let stableFrameCount = 5
    /// How far apart the brightest and the darkest of them may be, from 0 to 1.
    package static let tolerance = 0.02
    /// The longest wait.
    package static let limit = Duration.seconds(2)

    private var recent: [Double] = []
    private var start: MonotonicTime?
    /// Whether frames can be used.
    package private(set) var isSettled: Bool

    /// A camera that was just started, or one whose exposure does not change.
    package init(isSettled: Bool = false) {
        self.isSettled = isSettled
    }

    /// Looks at a frame.
    ///
    /// - Parameters:
    ///   - luma: its mean brightness from 0 to 1; nil when it cannot be told, which only the limit can end.
    ///   - time: its timestamp.
    /// - Returns: whether frames from this one on can be used.
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

/// Chooses the frame nearest to the requested moment, as early as it is certain.
///
/// Frames come one interval apart. The next frame cannot beat one at most half an interval before the moment, so there
/// is no need to wait for it.
struct StillSelector {
    let target: MonotonicTime
    let interval: Duration
    private(set) var before: Frame?

    /// Examines the next frame in order of time, the newest if no later one has arrived yet, and returns the chosen
    /// one; nil if a later one may be nearer.
    mutating func offer(_ frame: Frame, isNewest: Bool) -> Frame? {
        let distance = frame.timestamp.duration(since: target)
        if distance >= .zero {
            guard let before else { return frame }
            return target.duration(since: before.timestamp) <= distance ? before : frame
        }
        before = frame
        return isNewest && .zero - distance <= interval / 2 ? frame : nil
    }

    /// The best frame if no more come; nil if there was none near the moment.
    var fallback: Frame? {
        guard let before, target.duration(since: before.timestamp) <= interval * 2 else { return nil }
        return before
    }
}

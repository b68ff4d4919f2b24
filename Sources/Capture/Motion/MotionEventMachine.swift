/// Turns sightings into events: when one begins, which of its frames is best, when it ends.
struct MotionEventMachine {
    private enum State {
        case quiet
        /// Motion in this many pictures in a row, not enough yet.
        case suspected(count: Int, best: MotionSighting, first: MotionSighting)
        case active(Active)
    }

    private struct Active {
        let first: MotionSighting
        /// The sharpest so far; nil once reported.
        var best: MotionSighting?
        var lastMotion: MonotonicTime
        var largestShare: Double

        var summary: MotionSummary {
            MotionSummary(start: first.time, end: lastMotion, largestShare: largestShare)
        }
    }

    private let settings: MotionSettings
    private var state = State.quiet

    /// Starts idle.
    init(_ settings: MotionSettings) {
        self.settings = settings
    }

    /// Handles one picture's sighting; nil for none.
    mutating func handle(_ sighting: MotionSighting?, at time: MonotonicTime) -> [MotionEvent] {
        switch state {
        case .quiet: return suspect(sighting, count: 0, best: nil, first: nil)
        case .suspected(let count, let best, let first):
            return suspect(sighting, count: count, best: best, first: first)
        case .active(let active): return follow(active, sighting, time)
        }
    }

    /// Ends the current event, since the following pictures are unrelated.
    mutating func interrupt() -> [MotionEvent] {
        defer { state = .quiet }
        guard case .active(let active) = state else { return [] }
        return (active.best.map { [.chosen($0)] } ?? []) + [.ended(active.summary)]
    }

    private mutating func suspect(
        _ sighting: MotionSighting?,
        count: Int,
        best: MotionSighting?,
        first: MotionSighting?
    ) -> [MotionEvent] {
        guard let sighting, sighting.share >= settings.beginningArea else {
            state = .quiet
            return []
        }
        let first = first ?? sighting
        let best = best.map { $0.sharpness >= sighting.sharpness ? $0 : sighting } ?? sighting
        guard count + 1 >= settings.minimumPictureCount else {
            state = .suspected(count: count + 1, best: best, first: first)
            return []
        }
        let active = Active(
            first: first,
            best: best,
            lastMotion: sighting.time,
            largestShare: max(first.share, best.share, sighting.share)
        )
        return [.began(first)] + choose(active, sighting.time)
    }

    private mutating func follow(
        _ active: Active,
        _ sighting: MotionSighting?,
        _ time: MonotonicTime
    ) -> [MotionEvent] {
        var active = active
        if let sighting, sighting.share >= settings.endingArea {
            active.lastMotion = time
            active.largestShare = max(active.largestShare, sighting.share)
            if let best = active.best, sighting.sharpness > best.sharpness { active.best = sighting }
        }
        let events = choose(active, time)
        let isOver =
            time.duration(since: active.lastMotion) >= settings.quiet
            || time.duration(since: active.first.time) >= settings.longestEvent
        return isOver ? events + interrupt() : events
    }

    /// Reports the best frame once the time to choose is over.
    private mutating func choose(_ active: Active, _ time: MonotonicTime) -> [MotionEvent] {
        var active = active
        defer { state = .active(active) }
        guard let best = active.best, time.duration(since: active.first.time) >= settings.choice else { return [] }
        active.best = nil
        return [.chosen(best)]
    }
}

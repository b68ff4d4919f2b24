package import PhotoModel

/// A schedule for a box that sleeps between shots: which moment is due when it wakes, and when the next one is.
///
/// Moments are absolute, by the wall clock, so errors never accumulate. A missed moment is skipped, not made up for.
package struct WakeSchedule: Hashable, Sendable {
    /// A moment to capture.
    package struct Moment: Hashable, Sendable {
        /// The schedule it belongs to.
        package let trigger: Trigger
        /// When it is due.
        package let time: WallTime
        /// How many moments were missed since the last captured one.
        package let skippedCount: Int64
    }

    /// How far from its time a moment is captured.
    package struct Tolerance: Hashable, Sendable {
        /// The box waits for a moment this far ahead.
        package var lead: Duration
        /// A moment missed by more is skipped.
        package var late: Duration

        package init(lead: Duration, late: Duration) {
            self.lead = lead
            self.late = late
        }
    }

    /// A last moment further back was recorded by a wrong clock, and says nothing about missed ones.
    private static let longestGap = Duration.seconds(366 * 86_400)
    /// Missed times of day are counted up to this many.
    private static let mostCounted = 1000

    private let intervalMicroseconds: Int64?
    private let calendar: CalendarSchedule?

    /// Combines an interval, whose moments are its multiples by the wall clock, and times of day; nil without either.
    package init?(interval: Duration?, calendar: CalendarSchedule?) {
        guard interval != nil || calendar != nil else { return nil }
        intervalMicroseconds = interval.map { max(1, $0.wholeNanoseconds / 1000) }
        self.calendar = calendar
    }

    /// The moment to capture now: the latest that is not missed, else the first within the lead; nil if none is due.
    ///
    /// It is returned again until passed as `captured`, the moment captured last. The local UTC offset at an instant is
    /// in seconds.
    package func due(
        at now: WallTime,
        captured: WallTime?,
        _ tolerance: Tolerance,
        utcOffset: (WallTime) -> Int
    ) -> Moment? {
        let start = Self.start(now, captured, tolerance)
        guard let first = next(after: start, utcOffset: utcOffset) else { return nil }
        guard first <= now else {
            guard first <= now.advanced(by: tolerance.lead) else { return nil }
            return moment(first, since: captured, now, utcOffset)
        }
        let slot = intervalMicroseconds.map { Self.slot(of: now, $0) }
        let time = calendarMoments(after: start, through: now, utcOffset).last
        return [slot, time].compactMap(\.self).filter { $0 > start }.max().map {
            moment($0, since: captured, now, utcOffset)
        }
    }

    /// The first moment within a week that is not yet captured and still ahead; UTC offsets are in seconds.
    package func upcoming(at now: WallTime, captured: WallTime?, utcOffset: (WallTime) -> Int) -> WallTime? {
        let none = Tolerance(lead: .zero, late: .zero)
        return next(after: Self.start(now, captured, none), utcOffset: utcOffset)
    }

    /// The time after which moments count.
    ///
    /// A clock set back slightly must not repeat a moment; if it is set back far, it was wrong before.
    private static func start(_ now: WallTime, _ captured: WallTime?, _ tolerance: Tolerance) -> WallTime {
        let earliest = now.advanced(by: .zero - tolerance.late)
        guard let captured, captured.duration(since: now) <= CalendarTrigger.largestCorrection else { return earliest }
        return max(captured, earliest)
    }

    private func next(after time: WallTime, utcOffset: (WallTime) -> Int) -> WallTime? {
        let slot = intervalMicroseconds.map { length in
            Self.slot(of: time, length).advanced(by: .microseconds(length))
        }
        return [slot, calendar?.next(after: time, utcOffset: utcOffset)].compactMap(\.self).min()
    }

    /// The latest multiple of the interval that is not after a time.
    private static func slot(of time: WallTime, _ length: Int64) -> WallTime {
        let elapsed = time.microsecondsSince1970
        let remainder = elapsed % length
        return WallTime(microsecondsSince1970: elapsed - (remainder < 0 ? remainder + length : remainder))
    }

    private func calendarMoments(
        after start: WallTime,
        through end: WallTime,
        _ utcOffset: (WallTime) -> Int
    ) -> [WallTime] {
        var moments: [WallTime] = []
        var last = start
        while moments.count < Self.mostCounted, let next = calendar?.next(after: last, utcOffset: utcOffset),
            next <= end
        {
            moments.append(next)
            last = next
        }
        return moments
    }

    private func moment(
        _ time: WallTime,
        since captured: WallTime?,
        _ now: WallTime,
        _ utcOffset: (WallTime) -> Int
    ) -> Moment {
        let isSlot = intervalMicroseconds.map { Self.slot(of: time, $0) == time } ?? false
        var skipped: Int64 = 0
        if let captured, captured < time, time.duration(since: captured) <= Self.longestGap {
            let before = time.advanced(by: .microseconds(-1))
            skipped = Int64(calendarMoments(after: captured, through: before, utcOffset).count)
            if let length = intervalMicroseconds {
                let slots = Self.slot(of: before, length).duration(since: Self.slot(of: captured, length))
                skipped += slots.wholeNanoseconds / 1000 / length
            }
        }
        return Moment(trigger: Trigger(isSlot ? .interval : .calendar), time: time, skippedCount: skipped)
    }
}

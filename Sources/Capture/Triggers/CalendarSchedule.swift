package import PhotoModel

/// Shots at times of the day, on some days of the week, by the clock on the wall.
package struct CalendarSchedule: Hashable, Sendable {
    /// A time of the day.
    package struct TimeOfDay: Hashable, Comparable, Sendable {
        /// Seconds since midnight, 0 to 86,399.
        package let secondsSinceMidnight: Int

        /// Takes hour, minute and second; nil when one is out of its range.
        package init?(hour: Int, minute: Int, second: Int = 0) {
            guard 0...23 ~= hour, 0...59 ~= minute, 0...59 ~= second else { return nil }
            secondsSinceMidnight = hour * 3600 + minute * 60 + second
        }

        /// Orders by time.
        package static func < (left: TimeOfDay, right: TimeOfDay) -> Bool {
            left.secondsSinceMidnight < right.secondsSinceMidnight
        }
    }

    /// When in the day, in order.
    package let times: [TimeOfDay]
    /// On which days, 1 for Monday to 7 for Sunday (ISO 8601).
    package let weekdays: Set<Int>

    /// A schedule; nil without a time or a day, or with a day that is none.
    package init?(times: [TimeOfDay], weekdays: Set<Int> = Set(1...7)) {
        guard !times.isEmpty, !weekdays.isEmpty, weekdays.allSatisfy({ 1...7 ~= $0 }) else { return nil }
        self.times = times.sorted()
        self.weekdays = weekdays
    }

    /// The first time after `now`.
    ///
    /// - Parameters:
    ///   - now: the time.
    ///   - utcOffsetSeconds: the offset of the clock on the wall; ask again when it changes.
    /// - Returns: a time within the next seven days.
    package func next(after now: WallTime, utcOffsetSeconds: Int) -> WallTime {
        let dayMicroseconds: Int64 = 86_400_000_000
        let offset = Int64(utcOffsetSeconds) * 1_000_000
        let local = now.advanced(by: .microseconds(offset)).microsecondsSince1970
        let today = (local >= 0 ? local : local - dayMicroseconds + 1) / dayMicroseconds
        for day in today...today + 7 where weekdays.contains(Self.weekday(ofDay: day)) {
            for time in times {
                let candidate = day * dayMicroseconds + Int64(time.secondsSinceMidnight) * 1_000_000
                if candidate > local { return WallTime(microsecondsSince1970: candidate - offset) }
            }
        }
        preconditionFailure("eight days hold every weekday, the last of them whole")
    }

    /// 1970-01-01, day 0, was a Thursday.
    private static func weekday(ofDay day: Int64) -> Int {
        let index = (day + 3) % 7
        return Int(index < 0 ? index + 7 : index) + 1
    }
}

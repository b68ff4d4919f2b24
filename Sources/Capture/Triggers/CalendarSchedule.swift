package import PhotoModel

/// Shots at local times of day, on some days of the week.
package struct CalendarSchedule: Hashable, Sendable {
    /// A time of the day.
    package struct TimeOfDay: Hashable, Sendable {
        /// Seconds since midnight, 0 to 86,399.
        package let secondsSinceMidnight: Int

        /// Takes hour, minute and second; nil if one is out of range.
        package init?(hour: Int, minute: Int, second: Int = 0) {
            guard 0...23 ~= hour, 0...59 ~= minute, 0...59 ~= second else { return nil }
            secondsSinceMidnight = hour * 3600 + minute * 60 + second
        }
    }

    /// A moment of each day.
    package enum Moment: Hashable, Sendable {
        /// A clock time.
        case time(TimeOfDay)
        /// Relative to sunrise; negative before.
        case sunrise(offset: Duration)
        /// Relative to sunset; negative before.
        case sunset(offset: Duration)

        /// Whether it requires a location.
        package var isSolar: Bool { if case .time = self { false } else { true } }
    }

    /// The times of day.
    package let moments: [Moment]
    /// The days of the week, 1 for Monday to 7 for Sunday (ISO 8601).
    package let weekdays: Set<Int>
    /// The location for sunrise and sunset.
    package let location: Location?

    /// A schedule; nil without a moment or a day, with an invalid day, or with solar moments but no location.
    package init?(moments: [Moment], weekdays: Set<Int> = Set(1...7), location: Location? = nil) {
        guard !moments.isEmpty, !weekdays.isEmpty, weekdays.allSatisfy({ 1...7 ~= $0 }),
            location != nil || !moments.contains(where: \.isSolar)
        else { return nil }
        self.moments = moments
        self.weekdays = weekdays
        self.location = location
    }

    /// The first moment after `now`, within the next seven days; nil if the sun neither rises nor sets in them.
    ///
    /// Each moment happens once per local day: a clock time repeated when daylight saving ends counts the first time;
    /// one skipped when it begins is delayed by as much as the clocks skip. The local UTC offset at an instant is in
    /// seconds.
    package func next(after now: WallTime, utcOffset: (WallTime) -> Int) -> WallTime? {
        let dayMicroseconds: Int64 = 86_400_000_000
        let local = now.advanced(by: .seconds(utcOffset(now))).microsecondsSince1970
        let today = (local >= 0 ? local : local - dayMicroseconds + 1) / dayMicroseconds
        // A sunrise shifted by hours may belong to the day before; if local time is far from solar time, to the one
        // before that.
        for day in today - 2...today + 8 where weekdays.contains(Self.weekday(ofDay: day)) {
            let times = moments.compactMap { time(of: $0, onDay: day, utcOffset) }
            if let next = times.filter({ $0 > now }).min() { return next }
        }
        return nil
    }

    private func time(of moment: Moment, onDay day: Int64, _ utcOffset: (WallTime) -> Int) -> WallTime? {
        switch moment {
        case .time(let time): Self.instant(day * 86_400 + Int64(time.secondsSinceMidnight), utcOffset)
        case .sunrise(let offset): sun(day, utcOffset)?.sunrise.advanced(by: offset)
        case .sunset(let offset): sun(day, utcOffset)?.sunset.advanced(by: offset)
        }
    }

    private func sun(_ day: Int64, _ utcOffset: (WallTime) -> Int) -> SolarTimes? {
        let noon = Self.instant(day * 86_400 + 43_200, utcOffset)
        return location.flatMap { SolarTimes(day: day, at: $0, utcOffsetSeconds: utcOffset(noon)) }
    }

    /// The instant at which local clocks first show a time, given in seconds since 1970 as if the clocks were UTC's.
    private static func instant(_ localSeconds: Int64, _ utcOffset: (WallTime) -> Int) -> WallTime {
        func instant(_ offset: Int) -> WallTime {
            WallTime(microsecondsSince1970: (localSeconds - Int64(offset)) * 1_000_000)
        }
        let utc = instant(0)
        // Before and after any change of the offset that could concern this time.
        let (before, after) = (
            utcOffset(utc.advanced(by: .seconds(-86_400))), utcOffset(utc.advanced(by: .seconds(86_400)))
        )
        let (first, second) = (instant(before), instant(after))
        if utcOffset(first) == before { return first }
        // Neither is right for a time that clocks skip: use the old offset.
        return utcOffset(second) == after ? second : first
    }

    /// 1970-01-01, day 0, was a Thursday.
    private static func weekday(ofDay day: Int64) -> Int {
        let index = (day + 3) % 7
        return Int(index < 0 ? index + 7 : index) + 1
    }
}

extension CalendarSchedule.Moment {
    /// Parses `06:30`, `06:30:15`, `sunrise`, `sunset-00:30` or `sunrise+01:15`; nil for anything else.
    package init?(_ text: String) {
        for (name, make) in [
            ("sunrise", Self.sunrise(offset:)), ("sunset", Self.sunset(offset:)),
        ] where text.hasPrefix(name) {
            let rest = text.dropFirst(name.count)
            if rest.isEmpty {
                self = make(.zero)
                return
            }
            guard let sign = rest.first, "+-".contains(sign), let time = Self.time(rest.dropFirst()) else { return nil }
            self = make(.seconds(sign == "-" ? -time.secondsSinceMidnight : time.secondsSinceMidnight))
            return
        }
        guard let time = Self.time(text[...]) else { return nil }
        self = .time(time)
    }

    private static func time(_ text: Substring) -> CalendarSchedule.TimeOfDay? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        let numbers = parts.compactMap { $0.count == 2 && $0.allSatisfy(\.isWholeNumber) ? Int($0) : nil }
        guard 2...3 ~= parts.count, numbers.count == parts.count else { return nil }
        return CalendarSchedule.TimeOfDay(
            hour: numbers[0],
            minute: numbers[1],
            second: numbers.count > 2 ? numbers[2] : 0
        )
    }
}

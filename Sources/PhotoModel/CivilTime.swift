/// A date and time of day as shown by a calendar and a clock, with the UTC offset if known.
///
/// The calendar is the proleptic Gregorian one. It replaces Foundation's because values import none, and because EXIF,
/// QuickTime and the wire need exactly these numbers and no locale; the algorithms are Howard Hinnant's
/// `days_from_civil` and `civil_from_days`.
public struct CivilTime: Hashable, Sendable {
    /// The years that have four digits.
    public static let years = 0...9999

    /// Year, 0 to 9999.
    public let year: Int
    /// Month, 1 to 12.
    public let month: Int
    /// Day of the month, 1 to 31.
    public let day: Int
    /// Hour, 0 to 23.
    public let hour: Int
    /// Minute, 0 to 59.
    public let minute: Int
    /// Second, 0 to 59; a leap second is read as 59.
    public let second: Int
    /// Microseconds within the second.
    public let microsecond: Int
    /// Seconds east of UTC, at most 18 hours either way; nil if unknown.
    public let utcOffsetSeconds: Int?

    /// Takes the parts; nil if one is out of range or the day does not exist in the month.
    public init?(
        year: Int,
        month: Int,
        day: Int,
        hour: Int = 0,
        minute: Int = 0,
        second: Int = 0,
        microsecond: Int = 0,
        utcOffsetSeconds: Int? = nil
    ) {
        guard Self.years ~= year, 1...12 ~= month, 1...Self.days(ofMonth: month, year: year) ~= day,
            0...23 ~= hour, 0...59 ~= minute, 0...60 ~= second, 0...999_999 ~= microsecond,
            LocalTime.offsets ~= utcOffsetSeconds ?? 0
        else { return nil }
        self.year = year
        self.month = month
        self.day = day
        self.hour = hour
        self.minute = minute
        self.second = min(second, 59)
        self.microsecond = microsecond
        self.utcOffsetSeconds = utcOffsetSeconds
    }

    /// The reading of a clock with this offset at an instant; years are clamped to 0...9999.
    public init(_ time: WallTime, utcOffsetSeconds: Int) {
        let local = LocalTime(time, utcOffsetSeconds: utcOffsetSeconds)
        let (days, rest) = Self.floorDivision(local.microsecondsSince1970, 86_400_000_000)
        let date = Self.date(daysSince1970: Int(days))
        year = date.year
        month = date.month
        day = date.day
        hour = Int(rest / 3_600_000_000)
        minute = Int(rest / 60_000_000 % 60)
        second = Int(rest / 1_000_000 % 60)
        microsecond = Int(rest % 1_000_000)
        self.utcOffsetSeconds = utcOffsetSeconds.clamped(to: LocalTime.offsets)
    }

    /// The instant, if the offset is known.
    public var instant: WallTime? {
        utcOffsetSeconds.map { instant(assumingUTCOffsetSeconds: $0) }
    }

    /// The instant of this reading on a clock with the given offset, whatever the value's own offset.
    ///
    /// Offsets are clamped to 18 hours either way.
    public func instant(assumingUTCOffsetSeconds offset: Int) -> WallTime {
        let days = Int64(Self.daysSince1970(year: year, month: month, day: day))
        let shift = Int64(offset.clamped(to: LocalTime.offsets))
        let seconds = days * 86_400 + Int64(hour * 3600 + minute * 60 + second) - shift
        return WallTime(microsecondsSince1970: seconds * 1_000_000 + Int64(microsecond))
    }
}

extension CivilTime {
    /// Floor division, with a remainder that is never negative.
    static func floorDivision(_ value: Int64, _ divisor: Int64) -> (quotient: Int64, remainder: Int64) {
        let (quotient, remainder) = value.quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }

    private static func days(ofMonth month: Int, year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// Days from 1970-01-01, counting years from March so that the leap day comes last.
    private static func daysSince1970(year: Int, month: Int, day: Int) -> Int {
        let shifted = month <= 2 ? year - 1 : year
        let era = (shifted >= 0 ? shifted : shifted - 399) / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }

    private static func date(daysSince1970: Int) -> (year: Int, month: Int, day: Int) {
        let shifted = daysSince1970 + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth + (shiftedMonth < 10 ? 3 : -9)
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        return (year, month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
    }
}

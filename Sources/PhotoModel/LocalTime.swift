/// A date and time as the clock on the wall shows it, wherever that wall is: what months, days and hours of captures are.
///
/// It is not an instant: at one instant it is Sunday evening in one place and Monday in another.
public struct LocalTime: Hashable, Comparable, Sendable {
    /// Microseconds from 1970-01-01T00:00:00 on the same clock, within ``WallTime/range``; negative before.
    public let microsecondsSince1970: Int64

    /// The reading this many microseconds after 1970-01-01T00:00:00, clamped to the years 0 to 9999.
    public init(microsecondsSince1970: Int64) {
        self.microsecondsSince1970 = microsecondsSince1970.clamped(to: WallTime.range)
    }

    /// What a clock with this offset, at most 18 hours either way, shows at an instant.
    public init(_ time: WallTime, utcOffsetSeconds: Int) {
        let offset = Int64(utcOffsetSeconds.clamped(to: Self.offsets)) * 1_000_000
        self.init(microsecondsSince1970: time.microsecondsSince1970 + offset)
    }

    /// The instant at which a clock with this offset shows it.
    public func instant(utcOffsetSeconds: Int) -> WallTime {
        let offset = Int64(utcOffsetSeconds.clamped(to: Self.offsets)) * 1_000_000
        return WallTime(microsecondsSince1970: microsecondsSince1970 - offset)
    }

    /// Offsets to UTC that a clock may have, in seconds.
    public static let offsets = -64_800...64_800

    /// Orders by local time.
    public static func < (left: LocalTime, right: LocalTime) -> Bool {
        left.microsecondsSince1970 < right.microsecondsSince1970
    }
}

extension LocalTime: CustomStringConvertible, LosslessStringConvertible {
    /// ISO 8601 without an offset, for example `2026-05-31T22:00:00`.
    public var description: String {
        // UTC is written as one letter at the end.
        String(WallTime(microsecondsSince1970: microsecondsSince1970).description.dropLast())
    }

    /// Reads ISO 8601 without an offset, or a day, which means its first instant.
    public init?(_ description: String) {
        let dayLength = 10
        let text = description.utf8.count == dayLength ? description + "T00:00:00" : description
        guard let civil = CivilTime(text), civil.utcOffsetSeconds == nil else { return nil }
        self.init(microsecondsSince1970: civil.instant(assumingUTCOffsetSeconds: 0).microsecondsSince1970)
    }
}

extension LocalTime: Codable {
    /// Reads ISO 8601 from one string.
    public init(from decoder: any Decoder) throws {
        self = try decoder.value(fromText: "a day or an ISO 8601 time without an offset") { LocalTime($0) }
    }

    /// Writes ISO 8601 without an offset as one string.
    public func encode(to encoder: any Encoder) throws {
        try description.encode(to: encoder)
    }
}

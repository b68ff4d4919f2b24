/// An instant on a wall clock: microseconds since 1970-01-01T00:00:00Z, without leap seconds.
///
/// It lies in the years 0000 to 9999, all that ISO 8601 writes with four digits: values from devices, files and
/// databases are clamped on creation, so that arithmetic on times cannot overflow. Captures carry it as evidence; it
/// never orders merges.
public struct WallTime: Hashable, Comparable, Sendable {
    /// Microseconds since 1970-01-01T00:00:00Z, within ``range``; negative before.
    public let microsecondsSince1970: Int64

    /// 0000-01-01T00:00:00Z to the last microsecond of 9999, in microseconds since 1970-01-01T00:00:00Z.
    public static let range: ClosedRange<Int64> = -62_167_219_200_000_000...253_402_300_799_999_999
    /// The first possible instant.
    public static let earliest = WallTime(microsecondsSince1970: .min)
    /// The last possible instant.
    public static let latest = WallTime(microsecondsSince1970: .max)

    /// The instant this many microseconds after 1970-01-01T00:00:00Z, clamped to ``range``.
    public init(microsecondsSince1970: Int64) {
        self.microsecondsSince1970 = microsecondsSince1970.clamped(to: Self.range)
    }

    /// The instant this many milliseconds after 1970-01-01T00:00:00Z, clamped to ``range``.
    public init(millisecondsSince1970: Int64) {
        let (product, overflowed) = millisecondsSince1970.multipliedReportingOverflow(by: 1000)
        self.init(microsecondsSince1970: overflowed ? (millisecondsSince1970 < 0 ? .min : .max) : product)
    }

    /// Whole milliseconds since 1970-01-01T00:00:00Z, rounded down.
    public var millisecondsSince1970: Int64 {
        CivilTime.floorDivision(microsecondsSince1970, 1000).quotient
    }

    /// The instant `duration` later, clamped to the range.
    public func advanced(by duration: Duration) -> WallTime {
        let (seconds, attoseconds) = duration.components
        let (whole, overflowed) = seconds.multipliedReportingOverflow(by: 1_000_000)
        let (delta, overflowedToo) = whole.addingReportingOverflow(attoseconds / 1_000_000_000_000)
        let (sum, overflowedAtLast) = microsecondsSince1970.addingReportingOverflow(delta)
        guard !overflowed, !overflowedToo, !overflowedAtLast else {
            return WallTime(microsecondsSince1970: seconds < 0 ? .min : .max)
        }
        return WallTime(microsecondsSince1970: sum)
    }

    /// The time from `earlier` to this instant.
    public func duration(since earlier: WallTime) -> Duration {
        .microseconds(microsecondsSince1970) - .microseconds(earlier.microsecondsSince1970)
    }

    /// Orders by time.
    public static func < (left: WallTime, right: WallTime) -> Bool {
        left.microsecondsSince1970 < right.microsecondsSince1970
    }
}

extension WallTime: CustomStringConvertible, LosslessStringConvertible {
    /// ISO 8601 in UTC with only as many fractional digits as needed, for example `2026-01-02T03:04:05.25Z`.
    public var description: String { CivilTime(self, utcOffsetSeconds: 0).description }

    /// Parses ISO 8601 with `Z` or a numeric offset; nil for anything else.
    public init?(_ description: String) {
        guard let civil = CivilTime(description), let instant = civil.instant else { return nil }
        self = instant
    }
}

extension WallTime: Codable {
    /// Decodes ISO 8601 from a single string.
    public init(from decoder: any Decoder) throws {
        self = try decoder.value(fromText: "an ISO 8601 time with an offset") { WallTime($0) }
    }

    /// Encodes ISO 8601 in UTC as a single string.
    public func encode(to encoder: any Encoder) throws {
        try description.encode(to: encoder)
    }
}

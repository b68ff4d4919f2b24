package import PhotoModel

/// Formats quantities for people.
package enum Wording {
    /// How long ago, or how long until; beyond two months the day on a clock with this offset.
    package static func relative(_ time: WallTime, now: WallTime, utcOffsetSeconds: Int = 0) -> String {
        let span = now.duration(since: time)
        // Future times are rounded: a token for 24 h has 24 h left, not 23, a moment after it was created.
        let isToCome = span < .zero
        let seconds = isToCome ? (span - .milliseconds(999)).components.seconds : span.components.seconds
        func whole(_ unit: Int64) -> Int64 { (seconds - (isToCome ? unit / 2 : 0)) / unit }
        let (count, unit): (Int64, String)
        switch seconds.magnitude {
        case 0..<60: (count, unit) = (seconds, "s")
        case 60..<3600: (count, unit) = (whole(60), "min")
        case 3600..<(48 * 3600): (count, unit) = (whole(3600), "h")
        case (48 * 3600)..<(60 * 86_400): (count, unit) = (whole(86_400), "d")
        default: return date(time, utcOffsetSeconds: utcOffsetSeconds)
        }
        return count == 0 ? "now" : count > 0 ? "\(count) \(unit) ago" : "in \(-count) \(unit)"
    }

    /// A length of time in its two largest units, for example `2 h 5 min`.
    package static func span(_ duration: Duration) -> String {
        let seconds = max(0, duration.components.seconds)
        let units: [(Int64, String)] = [
            (seconds / 86_400, "d"), (seconds / 3600 % 24, "h"), (seconds / 60 % 60, "min"), (seconds % 60, "s"),
        ]
        guard let first = units.firstIndex(where: { $0.0 > 0 }) else { return "0 s" }
        return units[first...].prefix(2).filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }.joined(separator: " ")
    }

    /// As `relative`, for an event that may not have happened.
    package static func relative(_ time: WallTime?, now: WallTime) -> String {
        time.map { relative($0, now: now) } ?? "never"
    }

    /// The day on a clock with this offset.
    package static func date(_ time: WallTime, utcOffsetSeconds: Int = 0) -> String {
        String(CivilTime(time, utcOffsetSeconds: utcOffsetSeconds).description.prefix { $0 != "T" })
    }

    /// Bytes in powers of 1024.
    package static func byteCount(_ count: Int64) -> String {
        guard count >= 0 else { return "-" + byteCount(count == .min ? .max : -count) }
        let units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"]
        var value = Double(count)
        var unit = 0
        while value >= 1024, unit < units.count - 1 {
            value /= 1024
            unit += 1
        }
        let tenths = Int((value * 10).rounded())
        return unit == 0 ? "\(count) B" : "\(tenths / 10).\(tenths % 10) \(units[unit])"
    }

    /// A number and its noun.
    package static func count(_ number: Int, _ noun: String, plural: String? = nil) -> String {
        "\(number) \(number == 1 ? noun : plural ?? noun + "s")"
    }

    /// The start of a fingerprint, long enough to tell keys apart and for commands to find them.
    package static func short(_ fingerprint: ContentDigest) -> String { String(fingerprint.description.prefix(12)) }
}

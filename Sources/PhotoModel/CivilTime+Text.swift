extension CivilTime: CustomStringConvertible, LosslessStringConvertible {
    /// ISO 8601 with only as many fractional digits as needed, then `Z`, `±hh:mm`, or nothing.
    public var description: String {
        "\(year.digits(4))-\(month.digits(2))-\(day.digits(2))"
            + "T\(hour.digits(2)):\(minute.digits(2)):\(second.digits(2))"
            + fractionText + (utcOffsetSeconds.map { $0 == 0 ? "Z" : Self.offsetText(seconds: $0) } ?? "")
    }

    /// Parses `YYYY-MM-DDThh:mm:ss`, with an optional fraction and an optional `Z`, `±hh:mm` or `±hhmm`.
    ///
    /// Digits of the fraction after the sixth are dropped. Anything else returns nil.
    public init?(_ description: String) {
        var reader = DigitReader(description)
        guard let year = reader.number(digits: 4), reader.take("-"), let month = reader.number(digits: 2),
            reader.take("-"), let day = reader.number(digits: 2), reader.take("T") || reader.take(" "),
            let hour = reader.number(digits: 2), reader.take(":"), let minute = reader.number(digits: 2),
            reader.take(":"), let second = reader.number(digits: 2)
        else { return nil }
        var microsecond = 0
        if reader.take(".") {
            guard let fraction = reader.fraction() else { return nil }
            microsecond = fraction
        }
        guard let offset = reader.offset(), reader.isAtEnd else { return nil }
        self.init(
            year: year,
            month: month,
            day: day,
            hour: hour,
            minute: minute,
            second: second,
            microsecond: microsecond,
            utcOffsetSeconds: offset.seconds
        )
    }

    /// `+hh:mm` or `-hh:mm`, as in EXIF's OffsetTime (CIPA DC-008, 4.6.5).
    public static func offsetText(seconds: Int) -> String {
        let minutes = abs(seconds) / 60
        return "\(seconds < 0 ? "-" : "+")\((minutes / 60).digits(2)):\((minutes % 60).digits(2))"
    }

    private var fractionText: String {
        guard microsecond > 0 else { return "" }
        var text = microsecond.digits(6)
        while text.hasSuffix("0") { text.removeLast() }
        return "." + text
    }
}

/// Parses an ISO 8601 text from the left; never reads past its end.
private struct DigitReader {
    private var rest: Substring.UTF8View

    init(_ text: String) {
        rest = Substring(text).utf8
    }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard rest.first == UInt8(ascii: character) else { return false }
        rest = rest.dropFirst()
        return true
    }

    mutating func digit() -> Int? {
        guard let byte = rest.first, UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte else { return nil }
        rest = rest.dropFirst()
        return Int(byte - UInt8(ascii: "0"))
    }

    mutating func number(digits: Int) -> Int? {
        var value = 0
        for _ in 0..<digits {
            guard let digit = digit() else { return nil }
            value = value * 10 + digit
        }
        return value
    }

    /// Microseconds from one or more digits after the point.
    mutating func fraction() -> Int? {
        var value = 0
        var count = 0
        while let digit = digit() {
            if count < 6 { value = value * 10 + digit }
            count += 1
        }
        guard count > 0 else { return nil }
        for _ in min(count, 6)..<6 { value *= 10 }
        return value
    }

    /// The offset: nil if malformed, nil `seconds` if the text ends without one.
    mutating func offset() -> (seconds: Int?, Void)? {
        if isAtEnd { return (nil, ()) }
        if take("Z") { return (0, ()) }
        let sign: Int
        if take("+") { sign = 1 } else if take("-") { sign = -1 } else { return nil }
        guard let hours = number(digits: 2) else { return nil }
        _ = take(":")
        guard let minutes = number(digits: 2), minutes < 60 else { return nil }
        return (sign * (hours * 3600 + minutes * 60), ())
    }
}

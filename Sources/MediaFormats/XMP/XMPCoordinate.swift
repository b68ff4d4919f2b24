import PhotoModel

/// Numbers as XMP's exif schema writes them (ISO 16684-2, GPSCoordinate and Rational).
enum XMPCoordinate {
    /// `DDD,MM,SSk` or `DDD,MM.mmk` with k one of N, S, E, W.
    static func degrees(_ text: String) -> Double? {
        var sign = 1.0
        var rest = Substring(text)
        if let letter = rest.last, letter.isLetter {
            guard "NSEWnsew".contains(letter) else { return nil }
            sign = "SWsw".contains(letter) ? -1 : 1
            rest = rest.dropLast()
        }
        let parts = rest.split(separator: ",", omittingEmptySubsequences: false).map { Double($0) }
        guard 1...3 ~= parts.count else { return nil }
        var degrees = 0.0
        for (part, unit) in zip(parts, [1.0, 60, 3600]) {
            guard let part, part.isFinite else { return nil }
            degrees += part / unit
        }
        return sign * degrees
    }

    /// `a/b` or a decimal number.
    static func quotient(_ text: String) -> Double? {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false).map { Double($0) }
        guard let first = parts.first ?? nil, first.isFinite else { return nil }
        if parts.count == 1 { return first }
        guard parts.count == 2, let second = parts[1], second.isFinite, second != 0 else { return nil }
        return first / second
    }

    /// `DDD,MM.mmmmmmmmk`, to a hundred-millionth of a minute (20 micrometres).
    static func text(degrees: Double, positive: String, negative: String) -> String {
        let total = Int64((min(degrees.magnitude, 360) * 6_000_000_000).rounded())
        let fraction = (total % 100_000_000).digits(8)
        let letter = degrees < 0 ? negative : positive
        return "\(total / 6_000_000_000),\(total / 100_000_000 % 60).\(fraction)\(letter)"
    }
}

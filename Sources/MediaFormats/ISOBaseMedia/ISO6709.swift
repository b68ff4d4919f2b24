package import PhotoModel

/// Locations as movies store them: ISO 6709, annex H, `±DD.DDDD±DDD.DDDD±AAA.AAA/`.
package enum ISO6709 {
    /// Parses degrees, degrees and minutes, or degrees, minutes and seconds; nil for anything else.
    ///
    /// Anything after the slash, and a coordinate reference system before it, is ignored: cameras use WGS 84.
    package static func location(_ text: String) -> Location? {
        var rest = Substring(text).utf8
        guard let latitude = number(&rest).flatMap({ degrees($0, digitsOfDegrees: 2) }),
            let longitude = number(&rest).flatMap({ degrees($0, digitsOfDegrees: 3) })
        else { return nil }
        let altitude = number(&rest).flatMap { Double($0.isNegative ? "-" + $0.digits : $0.digits) }
        return Location(latitude: latitude, longitude: longitude, altitude: altitude)
    }

    /// Formats a location with four decimals of a degree (11 m) and three of a metre, as iPhones do.
    package static func text(_ location: Location) -> String {
        let latitude = fixed(location.latitude, integerDigits: 2, decimals: 4)
        let longitude = fixed(location.longitude, integerDigits: 3, decimals: 4)
        let altitude = location.altitude.map { fixed($0, integerDigits: 3, decimals: 3) }
        return latitude + longitude + (altitude ?? "") + "/"
    }

    private struct SignedDigits {
        var isNegative: Bool
        var digits: String
    }

    /// Parses a sign, digits and a decimal point.
    private static func number(_ rest: inout Substring.UTF8View) -> SignedDigits? {
        guard let sign = rest.first, sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") else { return nil }
        let digits = rest.dropFirst().prefix {
            UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 || $0 == UInt8(ascii: ".")
        }
        guard !digits.isEmpty, digits.count <= 32 else { return nil }
        rest = rest.dropFirst(1 + digits.count)
        return SignedDigits(isNegative: sign == UInt8(ascii: "-"), digits: String(decoding: digits, as: UTF8.self))
    }

    /// The number of digits before the point distinguishes degrees, `DDMM` and `DDMMSS`.
    private static func degrees(_ number: SignedDigits, digitsOfDegrees: Int) -> Double? {
        let whole = number.digits.prefix { $0 != "." }
        guard let value = Double(number.digits) else { return nil }
        let magnitude: Double
        switch whole.count {
        case ...digitsOfDegrees:
            magnitude = value
        case digitsOfDegrees + 2:
            let degrees = (value / 100).rounded(.down)
            magnitude = degrees + (value - degrees * 100) / 60
        case digitsOfDegrees + 4:
            let degrees = (value / 10_000).rounded(.down)
            let minutes = ((value - degrees * 10_000) / 100).rounded(.down)
            magnitude = degrees + minutes / 60 + (value - degrees * 10_000 - minutes * 100) / 3600
        default:
            return nil
        }
        return number.isNegative ? -magnitude : magnitude
    }

    private static func fixed(_ value: Double, integerDigits: Int, decimals: Int) -> String {
        let scale = decimals == 4 ? 10_000.0 : 1000.0
        let scaled = (value.magnitude * scale).rounded()
        guard let units = UInt64(exactly: scaled) else { return "" }
        let (whole, fraction) = units.quotientAndRemainder(dividingBy: UInt64(scale))
        return (value < 0 ? "-" : "+") + whole.digits(integerDigits) + "." + fraction.digits(decimals)
    }
}

package import PhotoModel

/// The GPS directory of EXIF (Exif 2.32, 4.6.6), with raw values from the file.
package struct ExifPosition: Hashable, Sendable {
    /// `N` or `S`.
    package var latitudeReference: String?
    /// Degrees, minutes, seconds; three values, or none.
    package var latitudeParts: [ExifRational] = []
    /// `E` or `W`.
    package var longitudeReference: String?
    /// Degrees, minutes, seconds; three values, or none.
    package var longitudeParts: [ExifRational] = []
    /// 0 above sea level, 1 below.
    package var altitudeReference: Int?
    /// Metres above or below sea level, never negative.
    package var altitudeMagnitude: ExifRational?
    /// Hours, minutes, seconds in UTC; three values, or none.
    package var timeParts: [ExifRational] = []
    /// `YYYY:MM:DD` in UTC.
    package var dateStamp: String?
    /// `A` if the receiver had a position, `V` (void) if it had none.
    package var status: String?
    /// The geodetic datum, normally `WGS-84`.
    package var mapDatum: String?

    /// No position.
    package init() {}
}

extension ExifPosition {
    /// Encodes a location: coordinates to a millionth of a second of arc, the altitude to a millimetre.
    package init(_ location: Location) {
        latitudeReference = location.latitude < 0 ? "S" : "N"
        latitudeParts = Self.parts(degrees: location.latitude.magnitude)
        longitudeReference = location.longitude < 0 ? "W" : "E"
        longitudeParts = Self.parts(degrees: location.longitude.magnitude)
        mapDatum = "WGS-84"
        guard let altitude = location.altitude else { return }
        altitudeReference = altitude < 0 ? 1 : 0
        altitudeMagnitude = ExifRational(altitude.magnitude, denominator: 1000)
    }

    /// Degrees north; nil if absent or not a number.
    package var latitude: Double? {
        Self.degrees(latitudeParts).map { latitudeReference?.uppercased().hasPrefix("S") == true ? -$0 : $0 }
    }

    /// Degrees east; nil if absent or not a number.
    package var longitude: Double? {
        Self.degrees(longitudeParts).map { longitudeReference?.uppercased().hasPrefix("W") == true ? -$0 : $0 }
    }

    /// Metres above sea level.
    package var altitude: Double? {
        altitudeMagnitude?.value.map { altitudeReference == 1 ? -$0 : $0 }
    }

    /// The location, if both coordinates are present and on Earth, and the receiver had a position.
    package var location: Location? {
        guard status?.uppercased() != "V", let latitude, let longitude else { return nil }
        return Location(latitude: latitude, longitude: longitude, altitude: altitude)
    }

    /// When the position was measured; nil unless date and time are present.
    package var time: CivilTime? {
        guard let date = dateStamp?.split(separator: ":").map({ Int($0) }), date.count == 3,
            let year = date[0], let month = date[1], let day = date[2], timeParts.count == 3,
            let hour = timeParts[0].value, let minute = timeParts[1].value, let second = timeParts[2].value,
            0..<24 ~= hour, 0..<60 ~= minute, 0..<61 ~= second
        else { return nil }
        return CivilTime(
            year: year,
            month: month,
            day: day,
            hour: Int(hour),
            minute: Int(minute),
            second: Int(second),
            microsecond: min(999_999, Int(((second - second.rounded(.down)) * 1_000_000).rounded())),
            utcOffsetSeconds: 0
        )
    }

    /// Sets when the position was measured, in UTC.
    package mutating func setTime(_ time: WallTime) {
        let civil = CivilTime(time, utcOffsetSeconds: 0)
        dateStamp = ExifDate(civil).text.map { String($0.prefix(10)) }
        timeParts = [
            ExifRational(Int64(civil.hour), 1),
            ExifRational(Int64(civil.minute), 1),
            ExifRational(Int64(civil.second) * 1_000_000 + Int64(civil.microsecond), 1_000_000),
        ]
    }

    private static func degrees(_ parts: [ExifRational]) -> Double? {
        guard let whole = parts.first?.value else { return nil }
        let smaller = parts.dropFirst().map { $0.value ?? 0 }
        return whole + (smaller.first ?? 0) / 60 + (smaller.dropFirst().first ?? 0) / 3600
    }

    private static func parts(degrees: Double) -> [ExifRational] {
        // In whole millionths of a second, so that no part ever rounds up to 60.
        let total = Int64((degrees * 3_600_000_000).rounded())
        return [
            ExifRational(total / 3_600_000_000, 1),
            ExifRational(total / 60_000_000 % 60, 1),
            ExifRational(total % 60_000_000, 1_000_000),
        ]
    }
}

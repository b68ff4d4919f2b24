import Glibc
package import PhotoModel

/// Sunrise and sunset of a day at a location, accurate to about a minute outside the polar circles.
///
/// The equations are those of the NOAA Solar Calculator, after Jean Meeus, Astronomical Algorithms: the sun's upper
/// edge touches a level horizon, including refraction (zenith 90.833°).
package struct SolarTimes: Hashable, Sendable {
    /// The sun's zenith angle at sunrise and sunset, in degrees.
    static let zenith = 90.833

    /// The time of sunrise.
    package let sunrise: WallTime
    /// The time of sunset.
    package let sunset: WallTime

    /// Computes a local day, counted from 1970-01-01; nil if the sun does not rise or set on it.
    ///
    /// The local UTC offset determines when the day begins.
    package init?(day: Int64, at location: Location, utcOffsetSeconds: Int) {
        let noon = Double(day) * 86_400 + 43_200 - Double(utcOffsetSeconds)
        guard let rise = Self.crossing(near: noon, location, isRising: true),
            let set = Self.crossing(near: noon, location, isRising: false)
        else { return nil }
        sunrise = WallTime(microsecondsSince1970: Int64(rise * 1_000_000))
        sunset = WallTime(microsecondsSince1970: Int64(set * 1_000_000))
    }

    /// Seconds since 1970 at which the sun crosses the horizon; recomputed for the found moment, as the sun moves.
    private static func crossing(near noon: Double, _ location: Location, isRising: Bool) -> Double? {
        var time = noon
        let midnight = (noon / 86_400).rounded(.down) * 86_400
        // The local day may be the one before or after the UTC day. The mean sun decides, so that even with a clock
        // twelve hours from solar time no two days share a noon, and none is skipped.
        let meanNoon = midnight + (720 - 4 * location.longitude) * 60
        let day = midnight + ((noon - meanNoon) / 86_400).rounded() * 86_400
        for _ in 0..<3 {
            let sun = Sun(secondsSince1970: time)
            let latitude = radians(location.latitude)
            let cosine =
                (cos(radians(zenith)) - sin(latitude) * sin(sun.declination)) / (cos(latitude) * cos(sun.declination))
            guard abs(cosine) <= 1 else { return nil }
            let hourAngle = degrees(acos(cosine)) * (isRising ? -1 : 1)
            // Solar noon, in minutes of UTC after midnight.
            let solarNoon = 720 - 4 * location.longitude - sun.equationOfTimeMinutes
            time = day + (solarNoon + 4 * hourAngle) * 60
        }
        return time
    }

    private static func radians(_ degrees: Double) -> Double { degrees * .pi / 180 }
    private static func degrees(_ radians: Double) -> Double { radians * 180 / .pi }

    /// The sun's position at a moment.
    private struct Sun {
        /// Radians north of the equator.
        let declination: Double
        /// How far a sundial is ahead of a clock.
        let equationOfTimeMinutes: Double

        init(secondsSince1970: Double) {
            // Julian centuries since 2000-01-01 12:00.
            let century = (secondsSince1970 / 86_400 + 2_440_587.5 - 2_451_545) / 36_525
            let longitude = radians(280.46646 + century * (36_000.76983 + century * 0.0003032))
            let anomaly = radians(357.52911 + century * (35_999.05029 - 0.0001537 * century))
            let eccentricity = 0.016708634 - century * (0.000042037 + 0.0000001267 * century)
            let center =
                sin(anomaly) * (1.914602 - century * (0.004817 + 0.000014 * century))
                + sin(2 * anomaly) * (0.019993 - 0.000101 * century) + sin(3 * anomaly) * 0.000289
            let node = radians(125.04 - 1934.136 * century)
            let apparent = longitude + radians(center - 0.00569 - 0.00478 * sin(node))
            let meanObliquity =
                23 + (26 + (21.448 - century * (46.815 + century * (0.00059 - century * 0.001813))) / 60) / 60
            let obliquity = radians(meanObliquity + 0.00256 * cos(node))
            declination = asin(sin(obliquity) * sin(apparent))
            let y = tan(obliquity / 2) * tan(obliquity / 2)
            equationOfTimeMinutes =
                4
                * degrees(
                    y * sin(2 * longitude) - 2 * eccentricity * sin(anomaly)
                        + 4 * eccentricity * y * sin(anomaly) * cos(2 * longitude) - 0.5 * y * y * sin(4 * longitude)
                        - 1.25 * eccentricity * eccentricity * sin(2 * anomaly)
                )
        }
    }
}

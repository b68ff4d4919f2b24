package import PhotoModel

extension WallTime {
    /// Whether it is the zero of QuickTime's clock (1904) or of Unix's (1970): a date that nobody set.
    package var isClockZero: Bool { [0, -Movie.secondsFrom1904To1970 * 1_000_000].contains(microsecondsSince1970) }
}

extension CivilTime {
    /// Whether a clock at zero shows it, in UTC or in its own zone.
    var isClockZero: Bool {
        [0, utcOffsetSeconds ?? 0].contains { instant(assumingUTCOffsetSeconds: $0).isClockZero }
    }
}

extension Location {
    /// Whether it is exactly 0, 0, which cameras and programs write if they do not know the place.
    package var isFiller: Bool { latitude == 0 && longitude == 0 }
}

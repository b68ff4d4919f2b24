/// An exact time in a movie: a number of units, `timescale` per second.
package struct MediaTime: Hashable, Sendable {
    /// The number of units; negative before the beginning.
    package let value: Int64
    /// Units per second, never 0.
    package let timescale: UInt32

    /// Takes a value and its timescale; nil if the timescale is 0.
    package init?(value: Int64, timescale: UInt32) {
        guard timescale > 0 else { return nil }
        self.value = value
        self.timescale = timescale
    }

    /// The nearest whole number of units for a duration; nil if it does not fit or the timescale is 0.
    package init?(nearest duration: Duration, timescale: UInt32) {
        let (seconds, attoseconds) = duration.components
        let nanoseconds = Int128(seconds) * 1_000_000_000 + Int128(attoseconds / 1_000_000_000)
        self.init(rounding: nanoseconds * Int128(timescale), dividedBy: 1_000_000_000, timescale: timescale)
    }

    /// The time as a duration, rounded towards zero to a nanosecond.
    package var duration: Duration {
        let (seconds, rest) = value.quotientAndRemainder(dividingBy: Int64(timescale))
        return .seconds(seconds) + .nanoseconds(rest * 1_000_000_000 / Int64(timescale))
    }

    /// The same time in other units, rounded to the nearest; nil if it does not fit or the timescale is 0.
    package func converted(to other: UInt32) -> MediaTime? {
        MediaTime(rounding: Int128(value) * Int128(other), dividedBy: Int128(timescale), timescale: other)
    }

    private init?(rounding dividend: Int128, dividedBy divisor: Int128, timescale: UInt32) {
        let half = dividend < 0 ? -divisor / 2 : divisor / 2
        guard let value = Int64(exactly: (dividend + half) / divisor) else { return nil }
        self.init(value: value, timescale: timescale)
    }
}

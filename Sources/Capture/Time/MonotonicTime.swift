/// A reading of the machine's monotonic clock: nanoseconds since some moment of this boot, never stepped.
///
/// Frames, sound and shutter all use it, so that a step of the wall clock cannot separate them.
package struct MonotonicTime: Hashable, Comparable, Sendable {
    /// Nanoseconds of `CLOCK_MONOTONIC`.
    package let nanoseconds: Int64

    package init(nanoseconds: Int64) {
        self.nanoseconds = nanoseconds
    }

    /// The time `duration` later, clamped to the range.
    package func advanced(by duration: Duration) -> MonotonicTime {
        let (sum, overflowed) = nanoseconds.addingReportingOverflow(duration.wholeNanoseconds)
        return MonotonicTime(nanoseconds: overflowed ? (duration < .zero ? .min : .max) : sum)
    }

    /// The time from `earlier` to this one; negative if it is later.
    package func duration(since earlier: MonotonicTime) -> Duration {
        .nanoseconds(nanoseconds) - .nanoseconds(earlier.nanoseconds)
    }

    /// Orders by time.
    package static func < (left: MonotonicTime, right: MonotonicTime) -> Bool {
        left.nanoseconds < right.nanoseconds
    }
}

extension Duration {
    /// The duration in nanoseconds, rounded towards zero and clamped to the range (292 years).
    package var wholeNanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let (product, overflowed) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, overflowedToo) = product.addingReportingOverflow(attoseconds / 1_000_000_000)
        return overflowed || overflowedToo ? (seconds < 0 ? .min : .max) : sum
    }

    /// The duration in seconds.
    package var inSeconds: Double {
        Double(components.seconds) + Double(components.attoseconds) / 1e18
    }

    /// The absolute value.
    package var magnitude: Duration { self < .zero ? .zero - self : self }
}

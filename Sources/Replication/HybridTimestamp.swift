/// A hybrid logical clock's stamp (Kulkarni et al., "Logical Physical Clocks", 2014): 48 bits of milliseconds since
/// 1970, then a 16-bit counter within the millisecond.
///
/// It breaks ties between concurrent writes and never proves that they are concurrent.
package struct HybridTimestamp: Hashable, Comparable, Sendable {
    /// Milliseconds in the upper 48 bits, the counter in the lower 16.
    package let rawValue: UInt64

    package init(rawValue: UInt64) {
        self.rawValue = rawValue
    }

    /// The first stamp of a millisecond; beyond 48 bits the last that fits.
    package init(milliseconds: UInt64, counter: UInt16 = 0) {
        rawValue = min(milliseconds, Self.maximumMilliseconds) << 16 | UInt64(counter)
    }

    /// The last millisecond that fits: the year 10889.
    package static let maximumMilliseconds: UInt64 = (1 << 48) - 1

    /// Milliseconds since 1970.
    package var milliseconds: UInt64 { rawValue >> 16 }

    /// The counter within the millisecond.
    package var counter: UInt16 { UInt16(truncatingIfNeeded: rawValue) }

    /// The next stamp: the counter carries into the milliseconds; nil after the last one.
    package var successor: Self? {
        rawValue == .max ? nil : Self(rawValue: rawValue + 1)
    }

    /// Orders by time, then by counter.
    package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

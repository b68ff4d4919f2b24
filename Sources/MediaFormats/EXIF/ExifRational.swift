/// A fraction as EXIF stores it, so that what was read can be written again unchanged.
package struct ExifRational: Hashable, Sendable, CustomStringConvertible {
    /// Above the line; 32 bits, signed or unsigned by field.
    package let numerator: Int64
    /// Below the line; 0 means "unknown" or "infinite".
    package let denominator: Int64

    /// Takes both numbers as they are.
    package init(_ numerator: Int64, _ denominator: Int64) {
        self.numerator = numerator
        self.denominator = denominator
    }

    /// The nearest fraction with this denominator; nil when the value is not finite or its numerator above 32 bits.
    package init?(_ value: Double, denominator: Int64) {
        let numerator = (value * Double(denominator)).rounded()
        guard numerator.magnitude <= Double(UInt32.max) else { return nil }
        self.init(Int64(numerator), denominator)
    }

    /// The quotient; nil when the denominator is 0.
    package var value: Double? {
        denominator == 0 ? nil : Double(numerator) / Double(denominator)
    }

    /// For example `1/250`.
    package var description: String { "\(numerator)/\(denominator)" }
}

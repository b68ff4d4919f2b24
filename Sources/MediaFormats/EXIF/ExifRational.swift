/// A fraction as EXIF stores it, so that a value can be written back unchanged.
package struct ExifRational: Hashable, Sendable, CustomStringConvertible {
    /// The numerator; 32 bits, signed or unsigned depending on the field.
    package let numerator: Int64
    /// The denominator; 0 means "unknown" or "infinite".
    package let denominator: Int64

    package init(_ numerator: Int64, _ denominator: Int64) {
        self.numerator = numerator
        self.denominator = denominator
    }

    /// The nearest fraction with this denominator; nil if the value is not finite or its numerator exceeds 32 bits.
    package init?(_ value: Double, denominator: Int64) {
        let numerator = (value * Double(denominator)).rounded()
        guard numerator.magnitude <= Double(UInt32.max) else { return nil }
        self.init(Int64(numerator), denominator)
    }

    /// The quotient; nil if the denominator is 0.
    package var value: Double? {
        denominator == 0 ? nil : Double(numerator) / Double(denominator)
    }

    /// For example `1/250`.
    package var description: String { "\(numerator)/\(denominator)" }
}

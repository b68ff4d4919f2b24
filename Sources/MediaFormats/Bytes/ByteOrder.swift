/// The byte order of numbers.
package enum ByteOrder: Hashable, Sendable, CaseIterable {
    /// Most significant byte first, as in JPEG, PNG and ISO-BMFF; "MM" in TIFF.
    case bigEndian
    /// Least significant byte first, as in RIFF; "II" in TIFF.
    case littleEndian

    /// Converts an integer from this order to the host's.
    @inline(__always)
    func native<Number: FixedWidthInteger>(_ stored: Number) -> Number {
        switch self {
        case .bigEndian: Number(bigEndian: stored)
        case .littleEndian: Number(littleEndian: stored)
        }
    }

    /// Converts an integer from the host's order to this one.
    @inline(__always)
    func stored<Number: FixedWidthInteger>(_ native: Number) -> Number {
        switch self {
        case .bigEndian: native.bigEndian
        case .littleEndian: native.littleEndian
        }
    }
}

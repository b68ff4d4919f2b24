/// The order of the bytes of a number.
package enum ByteOrder: Hashable, Sendable, CaseIterable {
    /// Most significant byte first, as in JPEG, PNG and ISO-BMFF; "MM" in TIFF.
    case bigEndian
    /// Least significant byte first, as in RIFF; "II" in TIFF.
    case littleEndian

    /// Turns an integer as it lies in memory in this order into the machine's.
    @inline(__always)
    func native<Number: FixedWidthInteger>(_ stored: Number) -> Number {
        switch self {
        case .bigEndian: Number(bigEndian: stored)
        case .littleEndian: Number(littleEndian: stored)
        }
    }

    /// Turns an integer of the machine into one that lies in memory in this order.
    @inline(__always)
    func stored<Number: FixedWidthInteger>(_ native: Number) -> Number {
        switch self {
        case .bigEndian: native.bigEndian
        case .littleEndian: native.littleEndian
        }
    }
}

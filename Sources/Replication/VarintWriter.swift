/// Appends numbers and bytes to a buffer; the counterpart of `VarintReader`.
///
/// A variable-length integer (varint) is LEB128: seven bits per byte, lowest first, the top bit set on all but the last
/// byte.
struct VarintWriter {
    private(set) var bytes: [UInt8] = []

    mutating func reserve(_ count: Int) {
        bytes.reserveCapacity(count)
    }

    mutating func byte(_ value: UInt8) {
        bytes.append(value)
    }

    mutating func varint(_ value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }

    mutating func varint(_ value: Int) {
        varint(UInt64(value))
    }

    mutating func signed(_ value: Int64) {
        varint(ZigZag.encode(value))
    }

    mutating func wide(_ value: UInt128) {
        var value = value.bigEndian
        unsafe withUnsafeBytes(of: &value) { unsafe bytes.append(contentsOf: $0) }
    }

    mutating func raw(_ value: some Collection<UInt8>) {
        bytes.append(contentsOf: value)
    }
}

/// Maps signed numbers to unsigned ones, small for either sign: 0, -1, 1, -2 become 0, 1, 2, 3.
enum ZigZag {
    static func encode(_ value: Int64) -> UInt64 {
        UInt64(bitPattern: value << 1 ^ value >> 63)
    }

    static func decode(_ value: UInt64) -> Int64 {
        Int64(bitPattern: value >> 1) ^ -Int64(bitPattern: value & 1)
    }
}

import CZlib

/// The checksum used in ZIP: CRC-32 of ISO 3309.
struct CRC32: Sendable {
    /// The checksum of all bytes so far.
    private(set) var value: UInt32 = 0

    /// Adds bytes.
    ///
    /// The corresponding C function is `crc32_z`.
    mutating func update(_ bytes: [UInt8]) {
        unsafe bytes.withUnsafeBufferPointer { buffer in
            value = unsafe UInt32(truncatingIfNeeded: crc32_z(uLong(value), buffer.baseAddress, buffer.count))
        }
    }
}

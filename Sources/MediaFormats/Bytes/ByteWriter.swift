/// Appends numbers, text and bytes to one growing buffer, and back-fills sizes.
package struct ByteWriter: Sendable {
    /// The bytes written so far.
    package private(set) var bytes: [UInt8] = []
    /// The byte order of numbers.
    package var order: ByteOrder

    /// Starts with an empty buffer.
    package init(order: ByteOrder = .bigEndian, capacity: Int = 0) {
        self.order = order
        bytes.reserveCapacity(capacity)
    }

    /// The number of bytes written so far, which is the offset of the next one.
    package var count: Int { bytes.count }

    /// Appends an integer in the writer's byte order.
    package mutating func append(_ number: some FixedWidthInteger) {
        unsafe withUnsafeBytes(of: order.stored(number)) { unsafe bytes.append(contentsOf: $0) }
    }

    /// Appends bytes as they are.
    package mutating func append(_ more: some Collection<UInt8>) {
        bytes.append(contentsOf: more)
    }

    /// Appends the UTF-8 of a text, without a terminator.
    package mutating func append(_ text: some StringProtocol) {
        bytes.append(contentsOf: text.utf8)
    }

    /// Appends a range of other bytes; throws `truncated` if it reaches outside them.
    package mutating func append(_ range: FileRange, of source: RawSpan) throws(MediaFormatError) {
        guard range.end <= source.byteCount else { throw source.ended(at: range.end) }
        unsafe source.extracting(range.bounds).withUnsafeBytes { unsafe bytes.append(contentsOf: $0) }
    }

    /// Appends the same byte several times.
    package mutating func append(repeating byte: UInt8, count: Int) {
        bytes.append(contentsOf: repeatElement(byte, count: count))
    }

    /// Overwrites an integer written earlier, in the writer's byte order.
    package mutating func patch(_ number: some FixedWidthInteger, at offset: Int) {
        let width = number.bitWidth / 8
        precondition(offset >= 0 && offset + width <= bytes.count, "only what has been written can be patched")
        unsafe withUnsafeBytes(of: order.stored(number)) { stored in
            for index in 0..<width { bytes[offset + index] = unsafe stored[index] }
        }
    }
}

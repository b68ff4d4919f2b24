/// A place in a range of a file, that moves forward with each read.
///
/// It holds offsets only. The bytes come as a `RawSpan` with each call, so that a reader can be stored, copied and
/// returned like any value while the bytes stay where they are: in a mapped file, a camera's buffer, an array.
package struct ByteReader: Hashable, Sendable {
    /// The next byte to read, counted from the beginning of the file.
    package private(set) var offset: Int
    /// The first byte after what may be read.
    package let end: Int
    /// The order of the bytes of numbers.
    package var order: ByteOrder

    /// Starts at the beginning of a range.
    package init(_ range: FileRange, order: ByteOrder = .bigEndian) {
        offset = range.offset
        end = range.end
        self.order = order
    }

    /// How many bytes are left.
    package var remaining: Int { end - offset }
    /// True when nothing is left.
    package var isAtEnd: Bool { offset >= end }
    /// What is left, as a range.
    package var remainingRange: FileRange { FileRange(offset..<end) }

    /// Reads an integer and moves behind it; throws `truncated` when the range or the bytes end before.
    @inline(__always)
    package mutating func read<Number: FixedWidthInteger & BitwiseCopyable>(
        _ type: Number.Type = Number.self,
        from bytes: RawSpan
    ) throws(MediaFormatError) -> Number {
        let width = Number.bitWidth / 8
        guard width <= remaining else { throw ended }
        let number = try bytes.integer(at: offset, order, as: Number.self)
        offset += width
        return number
    }

    /// Takes the next bytes as a range without looking at them; throws `truncated` when there are not so many.
    package mutating func take(_ count: some BinaryInteger) throws(MediaFormatError) -> FileRange {
        guard let count = Int(exactly: count), count >= 0, count <= remaining else { throw ended }
        defer { offset += count }
        return FileRange(offset..<offset + count)
    }

    /// Moves forward without reading; throws `truncated` when there are not so many bytes.
    package mutating func skip(_ count: some BinaryInteger) throws(MediaFormatError) {
        _ = try take(count)
    }

    private var ended: MediaFormatError {
        MediaFormatError(.truncated, "the structure ends here", at: end)
    }
}

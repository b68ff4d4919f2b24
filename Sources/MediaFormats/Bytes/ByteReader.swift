/// A cursor in a range of a file that advances with each read.
///
/// It holds offsets only. The bytes are passed as a `RawSpan` with each call, so that a reader can be stored, copied
/// and returned like any value while the bytes stay in place: in a mapped file, a camera's buffer, an array.
package struct ByteReader: Hashable, Sendable {
    /// The next byte to read, counted from the beginning of the file.
    package private(set) var offset: Int
    /// The first byte after the readable range.
    package let end: Int
    /// The byte order of numbers.
    package var order: ByteOrder

    /// Starts at the beginning of a range.
    package init(_ range: FileRange, order: ByteOrder = .bigEndian) {
        offset = range.offset
        end = range.end
        self.order = order
    }

    /// How many bytes are left.
    package var remaining: Int { end - offset }
    /// Whether nothing is left.
    package var isAtEnd: Bool { offset >= end }
    /// The remaining bytes as a range.
    package var remainingRange: FileRange { FileRange(offset..<end) }

    /// Reads an integer and advances; throws `truncated` if the range or the bytes end before it does.
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

    /// Takes the next bytes as a range without reading them; throws `truncated` if there are too few.
    package mutating func take(_ count: some BinaryInteger) throws(MediaFormatError) -> FileRange {
        guard let count = Int(exactly: count), count >= 0, count <= remaining else { throw ended }
        defer { offset += count }
        return FileRange(offset..<offset + count)
    }

    /// Advances without reading; throws `truncated` if there are too few bytes.
    package mutating func skip(_ count: some BinaryInteger) throws(MediaFormatError) {
        _ = try take(count)
    }

    private var ended: MediaFormatError {
        MediaFormatError(.truncated, "the structure ends here", at: end)
    }
}

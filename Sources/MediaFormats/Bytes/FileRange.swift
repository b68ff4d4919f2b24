/// A range of a file's bytes; offset and length are never negative, and their sum never exceeds `Int.max`.
///
/// Parsers return ranges instead of copies, so that callers hash, stream or borrow the bytes in place.
package struct FileRange: Hashable, Sendable {
    /// The first byte, counted from the beginning of the file.
    package let offset: Int
    /// The number of bytes.
    package let length: Int

    /// The first byte after the range.
    package var end: Int { offset + length }
    /// Whether the range is empty.
    package var isEmpty: Bool { length == 0 }
    /// The same as a half-open range of offsets.
    package var bounds: Range<Int> { offset..<end }

    /// Takes any integers; nil if one is negative or the end does not fit an `Int`.
    package init?(offset: some BinaryInteger, length: some BinaryInteger) {
        guard let offset = Int(exactly: offset), let length = Int(exactly: length), offset >= 0, length >= 0,
            !offset.addingReportingOverflow(length).overflow
        else { return nil }
        self.offset = offset
        self.length = length
    }

    /// Takes a range of offsets whose lower bound must not be negative.
    package init(_ bounds: Range<Int>) {
        precondition(bounds.lowerBound >= 0, "a file has no negative offsets")
        offset = bounds.lowerBound
        length = bounds.count
    }

    /// The range of a whole file of this length.
    package init(wholeFileOf byteCount: Int) {
        self.init(0..<max(0, byteCount))
    }

    /// A part of this range at an offset relative to its beginning; nil unless it is wholly inside.
    package func part(at relativeOffset: some BinaryInteger, length partLength: some BinaryInteger) -> FileRange? {
        guard let part = FileRange(offset: relativeOffset, length: partLength), part.end <= length else { return nil }
        return FileRange(offset + part.offset..<offset + part.end)
    }

    /// The range without its first `count` bytes; empty if it is shorter.
    package func dropping(_ count: Int) -> FileRange {
        let dropped = min(max(0, count), length)
        return FileRange(offset + dropped..<end)
    }

    /// Whether every byte of the other range is in this one.
    package func contains(_ other: FileRange) -> Bool {
        other.offset >= offset && other.end <= end
    }
}

extension FileRange: CustomStringConvertible {
    /// The offsets as `first..<end`.
    package var description: String { "\(offset)..<\(end)" }
}

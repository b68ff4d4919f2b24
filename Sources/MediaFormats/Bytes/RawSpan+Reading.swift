/// Random access to untrusted bytes: every read is checked and throws ``MediaFormatError/Code/truncated``.
extension RawSpan {
    /// The whole input as a range.
    package var fullRange: FileRange { FileRange(wholeFileOf: byteCount) }

    /// Reads an integer of any width, which the type determines, at the offset of its first byte.
    ///
    /// - Throws: `truncated` if one of its bytes is outside.
    @inline(__always)
    package func integer<Number: FixedWidthInteger & BitwiseCopyable>(
        at offset: Int,
        _ order: ByteOrder = .bigEndian,
        as type: Number.Type = Number.self
    ) throws(MediaFormatError) -> Number {
        let width = Number.bitWidth / 8
        guard offset >= 0, width <= byteCount, offset <= byteCount - width else { throw ended(at: offset) }
        return order.native(unsafe unsafeLoadUnaligned(fromByteOffset: offset, as: Number.self))
    }

    /// Reads one byte.
    @inline(__always)
    package func byte(at offset: Int) throws(MediaFormatError) -> UInt8 {
        guard offset >= 0, offset < byteCount else { throw ended(at: offset) }
        return unsafe unsafeLoad(fromByteOffset: offset, as: UInt8.self)
    }

    /// Copies a range out.
    ///
    /// - Throws: `truncated` if a byte is outside, `limitExceeded` if the range is longer than the limit.
    package func copyBytes(
        in range: FileRange,
        limit: Int = ParseLimits.standard.valueBytes
    ) throws(MediaFormatError) -> [UInt8] {
        guard range.end <= byteCount else { throw ended(at: range.end) }
        guard range.length <= limit else {
            throw MediaFormatError(.limitExceeded, "a value is longer than the limit", at: range.offset)
        }
        return unsafe extracting(range.bounds).withUnsafeBytes { unsafe Array($0) }
    }

    /// Whether these bytes are at an offset; false also if the input ends before.
    package func hasPrefix(_ expected: StaticString, at offset: Int = 0) -> Bool {
        let count = expected.utf8CodeUnitCount
        guard offset >= 0, count <= byteCount, offset <= byteCount - count else { return false }
        for index in 0..<count {
            let wanted = unsafe expected.utf8Start[index]
            guard unsafe unsafeLoad(fromByteOffset: offset + index, as: UInt8.self) == wanted else { return false }
        }
        return true
    }

    /// The first offset of a byte value in a range; nil if it does not occur.
    package func firstOffset(of wanted: UInt8, in range: FileRange) -> Int? {
        let end = min(range.end, byteCount)
        guard range.offset < end else { return nil }
        let found = unsafe extracting(range.offset..<end).withUnsafeBytes { unsafe $0.firstIndex(of: wanted) }
        return found.map { range.offset + $0 }
    }

    /// The error for a read past the end; its offset is the first missing byte.
    func ended(at offset: Int) -> MediaFormatError {
        MediaFormatError(.truncated, "the bytes end here", at: Swift.max(byteCount, offset))
    }
}

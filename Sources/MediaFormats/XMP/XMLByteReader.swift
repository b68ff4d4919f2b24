/// A cursor in an XML document; reading past the end returns nil or throws.
struct XMLByteReader {
    private(set) var offset: Int
    let end: Int

    init(_ document: FileRange) {
        offset = document.offset
        end = document.end
    }

    /// The remaining range.
    var rest: FileRange { FileRange(offset..<max(offset, end)) }

    func peek(in bytes: RawSpan) -> UInt8? {
        offset < end ? try? bytes.byte(at: offset) : nil
    }

    mutating func advance(_ count: Int = 1) {
        offset = min(end, offset + count)
    }

    mutating func take(_ wanted: UInt8, in bytes: RawSpan) -> Bool {
        guard peek(in: bytes) == wanted else { return false }
        offset += 1
        return true
    }

    mutating func expect(_ wanted: UInt8, in bytes: RawSpan) throws(MediaFormatError) {
        guard take(wanted, in: bytes) else {
            throw MediaFormatError(.malformed, "XML is not well-formed", at: offset)
        }
    }

    mutating func skipWhiteSpace(in bytes: RawSpan) {
        while let byte = peek(in: bytes), XMLText.isWhiteSpace(byte) { offset += 1 }
    }

    /// Skips past the next occurrence of a terminator.
    mutating func skip(past terminator: StaticString, in bytes: RawSpan) throws(MediaFormatError) {
        let first = unsafe terminator.utf8Start.pointee
        while let found = bytes.firstOffset(of: first, in: rest) {
            let after = found + terminator.utf8CodeUnitCount
            if after <= end && bytes.hasPrefix(terminator, at: found) {
                offset = after
                return
            }
            offset = found + 1
        }
        throw MediaFormatError(.malformed, "XML is not well-formed", at: end)
    }

    /// A name with its prefix, at most 256 bytes.
    mutating func name(in bytes: RawSpan) throws(MediaFormatError) -> String {
        let start = offset
        while let byte = peek(in: bytes), Self.isInName(byte, isFirst: offset == start) { offset += 1 }
        guard start < offset, offset - start <= 256 else {
            throw MediaFormatError(.malformed, "an XML name is missing or too long", at: start)
        }
        return try XMLText.verbatim(FileRange(start..<offset), in: bytes)
    }

    private static func isInName(_ byte: UInt8, isFirst: Bool) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"), 0x80...:
            true
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: ":"):
            !isFirst
        default:
            false
        }
    }
}

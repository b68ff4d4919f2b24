// ISO base media files (ISO/IEC 14496-12, 4.2) and QuickTime files are sequences of boxes, which QuickTime calls atoms:
//
//     size32  type32  [size64, when size32 is 1]  [16 bytes of user type, when type is 'uuid']  payload
//
// The size counts the header. Size 0 means "up to the end of the file". A FullBox begins its payload with one byte of
// version and three of flags. A container's payload is a sequence of boxes; QuickTime may end one with four zero bytes,
// so fewer than eight bytes at the end of a container are not a box and are skipped.

/// The range and type of one box; its payload is not read.
package struct Box: Hashable, Sendable {
    /// The box's type.
    package let type: FourCharacterCode
    /// Header and payload.
    package let range: FileRange
    /// The length of the header: 8 bytes, 8 more for a 64-bit size, 16 more for a user type.
    package let headerLength: Int
    /// The 16 bytes that name a `uuid` box, as a big-endian number.
    package let userType: UInt128?

    /// The bytes after the header.
    package var payload: FileRange { range.dropping(headerLength) }
}

extension Box {
    /// The longest possible header: 64-bit size and user type.
    static let longestHeader = 32
    /// The shortest possible box: just a header.
    static let shortestHeader = 8

    /// Reads one header from the box's first bytes, as many as there are up to ``longestHeader``, at its offset in the
    /// file.
    ///
    /// - Throws: `truncated` if header or payload reach beyond the end, `malformed` if the size is below the header's.
    init(header: RawSpan, at offset: Int, endOfContainer end: Int) throws(MediaFormatError) {
        let size32: UInt32 = try header.integer(at: 0)
        type = FourCharacterCode(rawValue: try header.integer(at: 4))
        var headerLength = Self.shortestHeader
        var size = UInt64(size32)
        if size32 == 1 {
            size = try header.integer(at: headerLength)
            headerLength += 8
        } else if size32 == 0 {
            size = UInt64(max(0, end - offset))
        }
        if type == "uuid" {
            userType = try header.integer(at: headerLength, .bigEndian, as: UInt128.self)
            headerLength += 16
        } else {
            userType = nil
        }
        guard size >= UInt64(headerLength) else {
            throw MediaFormatError(.malformed, "a box is smaller than its header", at: offset)
        }
        guard let range = FileRange(offset: offset, length: size), range.end <= end else {
            throw MediaFormatError(.truncated, "a box reaches beyond what contains it", at: end)
        }
        self.range = range
        self.headerLength = headerLength
    }
}

/// The version and flags at the beginning of a FullBox's payload (ISO/IEC 14496-12, 4.2.2).
struct FullBoxHeader {
    /// Selects the layout of the fields.
    let version: UInt8
    /// 24 bits.
    let flags: UInt32

    /// Reads the four bytes and advances the reader.
    init(_ reader: inout ByteReader, from bytes: RawSpan) throws(MediaFormatError) {
        let word: UInt32 = try reader.read(from: bytes)
        version = UInt8(truncatingIfNeeded: word >> 24)
        flags = word & 0xFF_FFFF
    }
}

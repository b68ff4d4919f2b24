package import PhotoModel

/// A GIF (87a or 89a) as described by its header and blocks; no pixel is decoded.
///
///     header      'GIF87a' or 'GIF89a', width and height (2 bytes each, little-endian), flags, background, aspect
///     colours     where bit 7 of the flags is set: 3 bytes each of 2^(n + 1), n being bits 0 to 2
///     extension   21, a label, sub-blocks
///     frame       2C, position and size (8 bytes), flags, colours as above, a code size, sub-blocks
///     end         3B
///
/// Sub-blocks are a length of one byte and that many bytes, up to a length of 0.
package struct GIFFile: Hashable, Sendable {
    /// The size; nil if the header has none.
    package let pixelSize: PixelSize?
    /// Whether a second frame begins within the bytes.
    package let isAnimated: Bool

    /// Examines a file's first bytes: the whole first frame must be among them to tell whether another follows.
    ///
    /// - Throws: `unrecognizedFormat` for another format, `truncated` if the header is incomplete.
    package init(_ bytes: RawSpan) throws(MediaFormatError) {
        guard Self.isBeginning(bytes) else {
            throw MediaFormatError(.unrecognizedFormat, "this is no GIF", at: 0)
        }
        let width = Int(try bytes.integer(at: 6, .littleEndian, as: UInt16.self))
        let height = Int(try bytes.integer(at: 8, .littleEndian, as: UInt16.self))
        pixelSize = width > 0 && height > 0 ? PixelSize(width: width, height: height) : nil
        let blocks = 13 + Self.colorByteCount(try bytes.byte(at: 10))
        isAnimated = (try? Self.hasTwoFrames(bytes, from: blocks)) ?? false
    }

    /// Whether bytes start with a signature of this format.
    static func isBeginning(_ bytes: RawSpan) -> Bool { bytes.hasPrefix("GIF87a") || bytes.hasPrefix("GIF89a") }

    /// The length of the colours that follow a header's or a frame's flags.
    static func colorByteCount(_ flags: UInt8) -> Int { flags & 0x80 == 0 ? 0 : 6 << Int(flags & 7) }

    private static func hasTwoFrames(_ bytes: RawSpan, from start: Int) throws(MediaFormatError) -> Bool {
        var offset = start
        var hasFrame = false
        while true {
            switch try bytes.byte(at: offset) {
            case 0x21: offset += 2
            case 0x2C:
                if hasFrame { return true }
                hasFrame = true
                offset += 11 + colorByteCount(try bytes.byte(at: offset + 9))
            default: return false
            }
            while case let length = Int(try bytes.byte(at: offset)), length > 0 { offset += 1 + length }
            offset += 1
        }
    }
}

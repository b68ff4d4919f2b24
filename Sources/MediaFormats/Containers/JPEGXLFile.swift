package import PhotoModel

/// A JPEG XL file (ISO/IEC 18181) as described by its header and boxes; no pixel is decoded.
///
///     bare        FF 0A, then the codestream
///     container   the box 'JXL ', then 'ftyp', the codestream in 'jxlc' or in parts in 'jxlp' (4 bytes of index each),
///                 'Exif' (4 bytes: offset of TIFF after them) and 'xml ' (XMP), in any order
///
/// The codestream begins with its size, read from the lowest bit of each byte (18181-1, 9.2): one bit for small sizes,
/// the height, three bits for common ratios, and without one the width. Boxes compressed with Brotli ('brob') are
/// skipped.
package struct JPEGXLFile: Hashable, Sendable {
    private static let codestreamByteCount = 32

    /// The size as shown; nil if the codestream's header is invalid.
    package let pixelSize: PixelSize?
    /// EXIF; nil if there is none that can be parsed.
    ///
    /// Its orientation is ignored: the codestream has its own.
    package let exif: ExifMetadata?
    /// XMP; nil if there is none that can be parsed.
    package let xmp: XMPProperties?

    /// Whether bytes start with a signature of this format.
    package static func isBeginning(_ bytes: RawSpan) -> Bool {
        isCodestream(bytes) || bytes.hasPrefix("\0\0\0\u{0C}JXL \r\n") && (try? bytes.byte(at: 10)) == 0x87
    }

    /// Reads a file's metadata.
    ///
    /// - Throws: `unrecognizedFormat` for another format; what the source throws.
    package init(_ source: some ByteSource, limits: ParseLimits = .standard) throws {
        let head = try source.head(Self.codestreamByteCount)
        guard head.withBytes({ Self.isBeginning($0) }) else {
            throw MediaFormatError(.unrecognizedFormat, "this is no JPEG XL file", at: 0)
        }
        if head.withBytes({ Self.isCodestream($0) }) {
            pixelSize = head.withBytes { Self.size($0) }
            exif = nil
            xmp = nil
            return
        }
        var found = Boxes()
        try found.read(source, limits)
        pixelSize = found.codestream.flatMap { $0.withBytes { Self.size($0) } }
        exif = found.exif
        xmp = found.xmp
    }

    private static func isCodestream(_ bytes: RawSpan) -> Bool {
        (try? bytes.integer(at: 0, as: UInt16.self)) == 0xFF0A
    }

    /// The boxes of a whole file; none if it is a bare codestream.
    ///
    /// - Throws: `unrecognizedFormat`, `truncated` if the last box reaches beyond the file, `malformed`, `limitExceeded`.
    static func boxes(_ bytes: RawSpan, limits: ParseLimits) throws(MediaFormatError) -> [Box] {
        guard isBeginning(bytes) else {
            throw MediaFormatError(.unrecognizedFormat, "this is no JPEG XL file", at: 0)
        }
        var boxes: [Box] = []
        var offset = isCodestream(bytes) ? bytes.byteCount : 0
        while offset < bytes.byteCount {
            guard boxes.count < limits.segments else {
                throw MediaFormatError(.limitExceeded, "too many boxes", at: offset)
            }
            let header = bytes.extracting(offset..<min(offset + Box.longestHeader, bytes.byteCount))
            // The last box may have the size 0: it ends with the file.
            let box = try Box(header: header, at: offset, endOfContainer: bytes.byteCount)
            boxes.append(box)
            offset = box.range.end
        }
        return boxes
    }

    /// The contents of the boxes.
    private struct Boxes {
        var codestream: [UInt8]?
        var exif: ExifMetadata?
        var xmp: XMPProperties?

        mutating func read(_ source: some ByteSource, _ limits: ParseLimits) throws {
            var offset = 0
            for _ in 0..<limits.segments where offset + Box.shortestHeader <= source.byteCount {
                let end = min(source.byteCount, offset + Box.longestHeader)
                let header = try source.bytes(in: FileRange(offset..<end))
                let box = try? header.withBytes { bytes throws(MediaFormatError) in
                    try Box(header: bytes, at: offset, endOfContainer: source.byteCount)
                }
                // A truncated file keeps what was read so far.
                guard let box else { return }
                try take(box, source, limits)
                offset = box.range.end
            }
        }

        private mutating func take(_ box: Box, _ source: some ByteSource, _ limits: ParseLimits) throws {
            let payload = box.payload
            switch box.type {
            case "jxlc" where codestream == nil: codestream = try JPEGXLFile.head(of: payload, source)
            case "jxlp" where codestream == nil && payload.length >= 4:
                codestream = try JPEGXLFile.head(of: payload.dropping(4), source)
            case "Exif" where exif == nil && payload.length > 8 && payload.length <= limits.packetBytes:
                let bytes = try source.bytes(in: payload)
                exif = try? bytes.withBytes { bytes throws(MediaFormatError) in
                    guard let block = bytes.tiffBlock(ofExif: bytes.fullRange) else {
                        throw MediaFormatError(.truncated, "EXIF begins behind its end")
                    }
                    return try ExifMetadata(bytes, block: block, limits: limits)
                }
            case "xml " where xmp == nil && payload.length <= limits.packetBytes:
                let bytes = try source.bytes(in: payload)
                xmp = try? bytes.withBytes { bytes throws(MediaFormatError) in
                    try XMPProperties(bytes, packet: bytes.fullRange, limits: limits)
                }
            default: break
            }
        }
    }

    private static func head(of payload: FileRange, _ source: some ByteSource) throws -> [UInt8] {
        let length = min(payload.length, codestreamByteCount)
        return try source.bytes(in: FileRange(payload.offset..<payload.offset + length))
    }

    /// The size at the beginning of a codestream, with the codestream's orientation applied.
    private static func size(_ codestream: RawSpan) -> PixelSize? {
        guard isCodestream(codestream) else { return nil }
        var bits = LowBitReader(codestream, at: 2)
        guard let isSmall = bits.read(1), let height = bits.dimension(isSmall == 1), let ratio = bits.read(3) else {
            return nil
        }
        let width: Int? =
            switch ratio {
            case 0: bits.dimension(isSmall == 1)
            case 1: height
            case 2: height * 12 / 10
            case 3: height * 4 / 3
            case 4: height * 3 / 2
            case 5: height * 16 / 9
            case 6: height * 5 / 4
            default: height * 2
            }
        guard let width else { return nil }
        let size = PixelSize(width: width, height: height)
        // All defaults: upright. Else a bit says whether the orientation follows.
        guard bits.read(1) == 0, bits.read(1) == 1, let orientation = bits.read(3) else { return size }
        return orientation >= 4 ? size.transposed : size
    }
}

/// Reads bits, lowest of each byte first.
private struct LowBitReader {
    private let bytes: [UInt8]
    private var position = 0

    init(_ span: RawSpan, at offset: Int) {
        bytes = (offset..<max(offset, span.byteCount)).compactMap { try? span.byte(at: $0) }
    }

    mutating func read(_ count: Int) -> Int? {
        guard position + count <= bytes.count * 8 else { return nil }
        var number = 0
        for place in 0..<count {
            let bit = bytes[(position + place) / 8] >> ((position + place) % 8) & 1
            number |= Int(bit) << place
        }
        position += count
        return number
    }

    /// A width or height: in multiples of eight if small, else in a number of bits that two bits select.
    mutating func dimension(_ isSmall: Bool) -> Int? {
        if isSmall { return read(5).map { ($0 + 1) * 8 } }
        guard let selector = read(2) else { return nil }
        return read([9, 13, 18, 30][selector]).map { $0 + 1 }
    }
}

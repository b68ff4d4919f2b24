package import PhotoModel

/// The layout of a WebP file (RFC 9649).
///
///     "RIFF" size32 "WEBP"        little-endian; the size counts from "WEBP"
///     chunk: type[4] size32 data, padded to even
///     "VP8 " or "VP8L" alone, or VP8X (flags, size) followed by ICCP, ANIM, image, "EXIF", "XMP "
package struct WebPFile: Hashable, Sendable {
    /// One chunk.
    package struct Chunk: Hashable, Sendable {
        /// The four characters.
        package let type: String
        /// Type, size, data and padding.
        package let range: FileRange
        /// The chunk's data.
        package let data: FileRange

        /// Its EXIF block; some writers prefix it with JPEG's "Exif".
        func exifBlock(in bytes: RawSpan) -> FileRange {
            bytes.hasPrefix(JPEGPrefix.exif, at: data.offset)
                ? data.dropping(JPEGPrefix.exif.utf8CodeUnitCount) : data
        }
    }

    /// The chunks, up to the size the file declares.
    package let chunks: [Chunk]
    /// The canvas's size.
    package let pixelSize: PixelSize?

    /// Walks the chunks, reading only their headers.
    ///
    /// - Throws: `unrecognizedFormat`, `truncated`, `malformed`, `limitExceeded`.
    package init(_ bytes: RawSpan, limits: ParseLimits = .standard) throws(MediaFormatError) {
        guard bytes.hasPrefix("RIFF"), bytes.hasPrefix("WEBP", at: 8) else {
            throw MediaFormatError(.unrecognizedFormat, "not a WebP file", at: 0)
        }
        let size = Int(try bytes.integer(at: 4, .littleEndian, as: UInt32.self))
        guard size >= 4 else { throw MediaFormatError(.malformed, "a RIFF file without room for its type", at: 4) }
        guard size + 8 <= bytes.byteCount else { throw bytes.ended(at: size + 8) }
        var reader = ByteReader(FileRange(12..<size + 8), order: .littleEndian)
        var chunks: [Chunk] = []
        while reader.remaining >= 8 {
            guard chunks.count < limits.segments else {
                throw MediaFormatError(.limitExceeded, "too many chunks", at: reader.offset)
            }
            let start = reader.offset
            let type = try bytes.copyBytes(in: try reader.take(4))
            let length = try reader.read(UInt32.self, from: bytes)
            let data = try reader.take(length)
            // The last chunk's padding is often forgotten.
            if length & 1 == 1, !reader.isAtEnd { try reader.skip(1) }
            chunks.append(
                Chunk(type: String(decoding: type, as: UTF8.self), range: FileRange(start..<reader.offset), data: data)
            )
        }
        self.chunks = chunks
        var canvas: PixelSize?
        for chunk in chunks where canvas == nil { canvas = Self.pixelSize(of: chunk, in: bytes) }
        pixelSize = canvas
    }

    /// Whether it has several frames.
    package var isAnimated: Bool { chunks.count { $0.type == "ANMF" } > 1 }

    /// The image without metadata.
    package var imageDataRanges: [FileRange] {
        chunks.filter { ["VP8 ", "VP8L", "ALPH", "ANIM", "ANMF"].contains($0.type) }.map(\.range)
    }

    /// A file with the image alone: for one picture without transparency, which needs no other chunk.
    package func imageOnly(of bytes: RawSpan) throws(MediaFormatError) -> [UInt8] {
        var content = Array("WEBP".utf8)
        for range in imageDataRanges { content += try bytes.copyBytes(in: range, limit: range.length) }
        return try Self.chunk("RIFF", content)
    }

    /// The EXIF blocks.
    package func exifBlocks(in bytes: RawSpan) -> [FileRange] {
        chunks.filter { $0.type == "EXIF" }.map { $0.exifBlock(in: bytes) }
    }

    /// The XMP packets.
    package var xmpPackets: [FileRange] {
        chunks.filter { $0.type == "XMP " }.map(\.data)
    }

    /// A chunk with its padding.
    package static func chunk(_ type: String, _ data: [UInt8]) throws(MediaFormatError) -> [UInt8] {
        guard let length = UInt32(exactly: data.count) else {
            throw MediaFormatError(.unrepresentable, "a chunk is too long for RIFF")
        }
        var writer = ByteWriter(order: .littleEndian, capacity: data.count + 9)
        writer.append(type)
        writer.append(length)
        writer.append(data)
        writer.append(repeating: 0, count: data.count & 1)
        return writer.bytes
    }

    private static func pixelSize(of chunk: Chunk, in bytes: RawSpan) -> PixelSize? {
        let start = chunk.data.offset
        switch chunk.type {
        case "VP8X" where chunk.data.length >= 10:
            // Flags 8, reserved 24, then width and height minus one in 24 bits each.
            guard let width = try? bytes.integer(at: start + 4, .littleEndian, as: UInt32.self),
                let height = try? bytes.integer(at: start + 6, .littleEndian, as: UInt32.self)
            else { return nil }
            return PixelSize(width: Int(width & 0xFF_FFFF) + 1, height: Int(height >> 8) + 1)
        case "VP8L" where chunk.data.length >= 5:
            // Signature 0x2F, then width and height minus one in 14 bits each.
            guard (try? bytes.byte(at: start)) == 0x2F,
                let packed = try? bytes.integer(at: start + 1, .littleEndian, as: UInt32.self)
            else { return nil }
            return PixelSize(width: Int(packed & 0x3FFF) + 1, height: Int(packed >> 14 & 0x3FFF) + 1)
        case "VP8 " where chunk.data.length >= 10:
            // Frame tag 24, start code 9D012A, then width and height in 14 bits, each with two scaling bits (RFC 6386,
            // 9.1).
            guard bytes.hasVP8StartCode(at: start + 3),
                let width = try? bytes.integer(at: start + 6, .littleEndian, as: UInt16.self),
                let height = try? bytes.integer(at: start + 8, .littleEndian, as: UInt16.self),
                width & 0x3FFF > 0, height & 0x3FFF > 0
            else { return nil }
            return PixelSize(width: Int(width & 0x3FFF), height: Int(height & 0x3FFF))
        default:
            return nil
        }
    }
}

extension RawSpan {
    fileprivate func hasVP8StartCode(at offset: Int) -> Bool {
        (try? byte(at: offset)) == 0x9D && (try? byte(at: offset + 1)) == 0x01 && (try? byte(at: offset + 2)) == 0x2A
    }
}

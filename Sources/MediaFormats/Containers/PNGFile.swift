package import PhotoModel

/// The layout of a PNG file (W3C PNG, third edition).
///
///     89 "PNG" 0D0A1A0A         signature
///     chunk: length32 type[4] data crc32
///     IHDR first: width32 height32 depth8 colour8 ...; IDAT the image; eXIf an EXIF block; iTXt text; IEND last
package struct PNGFile: Hashable, Sendable {
    /// One chunk.
    package struct Chunk: Hashable, Sendable {
        /// The four letters.
        package let type: String
        /// Length, type, data and checksum.
        package let range: FileRange
        /// The chunk's data.
        package let data: FileRange
    }

    /// The keyword of the text chunk that holds XMP.
    static let xmpKeyword = "XML:com.adobe.xmp"
    private static let signature: UInt64 = 0x8950_4E47_0D0A_1A0A

    /// The chunks up to IEND.
    package let chunks: [Chunk]
    /// The image's size.
    package let pixelSize: PixelSize?

    /// Walks the chunks, reading only their headers.
    ///
    /// - Throws: `unrecognizedFormat`, `truncated` if the file ends before IEND, `malformed`, `limitExceeded`.
    package init(_ bytes: RawSpan, limits: ParseLimits = .standard) throws(MediaFormatError) {
        var reader = ByteReader(bytes.fullRange)
        guard try reader.read(UInt64.self, from: bytes) == Self.signature else {
            throw MediaFormatError(.unrecognizedFormat, "not a PNG file", at: 0)
        }
        var chunks: [Chunk] = []
        repeat {
            guard chunks.count < limits.segments else {
                throw MediaFormatError(.limitExceeded, "too many chunks", at: reader.offset)
            }
            let start = reader.offset
            let length = try reader.read(UInt32.self, from: bytes)
            let type = try bytes.copyBytes(in: try reader.take(4))
            let data = try reader.take(length)
            try reader.skip(4)
            guard type.allSatisfy({ 0x41...0x5A ~= $0 & 0xDF }) else {
                throw MediaFormatError(.malformed, "a chunk's type is not four letters", at: start)
            }
            chunks.append(
                Chunk(type: String(decoding: type, as: UTF8.self), range: FileRange(start..<reader.offset), data: data)
            )
        } while chunks.last?.type != "IEND"
        self.chunks = chunks
        pixelSize = try Self.pixelSize(chunks, in: bytes)
    }

    /// The EXIF blocks.
    package var exifBlocks: [FileRange] {
        chunks.filter { $0.type == "eXIf" }.map(\.data)
    }

    /// The XMP packets, except compressed ones, which the XMP specification forbids.
    package func xmpPackets(in bytes: RawSpan) -> [FileRange] {
        var packets: [FileRange] = []
        for chunk in chunks {
            if let packet = xmpPacket(of: chunk, in: bytes) { packets.append(packet) }
        }
        return packets
    }

    /// The XMP packet in a chunk: keyword NUL, compression flag, method, language NUL, translated keyword NUL, text.
    func xmpPacket(of chunk: Chunk, in bytes: RawSpan) -> FileRange? {
        guard chunk.type == "iTXt", keyword(of: chunk, in: bytes) == Self.xmpKeyword else { return nil }
        let afterKeyword = chunk.data.dropping(Self.xmpKeyword.utf8.count + 1)
        guard afterKeyword.length >= 4, (try? bytes.byte(at: afterKeyword.offset)) == 0,
            let language = bytes.firstOffset(of: 0, in: afterKeyword.dropping(2)),
            let translated = bytes.firstOffset(of: 0, in: FileRange(language + 1..<chunk.data.end))
        else { return nil }
        return FileRange(translated + 1..<chunk.data.end)
    }

    /// The keyword of a text chunk; nil for other chunks.
    package func keyword(of chunk: Chunk, in bytes: RawSpan) -> String? {
        guard ["tEXt", "zTXt", "iTXt"].contains(chunk.type) else { return nil }
        let head = FileRange(chunk.data.offset..<min(chunk.data.end, chunk.data.offset + 80))
        guard let end = bytes.firstOffset(of: 0, in: head),
            let keyword = try? bytes.copyBytes(in: FileRange(head.offset..<end))
        else { return nil }
        return ExifText.decoded(keyword[...])
    }

    private static func pixelSize(_ chunks: [Chunk], in bytes: RawSpan) throws(MediaFormatError) -> PixelSize? {
        guard let header = chunks.first, header.type == "IHDR", header.data.length >= 8 else {
            throw MediaFormatError(.malformed, "a PNG file begins with its header", at: 8)
        }
        let width = try bytes.integer(at: header.data.offset, as: UInt32.self)
        let height = try bytes.integer(at: header.data.offset + 4, as: UInt32.self)
        guard width > 0, height > 0, width <= Int32.max, height <= Int32.max else { return nil }
        return PixelSize(width: Int(width), height: Int(height))
    }

    /// A chunk with its checksum.
    package static func chunk(_ type: String, _ data: [UInt8]) throws(MediaFormatError) -> [UInt8] {
        guard let length = Int32(exactly: data.count) else {
            throw MediaFormatError(.unrepresentable, "a chunk is too long for PNG")
        }
        let body = Array(type.utf8) + data
        var writer = ByteWriter(capacity: body.count + 8)
        writer.append(length)
        writer.append(body)
        writer.append(CyclicRedundancyCheck.crc32(body))
        return writer.bytes
    }

    /// The chunk that holds an XMP packet.
    package static func xmpChunk(_ packet: [UInt8]) throws(MediaFormatError) -> [UInt8] {
        try chunk("iTXt", Array(xmpKeyword.utf8) + [0, 0, 0, 0, 0] + packet)
    }
}

/// The checksum of PNG chunks (ISO 3309, PNG annex D).
enum CyclicRedundancyCheck {
    private static let table: [UInt32] = (0..<256).map { index in
        (0..<8).reduce(UInt32(index)) { value, _ in value & 1 == 1 ? 0xEDB8_8320 ^ value >> 1 : value >> 1 }
    }

    static func crc32(_ bytes: [UInt8]) -> UInt32 {
        ~bytes.reduce(UInt32.max) { table[Int(($0 ^ UInt32($1)) & 0xFF)] ^ $0 >> 8 }
    }
}

import MediaFormats
import MediaSamples
import Testing

struct ContentTypeTests {
    private static func ftyp(_ brands: String) -> [UInt8] {
        var writer = ByteWriter()
        writer.appendBox("ftyp") { $0.append(brands.prefix(4) + "\0\0\0\0" + brands.dropFirst(4)) }
        return writer.bytes
    }

    private static func tiff(_ tag: UInt16, order: ByteOrder) -> [UInt8] {
        var writer = ByteWriter(order: order)
        writer.append(order == .bigEndian ? "MM" : "II")
        writer.append(UInt16(42))
        writer.append(UInt32(8))
        writer.append(UInt16(2))
        for tag in [0x0100, tag] {
            writer.append(tag)
            writer.append(repeating: 0, count: 10)
        }
        writer.append(UInt32(0))
        return writer.bytes
    }

    static let rows: [(bytes: [UInt8], type: ContentType)] = [
        ([0xFF, 0xD8, 0xFF, 0xE0], .jpeg), ([0xFF, 0xD8], .opaque),
        ([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A], .png), (Array("RIFF\0\0\0\0WEBPVP8 ".utf8), .webP),
        (Array("RIFF\0\0\0\0WAVE".utf8), .opaque), (Array("GIF89a".utf8), .gif),
        ([0xFF, 0x0A], .jpegXL), ([0, 0, 0, 12] + Array("JXL ".utf8) + [0x0D, 0x0A, 0x87, 0x0A], .jpegXL),
        ([0, 0, 0, 12] + Array("JXL ".utf8) + [0x0D, 0x0A, 0x88, 0x0A], .opaque),
        (ftyp("heicmif1heic"), .heic), (ftyp("mif1mif1heic"), .heic), (ftyp("mif1mif1"), .heif),
        (ftyp("avifavifmif1miaf"), .avif), (ftyp("mif1avif"), .avif), (ftyp("qt  qt  "), .quickTimeMovie),
        (ftyp("isomisomavc1mp41"), .mpeg4Movie), (ftyp("mp42qt  "), .mpeg4Movie), (ftyp("3gp4"), .mpeg4Movie),
        (ftyp("M4A mp42"), .opaque), (ftyp("zzzz"), .opaque),
        ([0, 0, 0, 8] + Array("wide".utf8), .quickTimeMovie), ([0, 0, 0, 3] + Array("moov".utf8), .opaque),
        (tiff(0xC612, order: .littleEndian), .dng), (tiff(0xC612, order: .bigEndian), .dng),
        (tiff(0x0101, order: .littleEndian), .tiff), (Array("II*\0\u{10}\0\0\0CR\u{2}".utf8), .opaque),
        (Array("<svg".utf8), .opaque), (Array("PK\u{3}\u{4}".utf8), .opaque), ([], .opaque),
    ]

    @Test("004.76, 004.77: the first bytes tell the type, what is unknown is opaque", arguments: rows)
    func sniffing(bytes: [UInt8], type: ContentType) {
        #expect(bytes.withBytes { ContentType(sniffing: $0) } == type)
    }

    @Test("every type has a media type, all but opaque an extension", arguments: ContentType.allCases)
    func names(type: ContentType) {
        #expect(type.mediaType.contains("/"))
        #expect(type.fileExtension.isEmpty == (type == .opaque))
        #expect((type.mediaType.hasPrefix("image/") || type.isMovie) == (type != .opaque))
    }

    @Test("004.76: files of the still formats are known by what they are")
    func samples() throws {
        #expect(try SampleStill.jpeg().withBytes { ContentType(sniffing: $0) } == .jpeg)
        #expect(try SampleStill.png().withBytes { ContentType(sniffing: $0) } == .png)
        #expect(try SampleStill.webp().withBytes { ContentType(sniffing: $0) } == .webP)
        #expect(SampleImage().bytes.withBytes { ContentType(sniffing: $0) } == .heic)
        #expect(SampleMovie().bytes.withBytes { ContentType(sniffing: $0) } == .quickTimeMovie)
    }
}

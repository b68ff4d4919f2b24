import Foundation
import MediaFormats
import MediaSamples
import PhotoModel
import Testing

/// What is left of a GIF without its places or without its texts.
struct GIFStrippingTests {
    private static let frames: [GIFLayout.Block.Kind] = [.control, .frame, .control, .frame, .end]

    private static func kinds(_ bytes: [UInt8]) throws -> [GIFLayout.Block.Kind] {
        try bytes.withBytes { bytes throws(MediaFormatError) in try GIFLayout(bytes) }.blocks.map(\.kind)
    }

    /// The packets that a file has.
    private static func packets(_ bytes: [UInt8]) throws -> [XMPProperties] {
        try bytes.withBytes { bytes throws(MediaFormatError) -> [XMPProperties] in
            var found: [XMPProperties] = []
            for packet in try GIFLayout(bytes).xmpPackets(in: bytes) {
                found.append(try XMPProperties(bytes, packet: packet))
            }
            return found
        }
    }

    /// An extension whose sub-blocks are texts.
    private static func block(_ label: UInt8, _ texts: String...) -> [UInt8] {
        [0x21, label] + texts.flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) } + [0]
    }

    @Test("T32: the place that exiftool wrote goes; its title, its comment and the picture stay")
    func writtenByExifTool() throws {
        let plain = try SampleStill.gif()
        let words = [
            "-XMP-exif:GPSLatitude=52.37", "-XMP-exif:GPSLongitude=4.89", "-XMP-photoshop:City=Amsterdam",
            "-XMP-dc:Title=A title", "-Comment=A comment",
        ]
        let file = try MediaTools.tagged(plain, "gif", words)
        let clean = try withoutLocation(file)
        let answers = try ExifTool.read(["old.gif": file, "new.gif": clean], options: ["-a"])
        let (old, new) = (try #require(answers["old.gif"]), try #require(answers["new.gif"]))
        let places = ["XMP-exif:GPSLatitude", "XMP-exif:GPSLongitude", "XMP-photoshop:City"]
        for place in places { #expect(old[place] != nil && new[place] == nil, "\(place)") }
        #expect(new["XMP-dc:Title"] as? String == "A title" && new["File:Comment"] as? String == "A comment")
        #expect(new["GIF:FrameCount"] as? Int == 2 && ExifTool.complaints(new).isEmpty)
        #expect(try withoutCaptions(clean) == plain, "nothing but XMP and a comment was added")
    }

    @Test("T32: texts, the colour profile and the repetition stay; unknown extensions and what lies behind the end go")
    func blocks() throws {
        var properties = XMPProperties()
        properties.title = "A title"
        properties.latitude = 52.37
        properties.longitude = 4.89
        let packet = properties.packet()
        var extensions = Self.block(0xFE, "A comment") + Self.block(0x01, "twelve bytes", "A text")
        extensions += Self.block(0xFF, "ICCRGBG1012", "profile") + Self.block(0xFF, "ANIMEXTS1.0", "\u{1}\0\0")
        extensions += Self.block(0xFF, "MGKIPTC0000", "Kapstadt") + Self.block(0xCE, "Kapstadt")
        // Divided into sub-blocks, which XMP must not be.
        extensions += Self.block(0xFF, "XMP DataXMP", "<Kapstadt/>")
        extensions += try GIFLayout.xmpBlock(packet)
        let file = try SampleStill.gif(xmp: packet, extensions: extensions) + Array("Kapstadt".utf8)
        let clean = try withoutLocation(file)
        #expect(
            try Self.kinds(clean) == [.repetition, .xmp, .comment, .plainText, .colorProfile, .repetition, .xmp]
                + Self.frames
        )
        #expect(Data(clean).range(of: Data("Kapstadt".utf8)) == nil)
        let packets = try Self.packets(clean)
        #expect(packets.map(\.title) == ["A title", "A title"] && packets.allSatisfy { $0.latitude == nil })
        #expect(try withoutLocation(clean) == clean)
        let silent = try withoutCaptions(file)
        #expect(try Self.kinds(silent) == [.repetition, .colorProfile, .repetition] + Self.frames)
        #expect(silent.last == 0x3B)
    }

    @Test("XMP with a zero byte, which could end its block before its end, goes as a whole")
    func zeroByte() throws {
        // The first character leads a reader over the zero byte, to a space, which leads it into the tail.
        let packet = Array("<!--\0".utf8) + [UInt8](repeating: 0x20, count: 80) + Array("--><x/>".utf8)
        let head = [0x21, 0xFF, 11] + Array("XMP DataXMP".utf8)
        let tail = Array(try GIFLayout.xmpBlock([]).dropFirst(head.count))
        let file = try SampleStill.gif(extensions: head + packet + tail)
        #expect(try Self.kinds(file) == [.repetition, .xmp] + Self.frames)
        #expect(try withoutLocation(file) == SampleStill.gif())
        #expect(throws: MediaFormatError.self) { try GIFLayout.xmpBlock(packet) }
    }

    @Test("T32: a file that cannot be read to its end is refused")
    func refused() throws {
        let whole = try SampleStill.gif(xmp: XMPProperties().packet(), extensions: Self.block(0xFE, "A comment"))
        for count in 0..<whole.count {
            #expect(throws: MediaFormatError.self, "\(count)") { try withoutLocation(Array(whole.prefix(count))) }
        }
        #expect(throws: MediaFormatError.self) { try withoutLocation(Array(whole.dropLast()) + [0x55, 0x3B]) }
        var limits = ParseLimits.standard
        for (most, isRead) in [(7, false), (8, true)] {
            limits.segments = most
            let layout = whole.withBytes { bytes in try? GIFLayout(bytes, limits: limits) }
            #expect((layout != nil) == isRead, "of 8 blocks")
        }
    }
}

import Foundation
import MediaFormats
import MediaSamples
import PhotoModel
import TestSupport
import Testing

/// JPEG XL files that cjxl wrote, and what is left of them.
struct JPEGXLFileTests {
    /// A picture of a size, as cjxl writes it with some options.
    private static func file(_ width: Int, _ height: Int, _ options: [String] = []) async throws -> [UInt8] {
        try await offTheSharedThreads {
            try withTemporaryDirectory { folder in
                let source = folder.appending(path: "source.png").path
                let target = folder.appending(path: "target.jxl").path
                for (name, words) in [
                    ("vips", ["black", source, "\(width)", "\(height)"]),
                    ("cjxl", [source, target, "--quiet", "-e", "1"] + options),
                ] {
                    let outcome = try ChildProcess.run(name, words)
                    try #require(outcome.status == 0, "\(outcome.errors)")
                }
                return Array(try Data(contentsOf: URL(filePath: target)))
            }
        }
    }

    @Test(
        "the size of a codestream, bare or in a container, in each of the ways to write one",
        arguments: [(8, 8), (256, 256), (1600, 1200), (257, 100), (1920, 1080), (640, 320), (300, 8000), (1, 1)]
    )
    func sizes(width: Int, height: Int) async throws {
        for options in [[], ["--container=1"]] {
            let bytes = try await Self.file(width, height, options)
            #expect(try JPEGXLFile(bytes).pixelSize == PixelSize(width: width, height: height), "\(options)")
            #expect(bytes.withBytes { ContentType(sniffing: $0) } == .jpegXL)
        }
    }

    /// A box of a container.
    private static func box(_ type: String, _ payload: [UInt8]) -> [UInt8] {
        let length = UInt32(payload.count + 8)
        return (0..<4).map { UInt8(truncatingIfNeeded: length >> (24 - 8 * $0)) } + Array(type.utf8) + payload
    }

    private static let signature: [UInt8] =
        box("JXL ", [0x0D, 0x0A, 0x87, 0x0A]) + box("ftyp", Array("jxl \0\0\0\0jxl ".utf8))

    @Test("EXIF and XMP in boxes; a codestream in parts, turned as it says itself and not as EXIF says")
    func boxes() throws {
        var exif = ExifMetadata()
        exif.original.text = "2021:02:03 04:05:06"
        exif.orientation = .right
        var words = XMPProperties()
        words.title = "Lake"
        // 1600x1200: not small, height in 13 bits, no ratio told apart from 4:3, and all defaults.
        let codestream = Self.codestream([(0, 1), (1, 2), (1199, 13), (3, 3), (1, 1)])
        let turned = Self.codestream([(0, 1), (1, 2), (1199, 13), (3, 3), (0, 1), (1, 1), (5, 3)])
        for (stream, size) in [
            (codestream, PixelSize(width: 1600, height: 1200)), (turned, PixelSize(width: 1200, height: 1600)),
        ] {
            let bytes =
                Self.signature + Self.box("Exif", [0, 0, 0, 0] + (try exif.bytes())) + Self.box("xml ", words.packet())
                + Self.box("jxlp", [0, 0, 0, 0] + stream)
            let file = try JPEGXLFile(bytes)
            #expect(file.pixelSize == size && file.xmp?.title == "Lake")
            #expect(file.exif?.original.text == "2021:02:03 04:05:06")
            for length in 0..<bytes.count { _ = try? JPEGXLFile(Array(bytes[..<length])) }
        }
        let far = Self.signature + Self.box("Exif", [0xFF, 0xFF, 0xFF, 0xFF, 1, 2, 3, 4, 5])
        #expect(try JPEGXLFile(far).exif == nil)
        #expect(throws: MediaFormatError.self) { try JPEGXLFile(Array("\0\0\0\u{0C}JXL ".utf8)) }
    }

    /// A codestream of numbers, each in so many bits, the lowest first.
    private static func codestream(_ numbers: [(value: Int, bits: Int)]) -> [UInt8] {
        let bits = numbers.flatMap { number in (0..<number.bits).map { number.value >> $0 & 1 } }
        let bytes = stride(from: 0, to: bits.count, by: 8).map { start in
            bits[start...].prefix(8).enumerated().reduce(UInt8(0)) { $0 | UInt8($1.element << $1.offset) }
        }
        return [0xFF, 0x0A] + bytes
    }
}

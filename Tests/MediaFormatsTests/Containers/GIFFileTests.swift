import MediaFormats
import PhotoModel
import Testing

/// GIFs by their blocks, whole, cut and wrong.
struct GIFFileTests {
    /// A file of 3 x 2 pixels; each frame has colours of its own, and sub-blocks of 2 and 1 bytes.
    private static func file(frames: Int, version: String = "89a", colors: UInt8 = 0x80) -> [UInt8] {
        let table = [UInt8](repeating: 0x2C, count: colors & 0x80 == 0 ? 0 : 6 << Int(colors & 7))
        let loop = [0x21, 0xFF, 11] + Array("NETSCAPE2.0".utf8) + [3, 1, 0, 0, 0]
        let frame: [UInt8] =
            [0x2C, 0, 0, 0, 0, 3, 0, 2, 0, 0x80] + [UInt8](repeating: 0x3B, count: 6)
            + [2, 2, 0x2C, 0x2C, 1, 0x21, 0]
        return Array("GIF\(version)".utf8) + [3, 0, 2, 0, colors, 0, 0] + table + loop
            + (0..<frames).flatMap { _ in frame } + [0x3B]
    }

    private static func read(_ bytes: [UInt8]) throws -> GIFFile {
        try bytes.withBytes { bytes throws(MediaFormatError) in try GIFFile(bytes) }
    }

    @Test("its size, and whether it moves", arguments: [0, 1, 2, 3])
    func frames(count: Int) throws {
        for (version, colors) in [("87a", UInt8(0)), ("89a", 0x80), ("89a", 0x87)] {
            let file = try Self.read(Self.file(frames: count, version: version, colors: colors))
            #expect(file.pixelSize == PixelSize(width: 3, height: 2))
            #expect(file.isAnimated == (count > 1), "\(version) \(colors)")
        }
    }

    @Test("a file cut anywhere is read up to there, or refused")
    func cut() throws {
        let whole = Self.file(frames: 2)
        // The second frame is followed by the end of the file only.
        let second = whole.count - 1 - 23
        for count in 0..<whole.count {
            let file = try? Self.read(Array(whole.prefix(count)))
            #expect((file != nil) == (count > 10) && file?.isAnimated ?? false == (count > second), "\(count)")
        }
    }

    @Test("another format, and a picture without an area, have no size")
    func wrong() throws {
        #expect(throws: MediaFormatError.self) { try Self.read(Array("GIF88a".utf8) + [3, 0, 2, 0, 0, 0, 0]) }
        #expect(try Self.read(Array("GIF89a".utf8) + [0, 0, 2, 0, 0, 0, 0]).pixelSize == nil)
    }
}

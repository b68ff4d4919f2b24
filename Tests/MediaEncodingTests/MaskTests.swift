import Capture
import CaptureTestSupport
import Foundation
import MediaEncoding
import MediaFormats
import PhotoModel
import TestSupport
import Testing

/// Masked frames and files, as programs see them that we did not write.
struct MaskTests {
    /// A rectangle, and a triangle that ends in the picture's lower right corner.
    static func mask() throws -> PrivacyMask {
        let areas = ["0.3,0.2 0.6,0.5", "0.8,1 1,1 1,0.7"].compactMap { PicturePolygon($0) }
        return try #require(PrivacyMask(areas: areas))
    }

    private static let size = PixelSize(width: 200, height: 118)

    private static func info(_ format: PixelFormat, isFullRange: Bool = true) -> FrameInfo {
        FrameInfo.first(format, size, isFullRange: isFullRange)
    }

    /// Noise, which leaves no coefficient zero.
    private static func noise(_ byteCount: Int) -> [UInt8] {
        var generator = SeededGenerator(seed: 7)
        return (0..<byteCount).map { _ in UInt8.random(in: 40...220, using: &generator) }
    }

    private static func jpeg(
        _ format: PixelFormat,
        _ samples: [UInt8]? = nil,
        isFullRange: Bool = true
    ) throws -> [UInt8] {
        let samples = samples ?? noise(size.width * size.height * 4)
        return try samples.withBytes { try TurboFrameCompressor().jpeg(of: $0, info(format, isFullRange: isFullRange)) }
    }

    private static func masked(_ bytes: [UInt8], _ info: FrameInfo) throws -> [UInt8] {
        let masker = try TurboFrameMasker(mask())
        return try bytes.withBytes { try masker.masked($0, info) }
    }

    /// Each plane as ffmpeg decodes it, without conversion.
    private static func planes(_ jpeg: [UInt8], _ count: Int) throws -> [[UInt8]] {
        let file = try #require(TemporaryFile(jpeg))
        return try ["y", "u", "v"].prefix(count).map { name in
            let arguments = ["-v", "error", "-i", file.path, "-vf", "extractplanes=\(name)", "-f", "rawvideo", "-"]
            return [UInt8](try Tool.run("ffmpeg", arguments).bytes)
        }
    }

    /// Compares two JPEGs plane by plane: black in the cells of the mask, the same everywhere else.
    private static func expectMasked(_ masked: [UInt8], _ original: [UInt8], cell: PixelSize, planeCount: Int) throws {
        let raster = try MaskRaster(mask(), size: size, cell: cell)
        let before = try planes(original, planeCount)
        let after = try planes(masked, planeCount)
        for (plane, (old, new)) in zip(before, after).enumerated() {
            try #require(old.count == new.count && !old.isEmpty)
            let isWhole = old.count == size.width * size.height
            let width = isWhole ? size.width : size.width / 2
            let height = old.count / width
            var (wrong, changed) = (0, 0)
            for index in old.indices {
                let row = index / width * size.height / height / cell.height
                let column = index % width * size.width / width / cell.width
                let isCovered = raster.rows[row].contains { $0.contains(column) }
                if isCovered, new[index] != (plane == 0 ? 0 : 128) { wrong += 1 }
                if !isCovered, new[index] != old[index] { changed += 1 }
            }
            #expect(wrong == 0 && changed == 0, "plane \(plane)")
        }
    }

    /// Expects every pixel of the areas to be black for libvips, which smooths colours.
    private static func expectBlack(_ jpeg: [UInt8]) throws {
        let file = try #require(TemporaryFile(jpeg))
        let target = file.path + ".ppm"
        defer { try? FileManager.default.removeItem(atPath: target) }
        #expect(try Tool.run("vips", ["copy", file.path, target]).status == 0)
        let pixels = [UInt8](try Data(contentsOf: URL(fileURLWithPath: target)))
        let channels = pixels.count / (size.width * size.height)
        let start = pixels.count - size.width * size.height * channels
        let areas = try mask().areas
        var lit = 0
        for y in 0..<size.height {
            for x in 0..<size.width {
                let place = ((Double(x) + 0.5) / Double(size.width), (Double(y) + 0.5) / Double(size.height))
                guard areas.contains(where: { $0.contains(x: place.0, y: place.1) }) else { continue }
                let offset = start + (y * size.width + x) * channels
                if pixels[offset..<offset + channels].contains(where: { $0 > 0 }) { lit += 1 }
            }
        }
        #expect(lit == 0)
    }

    @Test(
        "a JPEG's masked blocks are black, and every other sample keeps its value",
        arguments: [
            (PixelFormat.i420, PixelSize(width: 16, height: 16), 3), (.yuyv, PixelSize(width: 16, height: 8), 3),
            (.rgb24, PixelSize(width: 8, height: 8), 3), (.grey, PixelSize(width: 8, height: 8), 1),
        ]
    )
    func blocks(source: PixelFormat, cell: PixelSize, planeCount: Int) throws {
        let original = try Self.jpeg(source)
        let masked = try Self.masked(original, Self.info(.motionJPEG))
        try Self.expectMasked(masked, original, cell: cell, planeCount: planeCount)
        try Self.expectBlack(masked)
        #expect(try masked.withBytes { try MotionJPEGFrame($0) }.lacksHuffmanTables == false)
    }

    @Test("A frame without Huffman tables, and one with tables of its own, are masked like others")
    func tables() throws {
        let original = try Self.jpeg(.i420)
        let layout = try original.withBytes { try JPEGLayout($0) }
        let tables = layout.segments.filter { $0.marker == .huffmanTables }.map(\.range.bounds)
        let bare = original.indices.filter { index in !tables.contains { $0.contains(index) } }.map { original[$0] }
        #expect(try bare.withBytes { try MotionJPEGFrame($0) }.lacksHuffmanTables)
        let cell = PixelSize(width: 16, height: 16)
        try Self.expectMasked(Self.masked(bare, Self.info(.motionJPEG)), original, cell: cell, planeCount: 3)
        // ffmpeg makes tables for each picture.
        let file = try #require(TemporaryFile(original))
        let own = [UInt8](
            try Tool.run(
                "ffmpeg",
                ["-v", "error", "-i", file.path, "-huffman", "optimal", "-q:v", "2", "-f", "mjpeg", "-"]
            ).bytes
        )
        try Self.expectMasked(Self.masked(own, Self.info(.motionJPEG)), own, cell: cell, planeCount: 3)
    }

    @Test("A picture of its own that a camera hides in its metadata does not survive")
    func thumbnail() throws {
        let original = try Self.jpeg(.i420)
        let block = try ExifMetadata().bytes(makerNote: nil, thumbnail: Self.jpeg(.grey))
        let frame = try original.withBytes { bytes in
            try MotionJPEGFrame(bytes).jpegFile(bytes, exif: block).copyBytes(from: bytes)
        }
        let masked = try Self.masked(frame, Self.info(.motionJPEG))
        let segments = try masked.withBytes { try JPEGLayout($0) }.segments
        #expect(segments.allSatisfy { !$0.marker.isMetadata || $0.marker == .application(0) })
        try Self.expectMasked(masked, original, cell: PixelSize(width: 16, height: 16), planeCount: 3)
    }

    @Test(
        "Samples are blackened in whole blocks, so that their compression changes nothing beside them",
        arguments: [
            PixelFormat.yuyv, .yvyu, .uyvy, .nv12, .nv21, .i420, .yv12, .rgb24, .bgr24, .bgrx32, .rgb565, .grey,
            .grey10, .grey16,
        ],
        [true, false]
    )
    func samples(format: PixelFormat, isFullRange: Bool) throws {
        let info = Self.info(format, isFullRange: isFullRange)
        // 10 bits in 16: no more than those are set.
        let noise = Self.noise(Self.size.width * Self.size.height * 4).enumerated().map { index, byte in
            format == .grey10 && index % 2 == 1 ? byte & 3 : byte
        }
        let masked = try Self.masked(noise, info)
        let original = try Self.jpeg(format, noise, isFullRange: isFullRange)
        let planeCount = [.grey, .grey10, .grey16].contains(format) ? 1 : 3
        try Self.expectMasked(
            Self.jpeg(format, masked, isFullRange: isFullRange),
            original,
            cell: PixelSize(width: 16, height: 16),
            planeCount: planeCount
        )
    }

    @Test(
        "A sensor's raw samples are 0 in the mask's cells and as they were elsewhere, whatever their packing",
        arguments: [("RGGB", 16), ("BG10", 32), ("BYR2", 32), ("pBAA", 20), ("pBCC", 24), ("pBEE", 28)],
        [0, 6]
    )
    func bayer(layout: (code: String, cellBytes: Int), padding: Int) throws {
        let format = PixelFormat(rawValue: layout.code.utf8.reversed().reduce(0) { $0 << 8 | UInt32($1) })
        let line = Self.size.width * layout.cellBytes / 16 + padding
        // Bytes behind the last row, as some drivers deliver.
        let original = Self.noise(line * Self.size.height + 10)
        let masked = try Self.masked(original, FrameInfo.first(format, Self.size, bytesPerLine: line))
        try #require(masked.count == original.count)
        let raster = try MaskRaster(Self.mask(), size: Self.size, cell: PixelSize(width: 16, height: 16))
        var (covered, lit, changed) = (0, 0, 0)
        for index in original.indices {
            let (row, cell) = (index / line, index % line / layout.cellBytes)
            if row < Self.size.height, raster.rows[row / 16].contains(where: { $0.contains(cell) }) {
                covered += 1
                if masked[index] != 0 { lit += 1 }
            } else if masked[index] != original[index] {
                changed += 1
            }
        }
        #expect(covered > original.count / 20 && covered < original.count / 3)
        #expect(lit == 0 && changed == 0)
    }

    @Test(
        "What cannot be masked is refused",
        arguments: [
            ([0xFF, 0xD8, 0xFF, 0xD9], .motionJPEG), ([], .jpeg), ([1, 2, 3], .yuyv), ([1, 2, 3], PixelFormat("BA81")),
        ] as [([UInt8], PixelFormat)]
    )
    func refused(bytes: [UInt8], format: PixelFormat) {
        #expect(throws: CaptureError.self) { try Self.masked(bytes, Self.info(format)) }
    }
}

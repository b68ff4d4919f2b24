import Capture
import CaptureTestSupport
import MediaEncoding
import MediaFormats
import PhotoModel
import Testing

struct FrameCompressorTests {
    private static let size = PixelSize(width: 32, height: 16)

    private static func info(_ format: PixelFormat, bytesPerLine: Int = 0, isFullRange: Bool = true) -> FrameInfo {
        FrameInfo.first(format, size, bytesPerLine: bytesPerLine, isFullRange: isFullRange)
    }

    /// One colour, luma 180 and chroma 90 and 150, as each layout holds it.
    private static func samples(_ format: PixelFormat, luma: UInt8 = 180, padding: Int = 0) -> [UInt8] {
        let (width, height) = (size.width, size.height)
        func rows(_ pixels: [UInt8], _ width: Int, _ height: Int) -> [UInt8] {
            let row = Array(repeatElement(pixels, count: width).joined()) + [UInt8](repeating: 0, count: padding)
            return Array(repeatElement(row, count: height).joined())
        }
        return switch format {
        case .yuyv: rows([luma, 90, luma, 150], width / 2, height)
        case .yvyu: rows([luma, 150, luma, 90], width / 2, height)
        case .uyvy: rows([90, luma, 150, luma], width / 2, height)
        case .nv12: rows([luma], width, height) + rows([90, 150], width / 2, height / 2)
        case .nv21: rows([luma], width, height) + rows([150, 90], width / 2, height / 2)
        case .i420: rows([luma], width, height) + rows([90], width / 2, height / 2) + rows([150], width / 2, height / 2)
        case .yv12: rows([luma], width, height) + rows([150], width / 2, height / 2) + rows([90], width / 2, height / 2)
        case .rgb24: rows(rgb, width, height)
        case .bgr24: rows(rgb.reversed(), width, height)
        case .bgrx32: rows(rgb.reversed() + [77], width, height)
        // 211 in 5 bits is 26, 177 in 6 is 44, 113 in 5 is 14.
        case .rgb565: rows([0x8e, 0xd5], width, height)
        case .grey10: rows([UInt8(truncatingIfNeeded: Int(luma) << 2 | 3), luma >> 6], width, height)
        case .grey16: rows([luma, luma], width, height)
        default: rows([luma], width, height)
        }
    }

    /// The same colour in red, green and blue.
    private static let rgb: [UInt8] = [211, 177, 113]

    private static func rgb(_ jpeg: [UInt8]) throws -> [UInt8] {
        let path = try #require(TemporaryFile(jpeg))
        let output = try Tool.run(
            "ffmpeg",
            ["-v", "error", "-i", path.path, "-f", "rawvideo", "-pix_fmt", "rgb24", "-"]
        )
        return [UInt8](output.bytes)
    }

    @Test(
        "Every layout becomes a JPEG of the same colour, as ffmpeg decodes it",
        arguments: [
            PixelFormat.yuyv, .uyvy, .yvyu, .nv12, .nv21, .i420, .yv12, .rgb24, .bgr24, .bgrx32, .rgb565,
        ],
        [0, 8]
    )
    func colours(format: PixelFormat, padding: Int) throws {
        let isPlanar = format == .i420 || format == .yv12
        let pixelBytes: [PixelFormat: Int] = [
            .yuyv: 2, .uyvy: 2, .yvyu: 2, .rgb565: 2, .rgb24: 3, .bgr24: 3, .bgrx32: 4,
        ]
        let line = 32 * (pixelBytes[format] ?? 1) + padding
        let bytes = Self.samples(format, padding: isPlanar ? 0 : padding)
        let jpeg = try bytes.withBytes {
            try TurboFrameCompressor(quality: 95).jpeg(of: $0, Self.info(format, bytesPerLine: isPlanar ? 32 : line))
        }
        let pixels = try Self.rgb(jpeg)
        #expect(pixels.count == Self.size.width * Self.size.height * 3)
        // BT.601, full range: R = Y + 1.402 V, G = Y - 0.344 U - 0.714 V, B = Y + 1.772 U.
        let expected = [210.8, 177.4, 112.7]
        for (index, value) in expected.enumerated() {
            let worst = stride(from: index, to: pixels.count, by: 3).map { abs(Double(pixels[$0]) - value) }.max()
            #expect(worst.map { $0 < 5 } == true)
        }
    }

    @Test("Limited range is stretched to the full range of JPEG")
    func limitedRange() throws {
        let compressor = try TurboFrameCompressor(quality: 95)
        for (luma, expected) in [(16, 0), (235, 255), (126, 128)] as [(UInt8, Int)] {
            var bytes = Self.samples(.i420, luma: luma)
            for index in 512..<bytes.count { bytes[index] = 128 }
            let jpeg = try bytes.withBytes {
                try compressor.jpeg(of: $0, Self.info(.i420, bytesPerLine: 32, isFullRange: false))
            }
            let pixels = try Self.rgb(jpeg)
            #expect(pixels.allSatisfy { abs(Int($0) - expected) <= 4 })
        }
    }

    @Test(
        "Grey stays one component, and brightness is told of raw frames and JPEGs alike",
        arguments: [PixelFormat.grey, .grey10, .grey16]
    )
    func grey(format: PixelFormat) throws {
        let compressor = try TurboFrameCompressor()
        let bytes = Self.samples(format, luma: 51)
        let info = Self.info(format)
        let jpeg = try bytes.withBytes { try compressor.jpeg(of: $0, info) }
        let raw = bytes.withBytes { compressor.meanLuma(of: $0, info) }
        let compressed = jpeg.withBytes { compressor.meanLuma(of: $0, Self.info(.motionJPEG)) }
        #expect(raw == 0.2)
        #expect(compressed.map { abs($0 - 0.2) < 0.02 } == true)
    }

    @Test(
        "A raw frame that is too short or of an unknown layout is refused",
        arguments: [PixelFormat.yuyv, .uyvy, .nv12, .nv21, .i420, .grey, .rgb24, PixelFormat(rawValue: 0x1234_5678)]
    )
    func refused(format: PixelFormat) throws {
        let compressor = try TurboFrameCompressor()
        let bytes = [UInt8](repeating: 0, count: 511)
        #expect(throws: CaptureError.self) {
            _ = try bytes.withBytes { try compressor.jpeg(of: $0, Self.info(format)) }
        }
        #expect(bytes.withBytes { compressor.meanLuma(of: $0, Self.info(format)) } == nil)
        #expect(bytes.withBytes { compressor.meanLuma(of: $0, Self.info(.motionJPEG)) } == nil)
    }

    @Test(
        "A sensor's samples that are compressed or packed in a processor's own way make no picture",
        arguments: ["ip3b", "PC1R"]
    )
    func bayer(code: String) throws {
        let format = PixelFormat(rawValue: code.utf8.reversed().reduce(0) { $0 << 8 | UInt32($1) })
        let compressor = try TurboFrameCompressor()
        let bytes = [UInt8](repeating: 90, count: 1 << 16)
        #expect(format.isBayer)
        let error = #expect(throws: CaptureError.self) {
            _ = try bytes.withBytes { try compressor.jpeg(of: $0, Self.info(format)) }
        }
        #expect(error?.code == .unsupported)
        #expect(bytes.withBytes { compressor.meanLuma(of: $0, Self.info(format)) } == nil)
    }

    @Test("A decoder scales down by whole eighths and never up")
    func scaling() {
        let large = PixelSize(width: 4000, height: 3000)
        #expect(JPEGDecoder.size(large, scaledDownTo: 1920) == PixelSize(width: 1500, height: 1125))
        #expect(JPEGDecoder.size(large, scaledDownTo: 4000) == large)
        #expect(JPEGDecoder.size(large, scaledDownTo: 100) == PixelSize(width: 500, height: 375))
    }
}

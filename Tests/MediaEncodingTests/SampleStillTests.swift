import CaptureTestSupport
import Foundation
import MediaFormats
import PhotoModel
import SystemPackage
import TestSupport
import Testing

@testable import Capture
@testable import MediaEncoding

/// Stills that keep all samples, as programs read them that we did not write.
struct SampleStillTests {
    private static let size = PixelSize(width: 64, height: 48)

    private static func samples(_ bytes: [UInt8], _ format: PixelFormat, bytesPerLine: Int = 0) throws -> FrameSamples {
        let info = FrameInfo.first(format, size, bytesPerLine: bytesPerLine)
        return FrameSamples(info: info, buffer: try #require(MediaBuffer(bytes, budget: MediaBudget(limit: 1 << 24))))
    }

    private static func noise(_ count: Int) -> [UInt8] {
        var generator = SeededGenerator(seed: 11)
        return (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
    }

    /// What ffmpeg decodes.
    private static func pixels(_ file: [UInt8], _ format: String) throws -> [UInt8] {
        let path = try #require(TemporaryFile(file))
        let output = try Tool.run(
            "ffmpeg",
            ["-v", "error", "-i", path.path, "-f", "rawvideo", "-pix_fmt", format, "-"]
        )
        #expect(output.errorText.isEmpty)
        return [UInt8](output.bytes)
    }

    @Test(
        "A PNG of red, green and blue, and of grey, holds every sample as it was",
        arguments: [(PixelFormat.rgb24, "rgb24", 3), (.grey, "gray", 1), (.grey16, "gray16le", 2)]
    )
    func lossless(format: PixelFormat, decoded: String, pixelBytes: Int) throws {
        let noise = Self.noise(Self.size.width * Self.size.height * pixelBytes)
        let png = try SampleStill.png(of: Self.samples(noise, format), exif: ExifMetadata().bytes(), xmp: [])
        #expect(try Self.pixels(png, decoded) == noise)
    }

    @Test(
        "A PNG of YUYV has its colours",
        arguments: [(PixelFormat.yuyv, [180, 90, 180, 150]), (.uyvy, [90, 180, 150, 180])]
    )
    func colours(format: PixelFormat, pixels: [UInt8]) throws {
        let bytes = Array(repeatElement(pixels, count: Self.size.width * Self.size.height / 2).joined())
        let png = try SampleStill.png(of: Self.samples(bytes, format), exif: ExifMetadata().bytes(), xmp: [])
        let decoded = try Self.pixels(png, "rgb24")
        try #require(decoded.count == Self.size.width * Self.size.height * 3)
        // BT.601, full range.
        for (index, expected) in [211, 177, 113].enumerated() {
            #expect(stride(from: index, to: decoded.count, by: 3).allSatisfy { abs(Int(decoded[$0]) - expected) <= 3 })
        }
    }

    @Test("What a sensor sees makes no PNG, and what a camera made of it no DNG")
    func refused() throws {
        let bytes = Self.noise(Self.size.width * Self.size.height * 2)
        #expect(throws: MediaEncodingError.self) {
            try SampleStill.png(of: Self.samples(bytes, PixelFormat("RGGB")), exif: [], xmp: [])
        }
        #expect(throws: MediaEncodingError.self) {
            try SampleStill.dng(of: Self.samples(bytes, .yuyv), camera: "x", exif: ExifMetadata(), xmp: [])
        }
        #expect(throws: MediaEncodingError.self) {
            let short = try Self.samples(Array(bytes.prefix(100)), PixelFormat("RGGB"))
            return try SampleStill.dng(of: short, camera: "x", exif: ExifMetadata(), xmp: [])
        }
    }

    /// Lays samples out as the kernel's documentation shows it (pixfmt-srggb10p.rst and its like).
    private static func packed(_ values: [UInt16], _ layout: BayerLayout, padding: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        for row in 0..<size.height {
            let line = values[row * size.width..<(row + 1) * size.width].map(Int.init)
            switch (layout.packing, layout.bits) {
            case (.bytes, _): bytes += line.map(UInt8.init)
            case (.words, _): bytes += line.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
            case (.packed, 10):
                for at in stride(from: 0, to: line.count, by: 4) {
                    let group = line[at..<at + 4]
                    bytes += group.map { UInt8($0 >> 2) }
                    bytes.append(UInt8(group.enumerated().reduce(0) { $0 | ($1.element & 3) << ($1.offset * 2) }))
                }
            case (.packed, 12):
                for at in stride(from: 0, to: line.count, by: 2) {
                    bytes += [UInt8(line[at] >> 4), UInt8(line[at + 1] >> 4)]
                    bytes.append(UInt8(line[at] & 15 | (line[at + 1] & 15) << 4))
                }
            default:
                for at in stride(from: 0, to: line.count, by: 4) {
                    let low = line[at..<at + 4].map { $0 & 63 }
                    bytes += line[at..<at + 4].map { UInt8($0 >> 6) }
                    bytes.append(UInt8(low[0] | (low[1] & 3) << 6))
                    bytes.append(UInt8(low[1] >> 2 | (low[2] & 15) << 4))
                    bytes.append(UInt8(low[2] >> 4 | low[3] << 2))
                }
            }
            bytes += [UInt8](repeating: 0xEE, count: padding)
        }
        return bytes
    }

    @Test(
        "000.4: a DNG holds a sensor's samples as LibRaw reads them, whatever their packing, and exiftool finds no fault",
        arguments: [
            ("RGGB", 8, "Red,Green][Green,Blue"), ("BG10", 10, "Blue,Green][Green,Red"),
            ("GR14", 14, "Green,Red][Blue,Green"), ("GB16", 16, "Green,Blue][Red,Green"),
            ("pRAA", 10, "Red,Green][Green,Blue"), ("pBCC", 12, "Blue,Green][Green,Red"),
            ("pgEE", 14, "Green,Red][Blue,Green"),
        ],
        [0, 6]
    )
    func dng(sensor: (code: String, bits: Int, pattern: String), padding: Int) throws {
        let format = PixelFormat(rawValue: sensor.code.utf8.reversed().reduce(0) { $0 << 8 | UInt32($1) })
        let layout = try #require(BayerLayout(format))
        #expect(layout.bits == sensor.bits)
        var generator = SeededGenerator(seed: UInt64(sensor.bits))
        let values = (0..<Self.size.width * Self.size.height).map { _ in
            UInt16(truncatingIfNeeded: generator.below(1 << sensor.bits))
        }
        let line = layout.byteCount(ofSamples: Self.size.width) + padding
        let samples = try Self.samples(Self.packed(values, layout, padding: padding), format, bytesPerLine: line)
        var exif = ExifMetadata()
        (exif.make, exif.model) = ("Tintype", "Sensor")
        let bytes = try SampleStill.dng(
            of: samples,
            camera: "Tintype Sensor",
            exif: exif,
            xmp: XMPProperties().packet()
        )
        let file = try #require(TemporaryFile(bytes))
        #expect(try Tool.run("unprocessed_raw", ["-q", file.path]).status == 0)
        let picture = file.path + ".pgm"
        defer { try? FileManager.default.removeItem(atPath: picture) }
        let raw = [UInt8](try Data(contentsOf: URL(fileURLWithPath: picture))).suffix(values.count * 2)
        #expect(Array(raw) == values.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] })
        let tags = try Tool.run(
            "exiftool",
            ["-s", "-CFAPattern", "-WhiteLevel", "-UniqueCameraModel", "-DNGVersion", file.path]
        )
        #expect(tags.text.contains("WhiteLevel                      : \((1 << sensor.bits) - 1)"))
        #expect(tags.text.contains("UniqueCameraModel               : Tintype Sensor"))
        #expect(tags.text.contains("[\(sensor.pattern)]"), "\(tags.text)")
        let complaints = try Tool.run("exiftool", ["-validate", "-warning", "-error", "-a", file.path])
        #expect(complaints.text.contains("OK"), "\(complaints.text)")
        let identified = try Tool.run("raw-identify", [file.path])
        #expect(identified.text.contains("Tintype"), "\(identified.text)")
    }

    @Test("000.4: a DNG has the developed picture as its preview, which exiftool, LibRaw and the library find")
    func preview() throws {
        let size = PixelSize(width: 320, height: 240)
        let noise = Self.noise(size.width * size.height)
        let samples = FrameSamples(
            info: FrameInfo.first(PixelFormat("RGGB"), size, bytesPerLine: 0),
            buffer: try #require(MediaBuffer(noise, budget: MediaBudget(limit: 1 << 24)))
        )
        let compressor = try TurboFrameCompressor()
        let preview = try noise.withBytes { bytes throws(CaptureError) in try compressor.jpeg(of: bytes, samples.info) }
        var exif = ExifMetadata()
        (exif.make, exif.model, exif.original.text) = ("Tintype", "Sensor", "2026:01:02 03:04:05")
        let bytes = try SampleStill.dng(
            of: samples,
            camera: "Tintype Sensor",
            exif: exif,
            xmp: XMPProperties().packet(),
            preview: preview
        )
        let raw = try RawFile(bytes)
        let range = try #require(raw.preview)
        #expect(Array(bytes[range.bounds]) == preview && raw.storedSize == size)
        // Long blocks come last: whatever describes the file is within its beginning.
        let beginning = try RawFile(Array(bytes.prefix(bytes.count - noise.count)))
        #expect(beginning.metadata.captureTime?.description == "2026-01-02T03:04:05")
        let file = try #require(TemporaryFile(bytes))
        #expect(try [UInt8](Tool.run("exiftool", ["-b", "-PreviewImage", file.path]).bytes) == preview)
        let complaints = try Tool.run("exiftool", ["-validate", "-warning", "-error", "-a", file.path])
        #expect(complaints.text.contains("OK"), "\(complaints.text)")
        let thumbnail = file.path + ".thumb.jpg"
        defer { try? FileManager.default.removeItem(atPath: thumbnail) }
        #expect(try Tool.run("simple_dcraw", ["-e", file.path]).status == 0)
        defer { try? FileManager.default.removeItem(atPath: file.path + ".ppm") }
        let found = try [UInt8](Data(contentsOf: URL(fileURLWithPath: thumbnail)))
        #expect(try found.withBytes { try JPEGDecoder().header(of: $0) }.size == size)
    }

    @Test("000.4: a session that keeps samples writes PNG; preview and motion detection still see pictures")
    func session() async throws {
        try await Studio.open(format: .i420, audio: nil, keepsSamples: true) { studio in
            await studio.clock.advance(by: .seconds(2))
            var settings = studio.settings(0x9A6, isLive: false)
            settings.format = .png
            let result = try await studio.session.capturePhoto(with: settings).result()
            #expect(result.still.file.contentType == "image/png" && result.still.pixelSize == Studio.size)
            let path = result.still.file.path.string
            let frame = try #require(await studio.session.newestFrame)
            #expect(try frame.buffer.withBytes { try JPEGDecoder().header(of: $0) }.size == Studio.size)
            #expect(try await TurboGreyDecoder().greyPicture(of: frame) != nil)
            let tags = try Tool.tags(of: path)
            #expect(tags["ExifIFD:ImageUniqueID"] == "000000000000000000000000000009a6")
            #expect(tags["PNG:ImageWidth"] == "640" && tags["XMP-dc:Source"] == "command")
            #expect(try Tool.run("vips", ["avg", path]).status == 0)
            settings = studio.settings(0xD96, isLive: false)
            settings.format = .dng
            let error = await #expect(throws: CaptureError.self) {
                _ = try await studio.session.capturePhoto(with: settings).result()
            }
            #expect(error?.code == .unsupported)
        }
    }
}

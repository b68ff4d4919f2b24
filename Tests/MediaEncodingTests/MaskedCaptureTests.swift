import Capture
import CaptureTestSupport
import Foundation
import MediaEncoding
import MediaFormats
import PhotoModel
import SystemPackage
import Testing

/// Everything that comes of a masked camera, beside the same of an unmasked one.
struct MaskedCaptureTests {
    /// The files of one Live Photo, and what preview and motion detection see.
    private struct Output {
        let still: [UInt8]
        let thumbnail: [UInt8]
        let movie: [UInt8]
        let preview: [UInt8]
        let grey: GreyPicture
    }

    private static func capture(_ format: PixelFormat, _ still: StillFormat, isMasked: Bool) async throws -> Output {
        var output: Output?
        let masker = isMasked ? try TurboFrameMasker(MaskTests.mask()) : nil
        try await Studio.open(format: format, audio: nil, masker: masker) { studio in
            await studio.clock.advance(by: .seconds(2))
            var settings = studio.settings(0xA5C)
            settings.format = still
            settings.embedsThumbnail = true
            let shot = try await studio.session.capturePhoto(with: settings)
            await studio.clock.advance(by: .seconds(2))
            let result = try await shot.result()
            let frame = try #require(await studio.session.newestFrame)
            let path = result.still.file.path.string
            let small = try Tool.run("exiftool", ["-b", "-ThumbnailImage", path])
            output = Output(
                still: try contents(path),
                thumbnail: [UInt8](small.bytes),
                movie: try contents(try #require(result.movie).file.path.string),
                preview: frame.buffer.copyBytes(),
                grey: try #require(await TurboGreyDecoder().greyPicture(of: frame))
            )
        }
        return try #require(output)
    }

    private static func contents(_ path: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    }

    /// The luma of the last picture in a file, as ffmpeg decodes it; a HEIC by libheif's converter first.
    private static func luma(_ bytes: [UInt8], isHEIC: Bool = false) throws -> (size: PixelSize, samples: [UInt8]) {
        let file = try #require(TemporaryFile(bytes))
        let picture = isHEIC ? file.path + ".png" : file.path
        defer { if isHEIC { try? FileManager.default.removeItem(atPath: picture) } }
        if isHEIC { #expect(try Tool.run("vips", ["copy", file.path, picture]).status == 0) }
        let probe = try Tool.run(
            "ffprobe",
            [
                "-v", "error", "-select_streams", "v:0", "-show_entries", "stream=width,height", "-of", "csv=p=0",
                picture,
            ]
        )
        let sides = probe.lines.first?.split(separator: ",").compactMap { Int($0) } ?? []
        let size = try #require(sides.count == 2 ? PixelSize(width: sides[0], height: sides[1]) : nil)
        let decoded = try Tool.run(
            "ffmpeg",
            ["-v", "error", "-i", picture, "-vf", "format=yuvj420p,extractplanes=y", "-f", "rawvideo", "-"]
        )
        return (size, Array(decoded.bytes.suffix(size.width * size.height)))
    }

    /// Expects a picture to be black in the mask's areas, and like the other at some distance from them.
    private static func expectMasked(
        _ masked: (size: PixelSize, samples: [UInt8]),
        _ plain: (size: PixelSize, samples: [UInt8]),
        black: UInt8,
        difference: Int,
        _ what: Comment
    ) throws {
        let (size, mask) = (masked.size, try MaskTests.mask())
        try #require(plain.size == size && plain.samples.count == masked.samples.count && !masked.samples.isEmpty)
        // Cells of two blocks, on whichever scale.
        let side = max(4, 32 * size.width / Studio.size.width)
        let raster = MaskRaster(mask, size: size, cell: PixelSize(width: side, height: side))
        var (lit, changed, sum, count) = (0, 0, 0, 0)
        for y in 0..<size.height {
            let near = raster.rows[y / side]
            for x in 0..<size.width {
                let index = y * size.width + x
                let value = Int(masked.samples[index])
                guard near.contains(where: { $0.contains(x / side) }) else {
                    if abs(value - Int(plain.samples[index])) > difference { changed += 1 }
                    (sum, count) = (sum + value, count + 1)
                    continue
                }
                let place = ((Double(x) + 0.5) / Double(size.width), (Double(y) + 0.5) / Double(size.height))
                if value > Int(black), mask.areas.contains(where: { $0.contains(x: place.0, y: place.1) }) { lit += 1 }
            }
        }
        #expect(lit == 0, what)
        #expect(changed == 0, what)
        #expect(count > 0 && sum / max(1, count) > 30, what)
    }

    @Test(
        "still, thumbnail, movie, preview and motion's picture are black where the mask is, and the same elsewhere",
        arguments: [(PixelFormat.motionJPEG, StillFormat.jpeg), (.i420, .jpeg), (.motionJPEG, .heic)]
    )
    func everything(format: PixelFormat, still: StillFormat) async throws {
        let masked = try await Self.capture(format, still, isMasked: true)
        let plain = try await Self.capture(format, still, isMasked: false)
        let isHEIC = still == .heic
        try Self.expectMasked(
            Self.luma(masked.still, isHEIC: isHEIC),
            Self.luma(plain.still, isHEIC: isHEIC),
            black: isHEIC ? 16 : 0,
            difference: isHEIC ? 24 : 0,
            "still"
        )
        if !isHEIC {
            try Self.expectMasked(
                Self.luma(masked.thumbnail),
                Self.luma(plain.thumbnail),
                black: 16,
                difference: 24,
                "thumbnail"
            )
        }
        try Self.expectMasked(Self.luma(masked.movie), Self.luma(plain.movie), black: 16, difference: 40, "movie")
        try Self.expectMasked(Self.luma(masked.preview), Self.luma(plain.preview), black: 0, difference: 0, "preview")
        try Self.expectMasked(
            (masked.grey.size, masked.grey.samples),
            (plain.grey.size, plain.grey.samples),
            black: 0,
            difference: 0,
            "motion"
        )
    }
}

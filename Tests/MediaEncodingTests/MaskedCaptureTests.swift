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

    /// The luma of a still, or of every frame of a movie.
    private struct Pictures {
        let size: PixelSize
        let frames: [[UInt8]]
    }

    /// The luma of a file as ffmpeg decodes it; a HEIC or AVIF by libheif's converter first.
    private static func luma(_ bytes: [UInt8], isHEIF: Bool = false) throws -> Pictures {
        let file = try #require(TemporaryFile(bytes))
        let picture = isHEIF ? file.path + ".png" : file.path
        defer { if isHEIF { try? FileManager.default.removeItem(atPath: picture) } }
        if isHEIF { #expect(try Tool.run("vips", ["copy", file.path, picture]).status == 0) }
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
            [
                "-v", "error", "-i", picture, "-vf", "format=yuvj420p,extractplanes=y", "-vsync", "0", "-f", "rawvideo",
                "-",
            ]
        )
        let (samples, area) = ([UInt8](decoded.bytes), size.width * size.height)
        try #require(area > 0 && samples.count % area == 0, "\(decoded.errorText)")
        let starts = stride(from: 0, to: samples.count, by: area)
        return Pictures(size: size, frames: starts.map { Array(samples[$0..<$0 + area]) })
    }

    /// Which samples are in the mask's areas, and which at some distance from them.
    private static func places(_ size: PixelSize) throws -> (masked: [Int], distant: [Int]) {
        let mask = try MaskTests.mask()
        // Cells of two blocks, on whichever scale.
        let side = max(4, 32 * size.width / Studio.size.width)
        let raster = MaskRaster(mask, size: size, cell: PixelSize(width: side, height: side))
        var (masked, distant): ([Int], [Int]) = ([], [])
        for y in 0..<size.height {
            let near = raster.rows[y / side]
            for x in 0..<size.width {
                guard near.contains(where: { $0.contains(x / side) }) else {
                    distant.append(y * size.width + x)
                    continue
                }
                let place = ((Double(x) + 0.5) / Double(size.width), (Double(y) + 0.5) / Double(size.height))
                if mask.areas.contains(where: { $0.contains(x: place.0, y: place.1) }) {
                    masked.append(y * size.width + x)
                }
            }
        }
        return (masked, distant)
    }

    /// Expects each picture to be black in the mask's areas, and like the other at some distance from them.
    ///
    /// `strayCount` distant samples of a picture may differ by more. A cell has 256.
    private static func expectMasked(
        _ masked: Pictures,
        _ plain: Pictures,
        black: UInt8,
        difference: Int,
        strayCount: Int = 0,
        _ what: String
    ) throws {
        try #require(plain.size == masked.size && plain.frames.count == masked.frames.count)
        try #require(!masked.frames.isEmpty)
        var places = try Self.places(masked.size)
        // Of many frames a slanted grid is quick, and has samples in every block of 8 x 8.
        if masked.frames.count > 1 {
            let width = masked.size.width
            places.masked = places.masked.filter { ($0 % width + 3 * ($0 / width)) % 8 == 0 }
            places.distant = places.distant.filter { ($0 % width + 3 * ($0 / width)) % 32 == 0 }
        }
        for (number, (frame, other)) in zip(masked.frames, plain.frames).enumerated() {
            let lit = places.masked.count { frame[$0] > black }
            let changed = places.distant.count { abs(Int(frame[$0]) - Int(other[$0])) > difference }
            let sum = places.distant.reduce(0) { $0 + Int(frame[$1]) }
            #expect(lit == 0, "\(what), frame \(number)")
            #expect(changed <= strayCount, "\(what), frame \(number)")
            #expect(sum > 30 * places.distant.count, "\(what), frame \(number)")
        }
    }

    @Test(
        "still, thumbnail, preview, motion's picture and every movie frame are black in the mask, the same elsewhere",
        arguments: [
            (PixelFormat.motionJPEG, StillFormat.jpeg), (.i420, .jpeg), (.motionJPEG, .heic), (.motionJPEG, .avif),
        ]
    )
    func everything(format: PixelFormat, still: StillFormat) async throws {
        let masked = try await Self.capture(format, still, isMasked: true)
        let plain = try await Self.capture(format, still, isMasked: false)
        let isHEIF = still != .jpeg
        // AVIF's filters look at the whole picture: where one object ends, a few samples come out otherwise.
        try Self.expectMasked(
            Self.luma(masked.still, isHEIF: isHEIF),
            Self.luma(plain.still, isHEIF: isHEIF),
            black: isHEIF ? 16 : 0,
            difference: isHEIF ? (still == .avif ? 40 : 24) : 0,
            strayCount: still == .avif ? 64 : 0,
            "still"
        )
        if !isHEIF {
            try Self.expectMasked(
                Self.luma(masked.thumbnail),
                Self.luma(plain.thumbnail),
                black: 16,
                difference: 24,
                "thumbnail"
            )
        }
        let movie = try Self.luma(masked.movie)
        #expect(movie.frames.count > 80)
        try Self.expectMasked(movie, Self.luma(plain.movie), black: 16, difference: 40, "movie")
        try Self.expectMasked(Self.luma(masked.preview), Self.luma(plain.preview), black: 0, difference: 0, "preview")
        try Self.expectMasked(
            Pictures(size: masked.grey.size, frames: [masked.grey.samples]),
            Pictures(size: plain.grey.size, frames: [plain.grey.samples]),
            black: 0,
            difference: 0,
            "motion"
        )
    }

    @Test("A PNG of kept samples is black in the mask, the same elsewhere")
    func keptSamples() async throws {
        var pictures: [Pictures] = []
        for isMasked in [true, false] {
            let masker = isMasked ? try TurboFrameMasker(MaskTests.mask()) : nil
            try await Studio.open(format: .i420, audio: nil, masker: masker, keepsSamples: true) { studio in
                await studio.clock.advance(by: .seconds(2))
                var settings = studio.settings(0xA5D, isLive: false)
                settings.format = .png
                let result = try await studio.session.capturePhoto(with: settings).result()
                pictures.append(try Self.luma(Self.contents(result.still.file.path.string)))
            }
        }
        // Colours are smoothed over the mask's edge.
        try Self.expectMasked(pictures[0], pictures[1], black: 40, difference: 40, "PNG")
    }
}

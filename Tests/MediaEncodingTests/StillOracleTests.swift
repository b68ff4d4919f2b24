import Capture
import CaptureTestSupport
import Foundation
import MediaEncoding
import MediaFormats
import PhotoModel
import SystemPackage
import Testing

/// Our stills as programs see them that we did not write.
struct StillOracleTests {
    /// A still of two seconds after the beginning, the clock an hour east of UTC.
    private static func still(
        _ format: StillFormat,
        isLive: Bool = false,
        _ change: @Sendable (inout CapturePhotoSettings) -> Void = { _ in },
        body: (CaptureResult) throws -> Void
    ) async throws {
        try await Studio.open(audio: nil) { studio in
            await studio.clock.advance(by: .seconds(2))
            var settings = studio.settings(0xABC, isLive: isLive)
            settings.format = format
            settings.trigger = Trigger(.command, name: "test")
            change(&settings)
            let shot = try await studio.session.capturePhoto(with: settings)
            await studio.clock.advance(by: .seconds(2))
            try body(try await shot.result())
        }
    }

    @Test(
        "Every field of EXIF and XMP is what was known, and nothing is warned of",
        arguments: [StillFormat.jpeg, .heic, .avif]
    )
    func fields(format: StillFormat) async throws {
        try await Self.still(format) { result in
            let tags = try Tool.tags(of: result.still.file.path.string)
            let local = CivilTime(result.frame.captureTime.wall, utcOffsetSeconds: 3600)
            let digits = { (value: Int) in value < 10 ? "0\(value)" : "\(value)" }
            let date = [local.month, local.day].map(digits).joined(separator: ":")
            let time = [local.hour, local.minute, local.second].map(digits).joined(separator: ":")
            let expected = [
                "IFD0:Make": "Tintype",
                "IFD0:Model": "Synthetic Camera",
                "IFD0:Software": "Tintype Tests 1",
                "IFD0:Orientation": "1",
                "IFD0:ModifyDate": "\(local.year):\(date) \(time)",
                "ExifIFD:ExifVersion": "0232",
                "ExifIFD:DateTimeOriginal": "\(local.year):\(date) \(time)",
                "ExifIFD:CreateDate": "\(local.year):\(date) \(time)",
                "ExifIFD:OffsetTime": "+01:00",
                "ExifIFD:OffsetTimeOriginal": "+01:00",
                "ExifIFD:OffsetTimeDigitized": "+01:00",
                "ExifIFD:ExifImageWidth": "640",
                "ExifIFD:ExifImageHeight": "360",
                "ExifIFD:ImageUniqueID": "00000000000000000000000000000abc",
                "ExifIFD:SerialNumber": "synthetic-camera",
                "ExifIFD:SceneType": "1",
                "Composite:GPSLatitude": "48.25",
                "Composite:GPSLongitude": "11.5",
                "Composite:GPSAltitude": "519",
                "XMP-dc:Source": "command: test",
            ]
            for (name, value) in expected { #expect(tags[name] == value, "\(name)") }
            let fraction = try #require(tags["ExifIFD:SubSecTimeOriginal"].flatMap { Double("0.\($0)") })
            #expect(abs(fraction - Double(local.microsecond) / 1_000_000) < 0.001)
            #expect(tags.keys.allSatisfy { !$0.contains("ExposureTime") })
            let complaints = try Tool.tags(of: result.still.file.path.string, ["-validate", "-warning", "-error"])
            #expect(complaints == ["ExifTool:Validate": "0 0 0"])
        }
    }

    @Test("libjpeg-turbo, libvips and ffmpeg decode a still without a word, to the same picture")
    func jpegDecodes() async throws {
        try await Self.still(.jpeg) { result in
            let path = result.still.file.path.string
            let bytes = try [UInt8](Data(contentsOf: URL(fileURLWithPath: path)))
            let header = try bytes.withBytes { try JPEGDecoder().header(of: $0) }
            #expect(header.size == Studio.size)
            try Self.expectSamePicture(path, size: Studio.size)
        }
    }

    @Test(
        "000.4: libvips and libheif's tools decode a HEIC and an AVIF, to nearly the picture of the JPEG",
        arguments: [StillFormat.heic, .avif]
    )
    func heicDecodes(format: StillFormat) async throws {
        try await Self.still(format) { result in
            #expect(result.still.file.contentType == "image/\(format.rawValue)")
            let ending = ".\(format.rawValue.uppercased())"
            #expect(result.resources[0].originalFilename?.bytes.suffix(5) == Array(ending.utf8)[...])
            let path = result.still.file.path.string
            let heic = try Self.pixels(path, with: "vips")
            #expect(heic.count == Studio.size.width * Studio.size.height * 3)
            let information = try Tool.run("heif-info", [path])
            #expect(information.status == 0 && information.text.contains("640x360"))
            try Self.compareWithSibling(heic)
        }
    }

    /// The synthetic camera shows the same at the same time: a JPEG of it is what a HEIC must look like.
    private static func compareWithSibling(_ heic: [UInt8]) throws {
        let picture = SyntheticPicture(size: Studio.size)
        // The bar code survives compression, and says which frame it is.
        func luma(_ x: Int, _ y: Int) -> UInt8 {
            let index = (y * Studio.size.width + x) * 3
            let (red, green, blue) = (Int(heic[index]), Int(heic[index + 1]), Int(heic[index + 2]))
            return UInt8((red * 299 + green * 587 + blue * 114) / 1000)
        }
        let number = picture.frameNumber { luma($0, $1) }
        let reading = ClockReading(
            monotonic: MonotonicTime(nanoseconds: 0),
            wall: WallTime(millisecondsSince1970: 0),
            isSynchronized: true
        )
        let drawn = picture.samples(frame: number, isClap: false, reading: reading)
        // The lower half, without the clock and the digits.
        var worst = 0
        for y in stride(from: Studio.size.height / 2 + 8, to: Studio.size.height - 60, by: 7) {
            for x in stride(from: 4, to: Studio.size.width - 4, by: 5) {
                worst = max(worst, abs(Int(luma(x, y)) - Int(drawn[y * Studio.size.width + x])))
            }
        }
        // Chroma of half the size bleeds over the edges of the bars.
        #expect(worst < 40)
    }

    @Test(
        "A HEIC is turned by its container and not a second time by EXIF",
        arguments: ImageOrientation.allCases
    )
    func heicOrientation(orientation: ImageOrientation) async throws {
        try await Self.still(.heic) {
            $0.orientation = orientation
        } body: { result in
            let path = result.still.file.path.string
            let tags = try Tool.tags(of: path)
            #expect(tags["IFD0:Orientation"] == "1")
            let isUpright = [.up, .upMirrored, .down, .downMirrored].contains(orientation)
            let width = try Tool.run("vipsheader", ["-f", "width", path]).text.trimmingCharacters(in: .whitespaces)
            #expect(width.hasPrefix(isUpright ? "640" : "360"))
            let bytes = try [UInt8](Data(contentsOf: URL(fileURLWithPath: path)))
            #expect(try HEIFImage(bytes).primaryProperties.orientation == orientation)
        }
    }

    @Test("003.1: a HEIC still and its movie name each other", arguments: [StillFormat.jpeg, .heic, .avif])
    func pair(format: StillFormat) async throws {
        try await Self.still(format, isLive: true) { result in
            let movie = try #require(result.movie)
            let still = try Tool.tags(of: result.still.file.path.string)
            let identifier = try #require(result.contentIdentifier).fileText
            #expect(still["Apple:ContentIdentifier"] == identifier)
            #expect(try Tool.tags(of: movie.file.path.string)["Keys:ContentIdentifier"] == identifier)
            #expect(still["ExifTool:Warning"] == nil)
        }
    }

    @Test("A small picture goes with the still when it is asked for", arguments: [StillFormat.jpeg, .heic, .avif])
    func thumbnail(format: StillFormat) async throws {
        try await Self.still(format) {
            $0.embedsThumbnail = true
        } body: { result in
            let path = result.still.file.path.string
            if format != .jpeg {
                let information = try Tool.run("heif-info", [path])
                #expect(information.text.contains("thumbnail: 320x180"))
                return
            }
            let small = try Tool.run("exiftool", ["-b", "-ThumbnailImage", path])
            let header = try [UInt8](small.bytes).withBytes { try JPEGDecoder().header(of: $0) }
            #expect(header.size == PixelSize(width: 320, height: 180))
            let complaints = try Tool.tags(of: path, ["-validate", "-warning", "-error"])
            #expect(complaints == ["ExifTool:Validate": "0 0 0"])
        }
        try await Self.still(format) { result in
            let small = try Tool.run("exiftool", ["-b", "-ThumbnailImage", result.still.file.path.string])
            #expect(small.bytes.isEmpty)
        }
    }

    @Test("000.4: a format that the recorder does not write is refused before anything begins")
    func refused() async throws {
        try await Studio.open(audio: nil) { studio in
            await studio.clock.advance(by: .seconds(1))
            var settings = studio.settings(1, isLive: false)
            settings.format = .dng
            let error = await #expect(throws: CaptureError.self) {
                _ = try await studio.session.capturePhoto(with: settings)
            }
            #expect(error?.code == .unsupported)
            #expect(await studio.session.activity.inFlightCount == 0)
        }
    }

    private static func expectSamePicture(_ path: String, size: PixelSize) throws {
        let (one, other) = (try pixels(path, with: "ffmpeg"), try pixels(path, with: "vips"))
        #expect(one.count == size.width * size.height * 3)
        try #require(one.count == other.count)
        // Decoders differ in how they make chroma larger.
        let difference = zip(one, other).reduce(0) { $0 + abs(Int($1.0) - Int($1.1)) }
        #expect(Double(difference) / Double(one.count) < 2)
    }

    /// Red, green and blue of every pixel.
    private static func pixels(_ path: String, with tool: String) throws -> [UInt8] {
        if tool == "ffmpeg" {
            let output = try Tool.run(
                "ffmpeg",
                ["-v", "error", "-xerror", "-i", path, "-f", "rawvideo", "-pix_fmt", "rgb24", "-"]
            )
            #expect(output.status == 0 && output.errorText == "")
            return [UInt8](output.bytes)
        }
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).ppm")
        defer { try? FileManager.default.removeItem(at: file) }
        let output = try Tool.run("vips", ["copy", path, file.path])
        // Debian 12's libvips says of each AVIF that it leaves the colours of its nclx profile to the decoder.
        let words = output.errorText.split(separator: "\n").filter { !$0.hasSuffix("heifload: ignoring nclx profile") }
        #expect(output.status == 0 && words.isEmpty, "\(output.errorText)")
        // A portable pixmap ends in its samples.
        let bytes = try [UInt8](Data(contentsOf: file))
        return Array(bytes.suffix(Studio.size.width * Studio.size.height * 3))
    }
}

import Foundation
import MediaFormats
import MediaSamples
import MediaWorker
import PhotoModel
import TestSupport
import Testing

struct DecodingTests {
    private let workshop = Workshop()

    @Test(
        "004.90: a still of every format gives two thumbnails in its own proportions, its facts and a placeholder",
        arguments: ["jpg", "png", "webp", "tif", "heic", "avif", "jxl", "gif"]
    )
    func stills(ending: String) async throws {
        let output = try await workshop.perform(Samples.still(ending))
        #expect(output.facts.size == PixelSize(width: 1600, height: 1200))
        let codecs = ["jpg": "jpeg", "tif": "tiff", "heic": "heif", "avif": "heif"]
        #expect(output.facts.codec == codecs[ending] ?? ending)
        #expect(output.facts.thumbHash != nil)
        let sizes = [PixelSize(width: 1024, height: 768), PixelSize(width: 256, height: 192)]
        #expect(output.pictures.map(\.size) == sizes)
        for picture in output.pictures {
            let colors = try await Samples.colors(of: picture.bytes, picture.size, at: [(0.1, 0.5), (0.9, 0.5)])
            #expect(colors == "rb")
        }
    }

    @Test(
        "Every orientation of EXIF is applied",
        arguments: [
            (1, "rb"), (2, "br"), (3, "br"), (4, "rb"), (5, "rb"), (6, "rb"), (7, "br"), (8, "br"),
        ]
    )
    func orientation(value: Int, expected: String) async throws {
        let output = try await workshop.perform(Samples.still("jpg", orientation: value))
        let isTurned = value >= 5
        #expect(output.facts.size == PixelSize(width: isTurned ? 1200 : 1600, height: isTurned ? 1600 : 1200))
        let small = try #require(output.pictures.last)
        #expect(small.size == PixelSize(width: isTurned ? 192 : 256, height: isTurned ? 256 : 192))
        let points = isTurned ? [(0.5, 0.1), (0.5, 0.9)] : [(0.1, 0.5), (0.9, 0.5)]
        #expect(try await Samples.colors(of: small.bytes, small.size, at: points) == expected)
        let converted = try await workshop.perform(Samples.still("jpg", orientation: value), .jpeg)
        let whole = try #require(converted.pictures.first)
        #expect(try await Samples.colors(of: whole.bytes, whole.size, at: points) == expected)
    }

    @Test(
        "A raw photo is shown by the picture that the camera put into it, turned as the camera was held",
        arguments: SampleRaw.Format.allCases
    )
    func rawPhotos(format: SampleRaw.Format) async throws {
        let preview = try await Samples.still("jpg", orientation: format == .raf ? 6 : nil)
        let output = try await workshop.perform(Data(SampleRaw.file(format, preview: Array(preview))))
        let isSized = format != .raf || output.facts.size == PixelSize(width: 4000, height: 6000)
        #expect(isSized && output.facts.thumbHash != nil)
        let small = try #require(output.pictures.last)
        #expect(small.size == PixelSize(width: 192, height: 256))
        #expect(try await Samples.colors(of: small.bytes, small.size, at: [(0.5, 0.1), (0.5, 0.9)]) == "rb")
    }

    @Test("A raw photo shown by its uncompressed thumbnail keeps the size of its sensor's image")
    func rawThumbnail() async throws {
        let file = Data(try SampleRaw.android())
        for task in [MediaRequest.Task.thumbnails, .jpeg] {
            let output = try await workshop.perform(file, task)
            #expect(output.facts.size == PixelSize(width: 6000, height: 4000))
            #expect(output.pictures.last?.size == PixelSize(width: 256, height: 170))
        }
    }

    @Test("A sensor's mosaic without a preview is refused, not shown as a dark grey picture")
    func mosaic() async throws {
        let file = Data(try SampleRaw.sensor())
        for task in [MediaRequest.Task.thumbnails, .jpeg] {
            let failure = try #require(await workshop.failure(file, task))
            #expect(failure.failure?.code == .unsupported, "\(failure)")
        }
    }

    @Test("Thumbnails hold no metadata; a small picture is not made larger; transparency lies on white")
    func bareAndSmall() async throws {
        let plain = try await Samples.still("jpg")
        let marked = try withTemporaryDirectory { folder in
            let file = folder.appending(path: "sample.jpg")
            try plain.write(to: file)
            let tags = ["-GPSLatitude=48.2", "-GPSLatitudeRef=N", "-Artist=Somebody", "-Orientation=1"]
            _ = try ChildProcess.run("exiftool", ["-q", "-n", "-overwrite_original"] + tags + [file.path])
            return try Data(contentsOf: file)
        }
        #expect(marked.contains(Data("Somebody".utf8)))
        let both = [ThumbnailFormat.jpeg, .webP].map { MediaRequest.Thumbnail(side: 256, format: $0) }
        for picture in try await workshop.perform(marked, thumbnails: both).pictures {
            #expect(!Data(picture.bytes).contains(Data("Exif".utf8)))
            #expect(!Data(picture.bytes).contains(Data("Somebody".utf8)))
        }
        let small = try withTemporaryDirectory { folder in
            let file = folder.appending(path: "small.png").path
            let source = "color=red@0.0:s=40x30,format=rgba"
            _ = try ChildProcess.run("ffmpeg", ["-v", "error", "-f", "lavfi", "-i", source, "-frames:v", "1", file])
            return try Data(contentsOf: URL(filePath: file))
        }
        let output = try await workshop.perform(small)
        #expect(output.pictures.map(\.size) == [PixelSize(width: 40, height: 30), PixelSize(width: 40, height: 30)])
        let picture = try #require(output.pictures.first)
        #expect(try await Samples.colors(of: picture.bytes, picture.size, at: [(0.5, 0.5)]) == "w")
    }

    @Test("A thumbnail is a WebP where one is asked for, without metadata", arguments: ["jpg", "png"])
    func webP(ending: String) async throws {
        let output = try await workshop.perform(
            Samples.still(ending),
            thumbnails: [.init(side: 1024), .init(side: 256, format: .webP)]
        )
        let picture = try #require(output.pictures.last)
        #expect(output.pictures.map { ThumbnailFormat.webP.isComplete($0.bytes) } == [false, true])
        #expect(picture.size == PixelSize(width: 256, height: 192))
        #expect(try await Samples.colors(of: picture.bytes, picture.size, at: [(0.1, 0.5), (0.9, 0.5)]) == "rb")
        #expect(picture.bytes[12..<16].elementsEqual("VP8 ".utf8), "lossy, without the chunks that hold metadata")
    }

    @Test("A whole picture is converted to JPEG", arguments: ["heic", "png", "webp"])
    func conversion(ending: String) async throws {
        let output = try await workshop.perform(Samples.still(ending), .jpeg)
        #expect(output.pictures.map(\.size) == [PixelSize(width: 1600, height: 1200)])
        let picture = try #require(output.pictures.first)
        #expect(try await Samples.colors(of: picture.bytes, picture.size, at: [(0.1, 0.5), (0.9, 0.5)]) == "rb")
    }

    @Test("A picture whose JPEG has megabytes is converted")
    func largeConversion() async throws {
        let size = PixelSize(width: 2400, height: 1800)
        let noise = try await Samples.noise(size)
        let converted = try #require(try await workshop.perform(noise, .jpeg).pictures.first)
        #expect(converted.size == size && converted.bytes.count > 1 << 20)
        let copy = try await workshop.perform(Data(converted.bytes), .jpeg)
        #expect(copy.pictures.map(\.size) == [size])
    }

    @Test("A movie gives a poster, turned as its track says, with length and codec", arguments: [0, 90, 180, 270])
    func movies(degrees: Int) async throws {
        let output = try await workshop.perform(Samples.movie(clockwise: degrees), of: .movie)
        let isTurned = degrees % 180 != 0
        #expect(output.facts.size == PixelSize(width: isTurned ? 480 : 640, height: isTurned ? 640 : 480))
        #expect(output.facts.codec == "h264")
        #expect(try (1900...2100).contains(#require(output.facts.durationMilliseconds)))
        let small = try #require(output.pictures.last)
        let points = isTurned ? [(0.5, 0.1), (0.5, 0.9)] : [(0.1, 0.5), (0.9, 0.5)]
        let expected = degrees == 0 || degrees == 90 ? "rb" : "br"
        #expect(try await Samples.colors(of: small.bytes, small.size, at: points) == expected)
    }

    @Test("Other containers of cameras are read too", arguments: ["mp4", "mkv", "avi"])
    func containers(ending: String) async throws {
        let output = try await workshop.perform(Samples.movie(ending), of: .movie)
        #expect(output.facts.size == PixelSize(width: 640, height: 480))
        let whole = try await workshop.perform(Samples.movie(ending), .jpeg, of: .movie)
        #expect(whole.pictures.map(\.size) == [PixelSize(width: 640, height: 480)])
    }
}

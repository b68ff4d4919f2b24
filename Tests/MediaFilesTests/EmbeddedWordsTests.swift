import Foundation
import LibraryAPI
import MediaFiles
import MediaFormats
import MediaSamples
import Persistence
import PhotoModel
import Testing

/// What the files of an import say of themselves becomes the asset's own.
struct EmbeddedWordsTests {
    private static let folder = FileManager.default.temporaryDirectory

    private static func imported(_ files: [String: [UInt8]]) throws -> ImportableAsset {
        let root = folder.appending(path: "tt-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(at: root, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: root) }
        for (name, bytes) in files { try Data(bytes).write(to: root.appending(path: name)) }
        var collection = MediaCollection(in: PosixFileSystem())
        try collection.add(Path(root.path))
        return try ImportableAsset(try #require(collection.groups.first), album: nil, in: PosixFileSystem())
    }

    private static var words: XMPProperties {
        var words = XMPProperties()
        words.title = "Inside"
        words.description = "Written into the photo"
        words.keywords = ["gate", "noon"]
        words.rating = 3
        words.place.city = "Ulm"
        return words
    }

    @Test("caption, title, keywords, rating and place of the file are the asset's")
    func embedded() throws {
        let manifest = try Self.imported(["a.jpg": try SampleStill.jpeg(xmp: Self.words.packet())]).manifest
        #expect(manifest.title == "Inside")
        #expect(manifest.caption == "Written into the photo")
        #expect(manifest.keywords?.map(\.text) == ["gate", "noon"])
        #expect(manifest.rating?.rawValue == 3)
        #expect(manifest.placeName == "Ulm")
    }

    @Test("a sidecar goes before what is embedded, field by field, and is no latecomer for what both say")
    func sidecarFirst() throws {
        var beside = XMPProperties()
        beside.title = "Beside"
        beside.keywords = ["fence"]
        let photo = try SampleStill.jpeg(xmp: Self.words.packet())
        let manifest = try Self.imported(["a.jpg": photo, "a.jpg.xmp": beside.packet()]).manifest
        #expect(manifest.title == "Beside")
        #expect(manifest.keywords?.map(\.text) == ["fence"])
        #expect(manifest.caption == "Written into the photo")
    }

    @Test("an asset that was taken before its file's own words were read is told of no sidecar for them")
    func takenWithout() throws {
        let root = Self.folder.appending(path: "tt-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(at: root, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: root) }
        try Data(SampleStill.jpeg(xmp: Self.words.packet())).write(to: root.appending(path: "a.jpg"))
        try Data(Self.words.packet()).write(to: root.appending(path: "a.jpg.xmp"))
        var collection = MediaCollection(in: PosixFileSystem())
        try collection.add(Path(root.path))
        let group = try #require(collection.groups.first)
        let asset = try ImportableAsset(group, album: nil, in: PosixFileSystem())
        var old = asset.manifest
        (old.title, old.caption, old.keywords, old.rating) = (nil, nil, nil, nil)
        #expect(TakenAsset(old).latecomers(of: group, as: asset).sidecars.isEmpty)
    }

    @Test("a text beyond the library's limit is left out")
    func limits() throws {
        var words = XMPProperties()
        words.title = String(repeating: "a", count: 513)
        words.description = "short"
        let manifest = try Self.imported(["a.jpg": try SampleStill.jpeg(xmp: words.packet())]).manifest
        #expect(manifest.title == nil)
        #expect(manifest.caption == "short")
    }

    @Test(
        "a date of change or of the position alone dates a picture",
        arguments: ["a.tif", "a.jpg", "a.heic"],
        [true, false]
    )
    func dates(name: String, isChange: Bool) throws {
        var exif = ExifMetadata()
        if isChange {
            exif.modified.text = "2021:02:03 04:05:06"
            exif.modified.offset = "+00:00"
        } else {
            exif.gps.setTime(try #require(WallTime("2021-02-03T04:05:06Z")))
        }
        let block = try exif.bytes()
        var image = SampleImage()
        image.items[1] = SampleImage.Item(id: 2, type: "Exif", bytes: [0, 0, 0, 0] + block)
        let file =
            switch name {
            case "a.tif": try SampleStill.tiff(exif)
            case "a.heic": image.bytes
            default: try SampleStill.jpeg(exif: block)
            }
        let time = try Self.imported([name: file]).manifest.captureTime
        #expect(time.source == .fileMetadata)
        #expect(time.wall == WallTime("2021-02-03T04:05:06Z"))
    }

    @Test("a picture is what its bytes are, whatever its name says")
    func deniedType() throws {
        let manifest = try Self.imported(["a.jpg": try SampleStill.png()]).manifest
        #expect(manifest.resources.map(\.contentType) == ["image/png"])
        #expect(manifest.pixelSize == PixelSize(width: 1, height: 1))
    }

    @Test("004.24, 004.25, 004.35: kinds that a file's name alone tells")
    func names() throws {
        let picture = try SampleStill.png()
        #expect(try Self.imported(["Screenshot_20260101.png": picture]).manifest.mediaSubtypes == .photoScreenshot)
        #expect(try Self.imported(["IMG_1.png": picture]).manifest.mediaSubtypes == [])
        let movie = SampleMovie().bytes
        let recorded = try Self.imported(["Screen Recording 1.mov": movie]).manifest.mediaSubtypes
        #expect(recorded.contains(.videoScreenRecording))
        let android = try Self.imported(["screen-20230501-123456.mp4": movie]).manifest.mediaSubtypes
        #expect(android.contains(.videoScreenRecording))
        #expect(try Self.imported(["TIMELAPSE_1.mov": movie]).manifest.mediaSubtypes.contains(.videoTimelapse))
    }

    @Test(
        "004.29: bursts that only their files' names tell, with the picture that represents them",
        arguments: [
            (["00000IMG_00000_BURST20190501123456789.jpg", "00001IMG_00001_BURST20190501123456789_COVER.jpg"], true),
            (["IMG_20190501_123456_BURST001_COVER.jpg", "IMG_20190501_123456_BURST2.jpg"], true),
            (["IMG_20190501_123456_BURST001.jpg", "IMG_20190501_123457_BURST002.jpg"], false),
        ]
    )
    func namedBursts(names: [String], areOne: Bool) throws {
        let bursts = try names.map { name in
            try #require(try Self.imported([name: try SampleStill.jpeg()]).manifest.burst)
        }
        #expect((bursts[0].id == bursts[1].id) == areOne)
        #expect(bursts.map(\.representsBurst) == names.map { $0.contains("COVER") })
    }

    @Test(
        "a name that only resembles a burst's is of none",
        arguments: ["STAR_BURST.jpg", "STAR_BURST2019.jpg", "IMG_BURST001.jpg", "IMG_20190501_123456_BURST1_x.jpg"]
    )
    func noBurst(name: String) throws {
        #expect(try Self.imported([name: try SampleStill.jpeg()]).manifest.burst == nil)
    }

    @Test("a WebP of several frames is an animated picture", arguments: [0, 1, 2])
    func animatedWebP(frames: Int) throws {
        let asset = try Self.imported(["a.webp": try SampleStill.webp(frames: frames)]).manifest.asset
        #expect(asset.playbackStyle == (frames > 1 ? .imageAnimated : .image))
    }

    @Test("004.27, 004.28: kinds that a file's own tracks and pictures tell")
    func partsOfFiles() throws {
        var photo = SampleImage()
        #expect(try Self.imported(["a.heic": photo.bytes]).manifest.mediaSubtypes == [])
        photo.items.append(.init(id: 3, type: "hvc1", bytes: [3], auxiliaryType: "urn:mpeg:hevc:2015:auxid:2"))
        #expect(try Self.imported(["a.heic": photo.bytes]).manifest.mediaSubtypes == .photoDepthEffect)
        var movie = SampleMovie()
        movie.moreTracks = SampleMovie.timedTrack(
            key: "com.apple.quicktime.cinematic-video.rendering",
            sampleOffset: 28,
            sampleCount: 1,
            samplesPerChunk: 1
        )
        #expect(try Self.imported(["a.mov": movie.bytes]).manifest.mediaSubtypes == .videoCinematic)
    }

    @Test("004.24: a camera's photo is no picture of a screen, whatever it is called")
    func cameraPhoto() throws {
        var exif = ExifMetadata()
        exif.make = "Maker"
        let file = try SampleStill.jpeg(exif: try exif.bytes())
        #expect(try Self.imported(["Screenshot_1.jpg": file]).manifest.mediaSubtypes == [])
    }

    @Test(
        "a raw photo has the size, the date and the orientation that its maker wrote",
        arguments: SampleRaw.Format.allCases
    )
    func raw(format: SampleRaw.Format) throws {
        var exif = ExifMetadata()
        exif.original.text = "2026:01:02 03:04:05"
        exif.orientation = .right
        let file = try SampleRaw.file(format, preview: try SampleStill.jpeg(exif: try exif.bytes()))
        let manifest = try Self.imported(["a.\(format.rawValue)": file]).manifest
        #expect(manifest.pixelSize == PixelSize(width: 4000, height: 6000))
        #expect(manifest.captureTime.source == .fileMetadata)
    }
}

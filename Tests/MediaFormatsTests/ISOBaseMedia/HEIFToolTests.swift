import Foundation
import MediaFormats
import MediaSamples
import PhotoModel
import TestSupport
import Testing

/// Our reader beside exiftool and libheif, on pictures that heif-enc wrote and on photos of the world.
struct HEIFToolTests {
    private static let tags = [
        "-Make=Maker", "-Model=Box", "-DateTimeOriginal=2026:01:02 03:04:05", "-OffsetTimeOriginal=+01:00",
        "-GPSLatitude=41.5", "-GPSLatitudeRef=N", "-GPSLongitude=96.25", "-GPSLongitudeRef=W",
        "-XMP-dc:Title=Kept", "-XMP-photoshop:City=Omaha", "-XMP-exif:GPSLatitude=41.5",
    ]

    @Test("size, brands and metadata of made pictures are those exiftool sees", arguments: ["heic", "avif"])
    func header(fileExtension: String) throws {
        let plain = try MediaTools.picture(fileExtension)
        let bytes = try MediaTools.tagged(plain, fileExtension, Self.tags)
        let image = try HEIFImage(bytes)
        #expect(bytes.withBytes { ContentType(sniffing: $0) }.fileExtension == fileExtension)
        #expect(image.primaryProperties.displaySize == PixelSize(width: 320, height: 240))
        let exif = try #require(try image.exif(bytes))
        #expect(exif.make == "Maker")
        #expect(exif.original.civilTime?.description == "2026-01-02T03:04:05+01:00")
        #expect(exif.gps.location == Location(latitude: 41.5, longitude: -96.25))
        #expect(try image.xmp(bytes)?.title == "Kept")
        let again = try HEIFImage(plain)
        #expect(
            image.imageDataRanges.map { Array(bytes[$0.bounds]) }
                == again.imageDataRanges.map { Array(plain[$0.bounds]) }
        )
    }

    @Test("D17: without a date of the shot the position's date counts, else that of the last change")
    func otherDates() throws {
        let changed = ["-EXIF:ModifyDate=2026:01:02 03:04:05"]
        let position = ["-GPSDateStamp=2026:01:01", "-GPSTimeStamp=10:00:00"]
        let plain = try MediaTools.picture("heic")
        for (tags, date) in [(changed, "2026-01-02T03:04:05"), (changed + position, "2026-01-01T10:00:00Z")] {
            let bytes = try MediaTools.tagged(plain, "heic", tags)
            #expect(try PictureMetadata(of: bytes).captureTime?.description == date)
        }
    }

    @Test(
        "004.60, T32: exiftool finds the place before and none after, and all decodes the same",
        arguments: ["heic", "avif"]
    )
    func stripped(fileExtension: String) throws {
        let bytes = try MediaTools.tagged(try MediaTools.picture(fileExtension), fileExtension, Self.tags)
        #expect(try !MovieToolTests.placeTags(bytes, fileExtension).isEmpty)
        let file = try HEIFImage(bytes).stripped(bytes, of: .location)
        let new = try bytes.withBytes { try file.copyBytes(from: $0) }
        #expect(new.count == bytes.count)
        #expect(try MovieToolTests.placeTags(new, fileExtension) == [])
        let answer = try #require(try ExifTool.read(["a.\(fileExtension)": new]).values.first)
        #expect(ExifTool.complaints(answer).isEmpty)
        #expect(answer["IFD0:Make"] as? String == "Maker")
        #expect(answer["XMP-dc:Title"] as? String == "Kept")
        #expect(
            try MediaTools.decodedPicture(new, fileExtension) == MediaTools.decodedPicture(bytes, fileExtension)
        )
    }

    @Test(
        "003.22: exiftool knows our Motion Photos and takes the movie out unchanged",
        arguments: ["heic", "avif", "jpg"]
    )
    func motionPhoto(fileExtension: String) throws {
        let isJPEG = fileExtension == "jpg"
        let still = isJPEG ? try SampleStill.jpeg() : try MediaTools.picture(fileExtension)
        let movie = try MediaTools.movie(.init(seconds: 1, fileExtension: "mp4"))
        let file = try MotionPhoto.beginning(
            still: still,
            movieByteCount: movie.count,
            movieType: .mpeg4Movie,
            stillTime: .milliseconds(500)
        )
        let bytes = try still.withBytes { try file.copyBytes(from: $0) } + movie
        let answer = try #require(try ExifTool.read(["aMP.\(fileExtension)": bytes]).values.first)
        #expect(ExifTool.complaints(answer).isEmpty)
        #expect(answer["XMP-GCamera:MotionPhoto"] as? Int == 1)
        #expect(answer["XMP-GCamera:MotionPhotoPresentationTimestampUs"] as? Int == 500_000)
        let split = try #require(try MotionPhoto(bytes))
        #expect(Array(bytes[split.movie.bounds]) == movie)
        #expect(try MediaTools.decoded(Array(bytes[split.movie.bounds]), "mp4") == MediaTools.decoded(movie, "mp4"))
        guard !isJPEG else {
            #expect(try MediaTools.decoded(Array(bytes[split.still.bounds]), "jpg") == MediaTools.decoded(still, "jpg"))
            return
        }
        let extracted = try MediaTools.withFile(bytes, fileExtension) { path in
            [UInt8](try ChildProcess.run("exiftool", ["-b", "-MotionPhotoVideo", path]).output)
        }
        #expect(extracted == movie)
        #expect(
            try MediaTools.decodedPicture(bytes, fileExtension) == MediaTools.decodedPicture(still, fileExtension)
        )
    }

    @Test("Every field of the HEIC and AVIF photos in TINTYPE_PHOTOS means the same to exiftool")
    func photosOfTheWorld() throws {
        guard let folder = ProcessInfo.processInfo.environment["TINTYPE_PHOTOS"] else { return }
        let answers = try ExifTool.read(["-r", "-ext", "heic", "-ext", "heif", "-ext", "avif", folder])
        for (name, answer) in answers {
            let path = try #require(answer["SourceFile"] as? String)
            let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
            let comparison = try HEIFComparison(bytes, answer)
            print("TINTYPE_PHOTOS: \(name): \(comparison.agreedFields) fields equal")
            #expect(comparison.disagreements.isEmpty, "\(name)")
            let file = try HEIFImage(bytes).stripped(bytes, of: .location)
            let new = try bytes.withBytes { try file.copyBytes(from: $0) }
            #expect(try MovieToolTests.placeTags(new, (name as NSString).pathExtension) == [], "\(name)")
            #expect(try MediaTools.decodedPicture(new, "heic") == MediaTools.decodedPicture(bytes, "heic"), "\(name)")
        }
    }
}

/// Compares what exiftool and we know of a HEIF file.
private struct HEIFComparison {
    private(set) var disagreements: [String] = []
    private(set) var agreedFields = 0

    init(_ bytes: [UInt8], _ answer: ExifTool.Answer) throws {
        let image = try HEIFImage(bytes)
        let exif = try image.exif(bytes) ?? ExifMetadata()
        let size = image.primaryProperties.codedSize
        compare(answer["File:ImageWidth"], size?.width)
        compare(answer["File:ImageHeight"], size?.height)
        compare(answer["Meta:PrimaryItemReference"], Int(image.primaryItemID))
        compare(answer["IFD0:Make"], exif.make)
        compare(answer["IFD0:Model"], exif.model)
        compare(answer["IFD0:Orientation"], exif.orientationCode)
        compare(answer["ExifIFD:ISO"], exif.isoSpeed)
        let offset = exif.original.civilTime?.utcOffsetSeconds
        compare(answer["ExifIFD:OffsetTimeOriginal"], offset.map { CivilTime.offsetText(seconds: $0) })
        compare(answer["Apple:ContentIdentifier"], exif.appleMakerNote?.contentIdentifier?.fileText)
        compare(answer["GPS:GPSLatitude"] as? Double, exif.gps.latitude.map(abs))
        compare(answer["GPS:GPSLongitude"] as? Double, exif.gps.longitude.map(abs))
        let motion = try MotionPhoto(bytes)
        let xmp = try image.xmp(bytes)
        let properties = xmp?.motionPhoto ?? XMPMotionPhoto()
        compare(answer["XMP-GCamera:MotionPhoto"], properties.motionPhoto)
        let time = "XMP-GCamera:MotionPhotoPresentationTimestampUs"
        compare(answer[time], properties.presentationTimestampMicroseconds)
        if answer["QuickTime:MotionPhotoVideo"] != nil, motion == nil { disagreements.append("no Motion Photo") }
        // exiftool tells `irot` in degrees anticlockwise, nothing where there is none.
        if let turned = answer["QuickTime:Rotation"] as? Int {
            compare((360 - turned) % 360, image.primaryProperties.orientation.clockwiseDegrees)
        }
    }

    private mutating func compare(_ theirs: Any?, _ ours: (some Equatable)?) {
        guard let theirs else {
            if let ours { disagreements.append("only we have \(ours)") }
            return
        }
        guard let ours else { return disagreements.append("only they have \(theirs)") }
        if let left = Double("\(theirs)"), let right = Double("\(ours)") {
            if abs(left - right) > 1e-6 {
                disagreements.append("\(theirs) is \(ours) to us")
            } else {
                agreedFields += 1
            }
        } else if "\(theirs)" == "\(ours)" {
            agreedFields += 1
        } else {
            disagreements.append("\(theirs) is \(ours) to us")
        }
    }
}

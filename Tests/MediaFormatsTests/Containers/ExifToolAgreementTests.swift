import Foundation
import MediaFormats
import MediaSamples
import PhotoModel
import TestSupport
import Testing

/// Agreement with exiftool, on what we write and on photos of the world.
struct ExifToolAgreementTests {
    private static let identifier = ContentIdentifier(rawValue: 0x0123_4567_89AB_CDEF_0123_4567_89AB_CDEF)

    /// Generated files of all containers, by name.
    private static func samples(count: UInt64) throws -> [String: [UInt8]] {
        var files: [String: [UInt8]] = [:]
        for seed in 0..<count {
            var metadata = SampleMetadata(SeededGenerator(seed: seed))
            let (exif, xmp) = (metadata.exif(), metadata.xmp().packet(padding: 16))
            let note = seed.isMultiple(of: 2) ? AppleMakerNote.bytes(contentIdentifier: identifier) : nil
            let order: ByteOrder = seed.isMultiple(of: 3) ? .littleEndian : .bigEndian
            let thumbnail = seed.isMultiple(of: 4) ? try SampleStill.jpeg() : nil
            let block = try exif.bytes(order: order, makerNote: note, thumbnail: thumbnail)
            files["\(seed).jpg"] = try SampleStill.jpeg(exif: block, xmp: xmp)
            files["\(seed).png"] = try SampleStill.png(exif: block, xmp: xmp)
            files["\(seed).webp"] = try SampleStill.webp(exif: block, xmp: xmp)
            files["\(seed).tif"] = try SampleStill.tiff(exif, xmp: xmp, makerNote: note, order: order)
        }
        return files
    }

    @Test(
        "004.60: every field of generated JPEG, PNG, WebP and TIFF files means the same to exiftool, without a warning"
    )
    func generated() throws {
        let files = try Self.samples(count: 40)
        let answers = try ExifTool.read(files)
        #expect(answers.count == files.count)
        var agreed = 0
        for (name, bytes) in files {
            let ours = try bytes.withBytes { bytes throws(MediaFormatError) in try StillMetadata(bytes) }
            #expect(ours.problems.isEmpty, "\(name)")
            let answer = try #require(answers[name])
            let comparison = ExifToolComparison(ours, answer)
            #expect(comparison.disagreements.isEmpty, "\(name)")
            #expect(ExifTool.complaints(answer).isEmpty, "\(name)")
            agreed += comparison.agreedFields
        }
        #expect(agreed > 40 * files.count)
    }

    @Test("Files with complete metadata pass exiftool's validation")
    func validated() throws {
        var exif = ExifMetadata()
        let time = try #require(CivilTime("2026-01-02T03:04:05.25+01:00"))
        exif.make = "Tintype"
        exif.model = "Synthetic"
        exif.original = ExifDate(time)
        exif.digitized = exif.original
        exif.modified = exif.original
        exif.orientation = .up
        exif.pixelWidth = 8
        exif.pixelHeight = 8
        exif.exposureTime = ExifRational(1, 250)
        exif.isoSpeed = 100
        exif.gps = ExifPosition(try #require(Location(latitude: 47.3769, longitude: 8.5417, altitude: 408)))
        exif.gps.setTime(try #require(time.instant))
        let note = AppleMakerNote.bytes(contentIdentifier: Self.identifier)
        var xmp = XMPProperties()
        xmp.title = "Zürich"
        let file = try SampleStill.jpeg(
            exif: exif.bytes(makerNote: note, thumbnail: SampleStill.jpeg()),
            xmp: xmp.packet()
        )
        let answers = try ExifTool.read(["a.jpg": file], options: ["-validate", "-warning", "-error", "-a", "-all"])
        #expect(ExifTool.complaints(try #require(answers["a.jpg"])).isEmpty)
    }

    @Test("Every field of the photos in TINTYPE_PHOTOS means the same to exiftool")
    func photosOfTheWorld() throws {
        guard let folder = ProcessInfo.processInfo.environment["TINTYPE_PHOTOS"] else { return }
        let answers = try ExifTool.read(["-r", folder])
        var compared = 0
        var fields = 0
        for answer in answers.values {
            let path = try #require(answer["SourceFile"] as? String)
            let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
            guard bytes.withBytes({ StillMetadata.container(of: $0) }) != nil else { continue }
            let ours = try bytes.withBytes { bytes throws(MediaFormatError) in try StillMetadata(bytes) }
            let comparison = ExifToolComparison(ours, answer)
            #expect(comparison.disagreements.isEmpty, "\(path)")
            compared += 1
            fields += comparison.agreedFields
        }
        print("TINTYPE_PHOTOS: \(compared) files compared, \(fields) fields equal")
        #expect(compared > 0)
    }
}

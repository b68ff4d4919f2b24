import Foundation
import MediaFormats
import MediaSamples
import PhotoModel
import TestSupport
import Testing

struct LocationStrippingTests {
    /// Whether a tag of exiftool tells a place.
    private static func tellsPlace(_ key: String) -> Bool {
        let name = key.split(separator: ":").last.map { $0.lowercased() } ?? ""
        return ["gps", "latitude", "longitude", "location"].contains { name.contains($0) }
            || ["city", "state", "country", "countrycode", "sub-location", "province-state"].contains(name)
            || name.hasPrefix("country-")
    }

    private static func imageData(_ bytes: [UInt8]) throws -> [UInt8] {
        try bytes.withBytes { bytes throws(MediaFormatError) -> [UInt8] in
            let ranges: [FileRange] =
                switch ContentType(sniffing: bytes) {
                case .jpeg: try JPEGLayout(bytes).imageDataRanges
                case .png: try PNGFile(bytes).imageDataRanges
                case .webP: try WebPFile(bytes).imageDataRanges
                case .tiff, .dng: try TIFFFile(bytes).imageDataRanges
                case .gif: try GIFLayout(bytes).imageDataRanges
                case .jpegXL: try bytes.boxes(in: bytes.fullRange).all(ofType: "jxlc").map(\.range)
                default: []
                }
            var data: [UInt8] = []
            for range in ranges { data += try bytes.copyBytes(in: range, limit: .max) }
            return data
        }
    }

    /// Files full of places, by name.
    private static func samples() throws -> [String: [UInt8]] {
        var files: [String: [UInt8]] = [:]
        for seed in UInt64(100)..<120 {
            var metadata = SampleMetadata(SeededGenerator(seed: seed))
            var (exif, properties) = (metadata.exif(), metadata.xmp())
            exif.gps = ExifPosition(try #require(Location(latitude: -33.9, longitude: 18.4, altitude: -2)))
            properties.latitude = -33.9
            properties.longitude = 18.4
            properties.place.city = "Kapstadt"
            properties.placeCreated.country = "South Africa"
            let order: ByteOrder = seed.isMultiple(of: 2) ? .littleEndian : .bigEndian
            let (block, packet) = (try exif.bytes(order: order), properties.packet())
            files["\(seed).jpg"] = try withIPTC(SampleStill.jpeg(exif: block, xmp: packet))
            files["\(seed).png"] = try SampleStill.png(exif: block, xmp: packet)
            files["\(seed).webp"] = try SampleStill.webp(exif: block, xmp: packet)
            files["\(seed).gif"] = try SampleStill.gif(xmp: packet)
            files["\(seed).jxl"] = SampleStill.jpegXL(exif: block, xmp: packet)
            files["\(seed).tif"] = try SampleStill.tiff(exif, xmp: packet, order: order)
        }
        return files
    }

    /// Adds an APP13 with a caption and places behind the start of image.
    private static func withIPTC(_ file: [UInt8]) -> [UInt8] {
        func dataset(_ number: UInt8, _ text: String) -> [UInt8] {
            [0x1C, 2, number, 0, UInt8(text.utf8.count)] + Array(text.utf8)
        }
        let iptc = dataset(90, "Kapstadt") + dataset(120, "A caption") + dataset(101, "South Africa")
        var body = Array("Photoshop 3.0\0".utf8) + Array("8BIM".utf8) + [0x04, 0x04, 0, 0, 0, 0, 0, UInt8(iptc.count)]
        body += iptc + (iptc.count.isMultiple(of: 2) ? [] : [0])
        return Array(file.prefix(2)) + [0xFF, 0xED, 0, UInt8(body.count + 2)] + body + Array(file.dropFirst(2))
    }

    @Test("T32, 004.60: after stripping, exiftool finds no place in any container, and the image data is the same")
    func generated() throws {
        let files = try Self.samples()
        let before = try ExifTool.read(files, options: ["-a"])
        let clean = try files.mapValues { try withoutLocation($0) }
        let after = try ExifTool.read(clean, options: ["-a"])
        #expect(after.count == files.count)
        for (name, answer) in after {
            #expect(before[name]?.keys.contains(where: Self.tellsPlace) == true, "\(name) has places to lose")
            #expect(answer.keys.filter(Self.tellsPlace).isEmpty, "\(name)")
            #expect(ExifTool.complaints(answer).isEmpty, "\(name)")
            #expect(
                try Self.imageData(try #require(clean[name])) == Self.imageData(try #require(files[name])),
                "\(name)"
            )
        }
    }

    @Test("What tells no place stays: camera, dates, title, caption")
    func keepsTheRest() throws {
        var exif = ExifMetadata()
        exif.make = "Tintype"
        exif.original.text = "2026:01:02 03:04:05"
        exif.gps = ExifPosition(try #require(Location(latitude: 1, longitude: 2)))
        var xmp = XMPProperties()
        xmp.title = "A title"
        xmp.latitude = 1
        let file = Self.withIPTC(try SampleStill.jpeg(exif: exif.bytes(), xmp: xmp.packet()))
        let clean = try withoutLocation(file)
        let ours = try clean.withBytes { bytes throws(MediaFormatError) in try StillMetadata(bytes) }
        #expect(ours.exif?.make == "Tintype")
        #expect(ours.exif?.original.text == "2026:01:02 03:04:05")
        #expect(ours.xmp?.title == "A title")
        #expect(ours.metadata.location == nil)
        let answer = try #require(try ExifTool.read(["a.jpg": clean])["a.jpg"])
        #expect(answer["IPTC:Caption-Abstract"] as? String == "A caption")
        #expect(answer["IPTC:City"] == nil)
    }

    @Test("Places in the photos of TINTYPE_PHOTOS go, and the image data stays")
    func photosOfTheWorld() throws {
        guard let folder = ProcessInfo.processInfo.environment["TINTYPE_PHOTOS"] else { return }
        var clean: [String: [UInt8]] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
            let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: folder).appending(path: name)))
            guard bytes.withBytes({ StillMetadata.container(of: $0) }) != nil else { continue }
            let stripped = try withoutLocation(bytes)
            #expect(try Self.imageData(stripped) == Self.imageData(bytes), "\(name)")
            clean[name] = stripped
        }
        let answers = try ExifTool.read(clean, options: ["-a"])
        for (name, answer) in answers { #expect(answer.keys.filter(Self.tellsPlace).isEmpty, "\(name)") }
        print("TINTYPE_PHOTOS: \(answers.count) files stripped of places")
        #expect(!answers.isEmpty)
    }

    @Test("The preview in a TIFF file loses what it says of itself, and the file keeps its length")
    func previews() throws {
        var exif = ExifMetadata()
        exif.gps = ExifPosition(try #require(Location(latitude: 1, longitude: 2)))
        exif.imageDescription = "the quick brown fox"
        let preview = try SampleStill.jpeg(exif: exif.bytes(), xmp: Array("<x/>".utf8))
        // One directory whose preview (tags 0x0201 and 0x0202) lies behind it.
        var file: [UInt8] = [0x4D, 0x4D, 0, 0x2A, 0, 0, 0, 8, 0, 2]
        file += [0x02, 0x01, 0, 4, 0, 0, 0, 1, 0, 0, 0, 38]
        file += [0x02, 0x02, 0, 4, 0, 0, 0, 1, 0, 0] + [UInt8(preview.count >> 8), UInt8(preview.count & 0xFF)]
        file += [0, 0, 0, 0] + preview
        for clean in [try withoutLocation(file), try withoutCaptions(file)] {
            #expect(clean.count == file.count)
            let header = try Array(clean[38...]).withBytes { bytes throws(MediaFormatError) in
                (try JPEGHeader(bytes), try StillMetadata(bytes))
            }
            #expect(header.1.exif == nil && header.1.xmp == nil)
            #expect(header.0.pixelSize != nil)
        }
    }

    @Test("Metadata that cannot be read goes as a whole")
    func unreadable() throws {
        let file = try SampleStill.jpeg(exif: Array("no TIFF".utf8), xmp: Array("<no XML".utf8))
        let ours = try withoutLocation(file).withBytes { bytes throws(MediaFormatError) in try JPEGHeader(bytes) }
        #expect(!ours.segments.contains { $0.marker == .application(1) })
    }
}

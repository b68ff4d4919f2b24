import Foundation
import MediaFormats
import MediaSamples
import PhotoModel
import TestSupport
import Testing

/// What is left of a JPEG XL file without its places or without its texts.
struct JPEGXLStrippingTests {
    private static func types(_ bytes: [UInt8]) throws -> [FourCharacterCode] {
        try bytes.withBytes { bytes throws(MediaFormatError) in try bytes.boxes(in: bytes.fullRange) }.map(\.type)
    }

    private static func box(_ type: FourCharacterCode, _ payload: [UInt8]) -> [UInt8] {
        var writer = ByteWriter()
        writer.appendBox(type) { $0.append(payload) }
        return writer.bytes
    }

    /// EXIF and XMP that tell a camera, a title and a place.
    private static func metadata() throws -> (exif: [UInt8], xmp: [UInt8]) {
        var exif = ExifMetadata()
        exif.make = "Tintype"
        exif.imageDescription = "A caption"
        exif.gps = ExifPosition(try #require(Location(latitude: 52.37, longitude: 4.89)))
        var xmp = XMPProperties()
        xmp.title = "A title"
        xmp.place.city = "Kapstadt"
        return (try exif.bytes(order: .bigEndian), xmp.packet())
    }

    private static func run(_ name: String, _ arguments: [String]) throws {
        let outcome = try ChildProcess.run(name, arguments)
        try #require(outcome.status == 0, "\(name): \(outcome.errors)")
    }

    @Test("T32: no JPEG with places can be restored from what cjxl made of one, and the picture is the same")
    func restoredJPEG() async throws {
        try await offTheSharedThreads {
            try withTemporaryDirectory { folder in
                func path(_ name: String) -> String { folder.appending(path: name).path }
                try Self.run("vips", ["black", path("a.png"), "16", "16"])
                try Self.run("vips", ["copy", path("a.png"), path("a.jpg")])
                let places = ["-EXIF:GPSLatitude=52.37", "-XMP-exif:GPSLatitude=52.37", "-IPTC:City=Kapstadt"]
                try Self.run("exiftool", ["-q", "-overwrite_original"] + places + [path("a.jpg")])
                try Self.run("cjxl", [path("a.jpg"), path("old.jxl"), "--quiet", "-e", "1"])
                let old = [UInt8](try Data(contentsOf: URL(filePath: path("old.jxl"))))
                try Data(try withoutLocation(old)).write(to: URL(filePath: path("new.jxl")))
                for name in ["old", "new"] {
                    try Self.run("djxl", [path("\(name).jxl"), path("\(name).jpg"), "--quiet"])
                    try Self.run("djxl", [path("\(name).jxl"), path("\(name).pgm"), "--quiet"])
                }
                let answers = try ExifTool.read([path("old.jpg"), path("new.jpg")], options: ["-a"])
                for tag in ["GPS:GPSLatitude", "XMP-exif:GPSLatitude", "IPTC:City"] {
                    #expect(answers["old.jpg"]?[tag] != nil && answers["new.jpg"]?[tag] == nil, "\(tag)")
                }
                let pictures = try ["old.pgm", "new.pgm"].map { try Data(contentsOf: URL(filePath: path($0))) }
                #expect(pictures[0] == pictures[1])
            }
        }
    }

    @Test("T32: what exiftool wrote is read; its places go, its camera and title stay")
    func writtenByExifTool() throws {
        let words = [
            "-EXIF:Make=Tintype", "-EXIF:GPSLatitude=52.37", "-EXIF:GPSLatitudeRef=N", "-EXIF:GPSLongitude=4.89",
            "-EXIF:GPSLongitudeRef=E", "-XMP-photoshop:City=Kapstadt", "-XMP-dc:Title=A title",
        ]
        let file = try MediaTools.tagged(SampleStill.jpegXL(), "jxl", words)
        let read = try PictureMetadata(of: file)
        #expect(read.exif?.make == "Tintype" && read.xmp?.title == "A title" && read.location != nil)
        let clean = try withoutLocation(file)
        let answers = try ExifTool.read(["old.jxl": file, "new.jxl": clean], options: ["-a"])
        let (old, new) = (try #require(answers["old.jxl"]), try #require(answers["new.jxl"]))
        for place in ["GPS:GPSLatitude", "GPS:GPSLongitude", "XMP-photoshop:City"] {
            #expect(old[place] != nil && new[place] == nil, "\(place)")
        }
        #expect(new["IFD0:Make"] as? String == "Tintype" && new["XMP-dc:Title"] as? String == "A title")
        #expect(ExifTool.complaints(new).isEmpty)
    }

    @Test("T32: camera and title stay; compressed metadata, other boxes and what restores a JPEG go")
    func boxes() throws {
        let (exif, xmp) = try Self.metadata()
        let plain = SampleStill.jpegXL()
        let place = Array("Kapstadt".utf8)
        // Signature and type are 32 bytes, and everything else may follow in any order.
        var file = Array(plain.prefix(32)) + Self.box("jxll", [5]) + Self.box("jbrd", place)
        file += Self.box("brob", Array("Exif".utf8) + place) + Self.box("jumb", place) + Self.box("Exif", [0, 0])
        file += Self.box("Exif", [0, 0, 0, 6] + Array("Exif\0\0".utf8) + exif) + Self.box("xml ", place)
        file += Array(plain.dropFirst(32)) + Self.box("xml ", xmp)
        let clean = try withoutLocation(file)
        #expect(try Self.types(clean) == ["JXL ", "ftyp", "jxll", "Exif", "jxlc", "xml "])
        #expect(Data(clean).range(of: Data(place)) == nil)
        let read = try PictureMetadata(of: clean)
        #expect(read.exif?.make == "Tintype" && read.xmp?.title == "A title" && read.location == nil)
        #expect(try PictureMetadata(of: file).location != nil)
        let silent = try withoutCaptions(file)
        #expect(try Self.types(silent) == ["JXL ", "ftyp", "jxll", "Exif", "jxlc"])
        let kept = try PictureMetadata(of: silent)
        #expect(kept.exif?.make == "Tintype" && kept.exif?.imageDescription?.isEmpty != false && kept.location != nil)
    }

    @Test("A bare codestream is served as it is, and a last box without a size stays the last")
    func withoutSize() throws {
        let plain = SampleStill.jpegXL()
        let codestream = Array(plain.dropFirst(40))
        #expect(try withoutLocation(codestream) == codestream)
        let open = Array(plain.prefix(32)) + [0, 0, 0, 0] + Array("jxlc".utf8) + codestream
        let (exif, _) = try Self.metadata()
        let file = Array(open.prefix(32)) + Self.box("brob", exif) + Array(open.dropFirst(32))
        #expect(try withoutLocation(file) == open)
    }

    @Test("T32: a file whose boxes cannot be read to their end is refused")
    func refused() throws {
        let (exif, xmp) = try Self.metadata()
        let whole = SampleStill.jpegXL(exif: exif, xmp: xmp)
        let ends = try whole.withBytes { bytes throws(MediaFormatError) in try bytes.boxes(in: bytes.fullRange) }
            .map(\.range.end)
        for count in 12..<whole.count where !ends.contains(count) {
            #expect(throws: MediaFormatError.self, "\(count)") { try withoutLocation(Array(whole.prefix(count))) }
        }
        for trailer in [[0x55], Array("a trailer".utf8)] as [[UInt8]] {
            #expect(throws: MediaFormatError.self) { try withoutLocation(whole + trailer) }
        }
    }
}

import MediaFormats
import MediaSamples
import PhotoModel
import TestSupport
import Testing

/// Damaged files give a value or an error, never a trap.
struct DamageTests {
    /// One small file of each container, with all kinds of metadata.
    private static func samples() throws -> [[UInt8]] {
        var exif = ExifMetadata()
        exif.make = "Tintype"
        exif.userComment = "ä"
        exif.original.text = "2026:01:02 03:04:05"
        exif.gps = ExifPosition(try #require(Location(latitude: 1, longitude: 2)))
        var xmp = XMPProperties()
        xmp.title = "&"
        xmp.latitude = 1
        xmp.containerItems = [XMPContainerItem(mime: "a", semantic: "b")]
        let identifier = ContentIdentifier(rawValue: 1)
        let note = AppleMakerNote.bytes(contentIdentifier: identifier)
        let thumbnail = try SampleStill.jpeg(hasTables: false)
        let (block, packet) = (try exif.bytes(makerNote: note, thumbnail: thumbnail), xmp.packet())
        return [
            try SampleStill.jpeg(exif: block, xmp: packet),
            try SampleStill.png(exif: block, xmp: packet),
            try SampleStill.webp(exif: block, xmp: packet),
            try SampleStill.gif(xmp: packet, extensions: [0x21, 0xFE, 1, 0x61, 0]),
            SampleStill.jpegXL(exif: block, xmp: packet),
            try SampleStill.tiff(exif, xmp: packet, makerNote: note),
        ]
    }

    /// Everything that reads untrusted stills.
    private static func readEverything(_ bytes: RawSpan) {
        _ = try? StillMetadata(bytes)
        _ = try? JPEGLayout(bytes)
        _ = try? MotionJPEGFrame(bytes).jpegFile(bytes)
        _ = try? MetadataRemoval.location.stripped(bytes).copyBytes(from: bytes)
    }

    @Test("T39: every truncation of a file is read without a trap")
    func truncations() throws {
        for file in try Self.samples() {
            file.withBytes { bytes in
                for length in 0..<bytes.byteCount { Self.readEverything(bytes.extracting(0..<length)) }
            }
        }
    }

    @Test("Every flipped byte of a file is read without a trap", arguments: [0xFF, 0x01] as [UInt8])
    func flippedBytes(mask: UInt8) throws {
        for file in try Self.samples() {
            var damaged = file
            for index in file.indices {
                damaged[index] ^= mask
                damaged.withBytes { Self.readEverything($0) }
                damaged[index] = file[index]
            }
        }
    }

    @Test("Random damage is read without a trap")
    func randomDamage() throws {
        let files = try Self.samples()
        checkProperty("damage never traps", cases: 500) { generator, size in
            var damaged = generator.pick(files)
            for _ in 0..<size {
                damaged[generator.below(damaged.count)] = UInt8.random(in: 0...255, using: &generator)
            }
            damaged.withBytes { Self.readEverything($0) }
            return nil
        }
    }
}

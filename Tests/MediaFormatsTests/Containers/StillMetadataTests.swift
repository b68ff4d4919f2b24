import MediaFormats
import MediaSamples
import PhotoModel
import TestSupport
import Testing

struct StillMetadataTests {
    private static func read(_ file: [UInt8]) throws -> StillMetadata {
        try file.withBytes { bytes throws(MediaFormatError) in try StillMetadata(bytes) }
    }

    @Test("The same metadata is read from every container")
    func containers() throws {
        var metadata = SampleMetadata(SeededGenerator(seed: 3))
        let (exif, xmp) = (metadata.exif(), metadata.xmp())
        let (block, packet) = (try exif.bytes(), xmp.packet())
        let files: [(StillMetadata.Container, PixelSize, [UInt8])] = [
            (.jpeg, PixelSize(width: 8, height: 8), try SampleStill.jpeg(exif: block, xmp: packet)),
            (.png, PixelSize(width: 1, height: 1), try SampleStill.png(exif: block, xmp: packet)),
            (.webp, PixelSize(width: 1, height: 1), try SampleStill.webp(exif: block, xmp: packet)),
            (.tiff, PixelSize(width: 4, height: 2), try SampleStill.tiff(exif, xmp: packet)),
        ]
        for (container, size, file) in files {
            let still = try Self.read(file)
            #expect(still.container == container)
            #expect(still.storedSize == size)
            #expect(still.exif == exif)
            #expect(still.xmp?.title == xmp.title)
            #expect(still.problems.isEmpty)
        }
    }

    @Test("A picture on its side is shown with width and height exchanged")
    func orientation() throws {
        var exif = ExifMetadata()
        exif.orientation = .right
        let still = try Self.read(try SampleStill.tiff(exif))
        #expect(still.storedSize == PixelSize(width: 4, height: 2))
        #expect(still.pixelSize == PixelSize(width: 2, height: 4))
    }

    @Test("A photo with broken metadata is read all the same, and the damage named")
    func brokenMetadata() throws {
        let still = try Self.read(try SampleStill.jpeg(exif: [1, 2, 3, 4, 5, 6, 7, 8], xmp: Array("<a>".utf8)))
        #expect(still.storedSize == PixelSize(width: 8, height: 8))
        #expect(still.exif == nil)
        #expect(still.xmp == nil)
        #expect(still.problems.count == 2)
    }

    @Test("T35: other files are refused", arguments: ["", "GIF89a", "%PDF-1.7", "RIFF....AVI ", "<svg/>"])
    func otherFiles(text: String) {
        #expect(throws: MediaFormatError.self) { try Self.read(Array(text.utf8)) }
    }
}

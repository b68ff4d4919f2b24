import MediaFormats
import MediaSamples
import PhotoModel
import TestSupport
import Testing

struct RawFileTests {
    /// A grey JPEG that is large enough to be a preview.
    private static func preview(orientation: Int? = nil) throws -> [UInt8] {
        var exif = ExifMetadata()
        exif.make = "Maker"
        exif.original.text = "2026:01:02 03:04:05"
        exif.orientationCode = orientation
        var file = try SampleStill.jpeg(exif: try exif.bytes())
        // The frame header (SOF0) names 1600 by 1200 pixels.
        let frame = try #require(file.indices.dropLast(8).first { Array(file[$0..<$0 + 4]) == [0xFF, 0xC0, 0, 11] })
        file.replaceSubrange(frame + 5..<frame + 9, with: [4, 0xB0, 6, 0x40])
        return file
    }

    @Test(
        "A raw photo of every maker has size, date, orientation and a preview",
        arguments: SampleRaw.Format.allCases
    )
    func formats(format: SampleRaw.Format) throws {
        let preview = try Self.preview(orientation: format == .raf ? 6 : nil)
        let file = try SampleRaw.file(format, preview: preview)
        let raw = try RawFile(file)
        #expect(raw.storedSize == PixelSize(width: 6000, height: 4000))
        #expect(raw.pixelSize == PixelSize(width: 4000, height: 6000), "the orientation is 6")
        #expect(raw.metadata.captureTime?.description == "2026-01-02T03:04:05")
        let range = try #require(raw.preview)
        #expect(Array(file[range.bounds].prefix(preview.count)) == preview)
    }

    @Test("A maker's format is known by its content", arguments: SampleRaw.Format.allCases)
    func mediaTypes(format: SampleRaw.Format) throws {
        let file = try SampleRaw.file(format, preview: try Self.preview())
        let marked = file.withBytes { RawPhoto.markedMediaType($0) }
        #expect((marked ?? file.withBytes { RawPhoto.mediaType(ofTIFF: $0) }) == format.mediaType)
    }

    @Test("A file cut off anywhere is read as far as it goes, or refused", arguments: SampleRaw.Format.allCases)
    func damage(format: SampleRaw.Format) throws {
        let file = try SampleRaw.file(format, preview: try Self.preview())
        for end in stride(from: 0, to: file.count, by: 7) {
            let preview = (try? RawFile(Array(file.prefix(end))))?.preview
            #expect((preview?.end ?? 0) <= end)
        }
    }
}

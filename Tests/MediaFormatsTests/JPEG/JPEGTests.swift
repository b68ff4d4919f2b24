import MediaFormats
import MediaSamples
import TestSupport
import Testing

struct JPEGTests {
    private static func layout(_ bytes: [UInt8]) throws -> JPEGLayout {
        try bytes.withBytes { bytes throws(MediaFormatError) in try JPEGLayout(bytes) }
    }

    private static func imageData(_ bytes: [UInt8]) throws -> [UInt8] {
        try layout(bytes).imageDataRanges.flatMap { Array(bytes[$0.bounds]) }
    }

    @Test("000.2: the image data without metadata stays the same whatever happens to the metadata")
    func imageDataIsStable() {
        checkProperty("image data is untouched by edits") { generator, size in
            let original = try SampleStill.jpeg(
                exif: generator.oneIn(2) ? generator.bytes(size) : nil,
                xmp: generator.oneIn(2) ? generator.bytes(size) : nil,
                imageBytes: 1 + size
            )
            let edit = JPEGMetadataEdit(
                exif: [.keep, .remove, .replace(generator.bytes(size))].randomElement(using: &generator) ?? .keep,
                xmp: [.keep, .remove, .replace(generator.bytes(size))].randomElement(using: &generator) ?? .keep
            )
            let file = try original.withBytes { bytes throws(MediaFormatError) in try edit.applied(to: bytes) }
            let edited = try original.withBytes { bytes throws(MediaFormatError) in
                try file.copyBytes(from: bytes)
            }
            guard try Self.imageData(edited) == Self.imageData(original) else { return "image data changed" }
            guard edited.count == file.byteCount else { return "the pieces do not add up" }
            let blocks = try edited.withBytes { bytes throws(MediaFormatError) in
                try JPEGHeader(bytes).exifBlocks(in: bytes)
            }
            let found = blocks.map { Array(edited[$0.bounds]) }
            switch edit.exif {
            case .keep: return nil
            case .remove: return found.isEmpty ? nil : "EXIF is still there"
            case .replace(let block): return found == [block] ? nil : "EXIF is not the new block"
            }
        }
    }

    @Test("001.25: a new EXIF block costs its own bytes; the image is named as one range, not copied")
    func editCopiesNoImage() throws {
        let original = try SampleStill.jpeg(imageBytes: 1 << 20)
        let edit = JPEGMetadataEdit(exif: .replace([1, 2, 3]))
        let file = try original.withBytes { bytes throws(MediaFormatError) in try edit.applied(to: bytes) }
        let copied = file.pieces.reduce(0) { sum, piece in
            if case .bytes(let bytes) = piece { sum + bytes.count } else { sum }
        }
        #expect(copied == 3 + 10)
        #expect(file.keptRanges.reduce(0) { $0 + $1.length } == original.count)
    }

    @Test("Of a long JPEG only the beginning is read, unless its header is longer")
    func head() throws {
        let still = try SampleStill.jpeg(imageBytes: 3 << 20)
        let long = CountedSource(all: still)
        #expect(try long.jpegHead(8 << 20).count == 256 << 10)
        #expect(try MotionPhoto(long) == nil)
        #expect(long.read.value < 600 << 10, "\(long.read.value) bytes were read")
        #expect(try long.jpegHead(1000) == Array(still.prefix(1000)))
        let short = try SampleStill.jpeg(imageBytes: 100)
        #expect(try CountedSource(all: short).jpegHead(8 << 20) == short)
        // Five profiles of the greatest length before the picture.
        let segment: [UInt8] = [0xFF, 0xE2, 0xFF, 0xFF] + Array(repeating: 7, count: 65_533)
        let described = Array(still.prefix(2)) + (0..<5).flatMap { _ in segment } + Array(still.dropFirst(2))
        let head = try CountedSource(all: described).jpegHead(1 << 20)
        #expect(head.count == 1 << 20)
        let size = try head.withBytes { bytes throws(MediaFormatError) in try JPEGHeader(bytes).pixelSize }
        #expect(size != nil)
    }

    @Test("An edit of a file's beginning alone keeps the rest of the file")
    func editOfHead() throws {
        let original = try SampleStill.jpeg(imageBytes: 100_000)
        let head = Array(original.prefix(1000))
        let edit = JPEGMetadataEdit(xmp: .replace([7]))
        let file = try head.withBytes { bytes throws(MediaFormatError) in
            try edit.applied(to: bytes, fileLength: original.count)
        }
        #expect(file.keptRanges.last?.end == original.count)
    }

    @Test("An MJPEG frame gets the standard tables as one segment of 420 bytes, before its scan")
    func motionJPEGTables() throws {
        let frame = try SampleStill.jpeg(hasTables: false)
        let file = try Self.repaired(frame)
        #expect(file.count == frame.count + 420)
        let tables = try Self.layout(file).segments.filter { $0.marker == .huffmanTables }
        #expect(tables.map(\.range.length) == [420])
        #expect(try Self.repaired(file) == file, "a whole file is left alone")
    }

    @Test("An MJPEG frame loses its AVI1 segment and the padding after its end")
    func motionJPEGPadding() throws {
        let frame = try SampleStill.jpeg()
        let avi: [UInt8] = [0xFF, 0xE0, 0, 16] + Array("AVI1".utf8) + [1] + Array(repeating: 0, count: 9)
        let padded = Array(frame.prefix(2)) + avi + Array(frame.dropFirst(2)) + Array(repeating: 0, count: 500)
        #expect(try Self.repaired(padded) == frame)
    }

    @Test("An MJPEG frame that was cut short is refused, wherever it was cut")
    func motionJPEGTruncated() throws {
        let frame = try SampleStill.jpeg(imageBytes: 50)
        for length in 0..<frame.count {
            #expect(throws: MediaFormatError.self) { try Self.repaired(Array(frame.prefix(length))) }
        }
    }

    private static func repaired(_ frame: [UInt8]) throws -> [UInt8] {
        try frame.withBytes { bytes throws(MediaFormatError) in
            try MotionJPEGFrame(bytes).jpegFile(bytes).copyBytes(from: bytes)
        }
    }

    @Test("Fill bytes, restart markers, stuffed bytes and several scans are told from the next segment")
    func oddLayouts() throws {
        let scan: [UInt8] = [0xFF, 0xDA, 0, 3, 9]
        let file: [UInt8] =
            [0xFF, 0xD8, 0xFF, 0xFF, 0xFF, 0xFE, 0, 3, 65] + scan + [1, 0xFF, 0, 0xFF, 0xD3, 2]
            + [0xFF, 0xC4, 0, 3, 0] + scan + [5, 0xFF, 0xFF, 0xD9] + [0xAA, 0xBB]
        let layout = try Self.layout(file)
        #expect(layout.segments.map(\.marker.rawValue) == [0xD8, 0xFE, 0xDA, 0xC4, 0xDA, 0xD9])
        #expect(layout.isComplete)
        #expect(Array(file[layout.endOfImage...]) == [0xAA, 0xBB])
        #expect(!(try Self.imageData(file)).contains(65))
    }

    @Test("T39: a header cut short says which byte it wants next, and is read once it has it")
    func truncatedHeader() throws {
        let file = try SampleStill.jpeg(exif: Array(repeating: 1, count: 3000))
        var length = 16
        var rounds = 0
        while true {
            do throws(MediaFormatError) {
                _ = try Array(file.prefix(length)).withBytes { bytes throws(MediaFormatError) in try JPEGHeader(bytes) }
                break
            } catch {
                #expect(error.code == .truncated)
                length = max(length + 1, error.offset ?? 0)
                rounds += 1
            }
        }
        #expect(length < 4000)
        #expect(rounds < 40)
    }
}

/// A file that counts how much of it is read.
private struct CountedSource: ByteSource {
    final class Count {
        var value = 0
    }

    let all: [UInt8]
    let read = Count()

    var byteCount: Int { all.count }

    func bytes(in range: FileRange) throws -> [UInt8] {
        read.value += range.length
        return Array(all[range.bounds])
    }
}

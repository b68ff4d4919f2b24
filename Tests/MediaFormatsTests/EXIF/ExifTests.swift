import MediaFormats
import MediaSamples
import PhotoModel
import TestSupport
import Testing

struct ExifTests {
    private static func read(_ block: [UInt8]) throws -> ExifMetadata {
        try block.withBytes { bytes throws(MediaFormatError) in try ExifMetadata(bytes, block: bytes.fullRange) }
    }

    @Test("What is written is read back, in both byte orders; the same values give the same bytes")
    func roundTrip() {
        checkProperty("read(write(x)) == x", cases: 400) { generator, _ in
            var samples = SampleMetadata(generator)
            let exif = samples.exif()
            let order: ByteOrder = generator.oneIn(2) ? .bigEndian : .littleEndian
            let block = try exif.bytes(order: order)
            guard try exif.bytes(order: order) == block else { return "writing twice gives other bytes" }
            let again = try Self.read(block)
            return again == exif ? nil : "\(again) instead of \(exif)"
        }
    }

    @Test("The smallest Apple maker note is 70 bytes, as ImageIO writes it")
    func makerNoteBytes() throws {
        let identifier = try #require(ContentIdentifier("0F1E2D3C-4B5A-6978-8796-A5B4C3D2E1F0"))
        let note = AppleMakerNote.bytes(contentIdentifier: identifier)
        var expected: [UInt8] = Array("Apple iOS\0".utf8) + [0, 1] + Array("MM".utf8) + [0, 1]
        expected += [0, 0x11, 0, 2, 0, 0, 0, 0x25, 0, 0, 0, 0x20, 0, 0, 0, 0]
        expected += Array("0F1E2D3C-4B5A-6978-8796-A5B4C3D2E1F0".utf8) + [0, 0]
        #expect(note == expected)
        #expect(note.count == 70)
        for order in ByteOrder.allCases {
            let exif = try Self.read(try ExifMetadata().bytes(order: order, makerNote: note))
            #expect(exif.appleMakerNote?.contentIdentifier == identifier)
        }
    }

    @Test("A larger Apple maker note gives the burst")
    func makerNoteFields() throws {
        var writer = ByteWriter()
        writer.append("Apple iOS\0")
        writer.append(UInt16(1))
        writer.append("MM")
        writer.append(UInt16(3))
        for (tag, type, count, value) in [(0x0B, 2, 37, 56), (0x14, 9, 1, 10), (0x17, 16, 1, 94)] {
            writer.append(UInt16(tag))
            writer.append(UInt16(type))
            writer.append(UInt32(count))
            writer.append(UInt32(value))
        }
        writer.append(repeating: 0, count: 4)
        writer.append("0F1E2D3C-4B5A-6978-8796-A5B4C3D2E1F0\0\0")
        writer.append(Int64(5_000_000_000))
        let exif = try Self.read(try ExifMetadata().bytes(makerNote: writer.bytes))
        let note = try #require(exif.appleMakerNote)
        #expect(note.burstIdentifier == BurstID("0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0"))
        #expect(note.contentIdentifier == nil)
    }

    @Test("Directories that form a loop are read once and named as a problem")
    func loops() throws {
        // IFD0 at 8 with one entry, whose next directory is itself.
        let block: [UInt8] =
            Array("MM".utf8) + [0, 42, 0, 0, 0, 8, 0, 1, 0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, 6, 0, 0, 0, 0, 0, 8]
        let structure = try block.withBytes { bytes throws(MediaFormatError) in
            try TIFFStructure(bytes, block: bytes.fullRange)
        }
        #expect(structure.directories.count == 1)
        #expect(structure.problems.map(\.code) == [.malformed])
        #expect(try Self.read(block).orientation == .right)
    }

    @Test("T34: a directory full of pointers costs no more than the directories that may be read")
    func manyPointers() throws {
        // 4,000 entries of 1,000 sub-images each, all at different offsets outside the block.
        var writer = ByteWriter()
        writer.append("MM")
        writer.append(UInt16(42))
        writer.append(UInt32(8))
        writer.append(UInt16(4000))
        for _ in 0..<4000 {
            writer.append(UInt16(0x014A))
            writer.append(UInt16(4))
            writer.append(UInt32(1000))
            writer.append(UInt32(48_014))
        }
        writer.append(UInt32(0))
        for index in 0..<1000 { writer.append(UInt32(1_000_000 + index)) }
        let structure = try writer.bytes.withBytes { bytes throws(MediaFormatError) in
            try TIFFStructure(bytes, block: bytes.fullRange)
        }
        #expect(structure.directories.count == 1)
        #expect(structure.problems.count <= ParseLimits.standard.directories)
    }

    @Test("T34: counts and sizes that no file can hold allocate nothing and are named as problems")
    func absurdCounts() throws {
        let entry: [UInt8] = [0x01, 0x0F, 0, 2, 0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 8]
        let block: [UInt8] = Array("MM".utf8) + [0, 42, 0, 0, 0, 8, 0, 1] + entry + [0, 0, 0, 0]
        let structure = try block.withBytes { bytes throws(MediaFormatError) in
            try TIFFStructure(bytes, block: bytes.fullRange)
        }
        #expect(structure.problems.map(\.code) == [.truncated])
        #expect(try Self.read(block).make == nil)
    }

    @Test(
        "Dates keep their fraction and offset; what is no date is none",
        arguments: [
            ("2026:01:02 03:04:05", "250", "+01:00", "2026-01-02T03:04:05.25+01:00"),
            ("2026:01:02 03:04:05", nil, nil, "2026-01-02T03:04:05"),
            ("2023-09-27T14:30:13+02:00", nil, nil, "2023-09-27T14:30:13+02:00"),
            ("0000:00:00 00:00:00", nil, nil, nil),
            ("    :  :     :  :  ", nil, nil, nil),
            ("2026:13:02 03:04:05", nil, nil, nil),
            ("2026:01:02 03:04:05", "x", "abc", "2026-01-02T03:04:05"),
        ] as [(String, String?, String?, String?)]
    )
    func dates(text: String, subSecond: String?, offset: String?, expected: String?) {
        var date = ExifDate()
        date.text = text
        date.subSecond = subSecond
        date.offset = offset
        #expect(date.civilTime?.description == expected)
    }

    @Test("A place keeps a millionth of a second of arc, and its time a microsecond")
    func places() {
        checkProperty("location(position(x)) is x to 1e-9 degrees") { generator, _ in
            let latitude = Double.random(in: -90...90, using: &generator)
            let longitude = Double.random(in: -180...180, using: &generator)
            guard let place = Location(latitude: latitude, longitude: longitude, altitude: -12.5) else { return "?" }
            var position = ExifPosition(place)
            let time = WallTime(microsecondsSince1970: Int64.random(in: 0...4_000_000_000_000_000, using: &generator))
            position.setTime(time)
            guard let read = position.location, abs(read.latitude - latitude) < 1e-9,
                abs(read.longitude - longitude) < 1e-9, read.altitude == -12.5
            else { return "\(place) became \(String(describing: position.location))" }
            return position.time?.instant == time ? nil : "\(time) became \(String(describing: position.time))"
        }
    }

    @Test("A number or text that does not fit its field is refused")
    func unrepresentable() {
        var exif = ExifMetadata()
        exif.gps.altitudeReference = 256
        #expect(throws: MediaFormatError.self) { try exif.bytes() }
        exif = ExifMetadata()
        exif.make = "a\0b"
        #expect(throws: MediaFormatError.self) { try exif.bytes() }
        exif = ExifMetadata()
        exif.fNumber = ExifRational(-1, 2)
        #expect(throws: MediaFormatError.self) { try exif.bytes() }
    }
}

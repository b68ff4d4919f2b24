import MediaFormats
import MediaSamples
import TestSupport
import Testing

/// Files of which many parts refer to one large part.
struct SharedPartsTests {
    /// The least time of three runs.
    private static func time(_ work: () throws -> Void) rethrows -> Duration {
        var least = Duration.seconds(1000)
        for _ in 0..<3 {
            let start = threadTime()
            try work()
            least = min(least, threadTime() - start)
        }
        return least
    }

    /// A TIFF whose 32 directories share two lists of strips.
    private static func tiff(listLength: Int) -> [UInt8] {
        var writer = ByteWriter()
        writer.append("MM")
        writer.append(UInt16(42))
        writer.append(UInt32(8))
        let directoryLength = 2 + 2 * 12 + 4
        let list = 8 + 32 * directoryLength
        for index in 1...32 {
            writer.append(UInt16(2))
            for tag in [0x0111, 0x0117] as [UInt16] {
                writer.append(tag)
                writer.append(UInt16(1))
                writer.append(UInt32(listLength))
                writer.append(UInt32(list))
            }
            writer.append(UInt32(index < 32 ? 8 + index * directoryLength : 0))
        }
        writer.append(repeating: 1, count: listLength)
        return writer.bytes
    }

    @Test("T110: directories of a TIFF that share lists of strips as long as the file cost no more than the limit")
    func strips() throws {
        var limits = ParseLimits()
        limits.tableEntries = 1000
        func read(_ listLength: Int) throws -> Duration {
            let bytes = Self.tiff(listLength: listLength)
            return try Self.time {
                let file = try bytes.withBytes { bytes throws(MediaFormatError) in try TIFFFile(bytes, limits: limits) }
                #expect(file.structure.directories.count == 32 && file.imageDataRanges.count == 1)
            }
        }
        // Without a limit a hundred times the length would take a hundred times as long.
        let (short, long) = (try read(1000), try read(100_000))
        #expect(long < short * 10)
    }

    /// A HEIC whose items have one property of a length, each of them 255 times, in some boxes.
    private static func heic(items: Int, propertyLength: Int, boxes: Int = 1) -> [UInt8] {
        var writer = ByteWriter()
        writer.appendBox("ftyp") { $0.append("heic\0\0\0\0heic") }
        writer.appendFullBox("meta") { writer in
            writer.appendFullBox("pitm") { $0.append(UInt16(1)) }
            writer.appendFullBox("iinf") { $0.append(UInt16(0)) }
            writer.appendBox("iprp") { writer in
                writer.appendBox("ipco") { writer in
                    writer.appendFullBox("auxC") { $0.append(repeating: 0x61, count: propertyLength) }
                }
                for _ in 0..<boxes {
                    writer.appendFullBox("ipma") { writer in
                        writer.append(UInt32(items))
                        for item in 0..<items {
                            writer.append(UInt16(item))
                            writer.append(UInt8(255))
                            writer.append(repeating: 1, count: 255)
                        }
                    }
                }
            }
        }
        return writer.bytes
    }

    @Test("T110: a property of a picture file that items have any number of times is read once")
    func properties() throws {
        func read(_ propertyLength: Int) throws -> Duration {
            let bytes = Self.heic(items: 8, propertyLength: propertyLength)
            return try Self.time {
                let properties = try HEIFImage(bytes).primaryProperties
                #expect(properties.auxiliaryType?.utf8.count == propertyLength)
            }
        }
        // Read each time, it would take nearly a hundred times as long.
        let (short, long) = (try read(1000), try read(100_000))
        #expect(long < short * 40)
    }

    @Test("T110: items with properties are counted over all boxes that name them")
    func associations() throws {
        let most = ParseLimits.standard.listItems
        #expect(try HEIFImage(Self.heic(items: most, propertyLength: 9)).properties.count == most)
        let thrown = #expect(throws: MediaFormatError.self) {
            try HEIFImage(Self.heic(items: most / 2 + 1, propertyLength: 9, boxes: 2))
        }
        #expect(thrown?.code == .limitExceeded)
    }

    @Test("T110: items with one number do not each have all extents of one place")
    func extents() throws {
        var sample = SampleImage()
        sample.items = (0..<12).map { _ in SampleImage.Item(id: 1, type: "hvc1", bytes: [1, 2]) }
        var bytes = sample.bytes
        let iloc = try #require(bytes.indices.first { Array(bytes[$0...].prefix(4)) == Array("iloc".utf8) })
        // One entry, with as many extents of the whole rest of the file as the others' entries have room for.
        bytes.replaceSubrange(iloc + 10..<iloc + 12, with: [0, 1])
        let count = UInt8(1 + 11 * 20 / 8)
        bytes.replaceSubrange(iloc + 22..<iloc + 24, with: [0, count])
        for place in 0..<Int(count) * 8 { bytes[iloc + 24 + place] = 0 }
        var limits = ParseLimits()
        limits.segments = 12 * Int(count)
        #expect(try HEIFImage(bytes, limits: limits).items.allSatisfy { $0.extents.count == Int(count) })
        limits.segments -= 1
        let thrown = #expect(throws: MediaFormatError.self) { try HEIFImage(bytes, limits: limits) }
        #expect(thrown?.code == .limitExceeded)
    }

    /// A PNG with an EXIF block whose first directory, or that of its place, has entries with one value.
    private static func png(tag: UInt16, isPlace: Bool, entries: Int) throws -> [UInt8] {
        var block = ByteWriter()
        block.append("MM")
        block.append(UInt16(42))
        block.append(UInt32(8))
        if isPlace {
            block.append(UInt16(1))
            block.append(UInt16(0x8825))
            block.append(UInt16(4))
            block.append(UInt32(1))
            block.append(UInt32(26))
            block.append(UInt32(0))
        }
        block.append(UInt16(entries))
        let value = block.count + entries * 12 + 4
        for _ in 0..<entries {
            block.append(tag)
            block.append(UInt16(2))
            block.append(UInt32(1000))
            block.append(UInt32(value))
        }
        block.append(UInt32(0))
        block.append(repeating: 0x61, count: 1000)
        let header: [UInt8] = [0, 0, 0, 1, 0, 0, 0, 1, 8, 0, 0, 0, 0]
        let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
        return try signature + PNGFile.chunk("IHDR", header) + PNGFile.chunk("eXIf", block.bytes)
            + PNGFile.chunk("IEND", [])
    }

    @Test("T111: a value that is written for each of many entries goes as a whole, not once for each")
    func values() throws {
        func types(_ entries: Int, isPlace: Bool) throws -> [String] {
            let bytes = try Self.png(tag: isPlace ? 2 : 0x010E, isPlace: isPlace, entries: entries)
            let copy = try bytes.withBytes { bytes throws(MediaFormatError) in
                let part: MetadataRemoval = isPlace ? .location : .captions
                return try part.stripped(bytes).copyBytes(from: bytes)
            }
            #expect(!String(decoding: copy, as: UTF8.self).contains("aaaa"))
            return try copy.withBytes { bytes throws(MediaFormatError) in try PNGFile(bytes).chunks.map(\.type) }
        }
        for isPlace in [true, false] {
            #expect(try types(4, isPlace: isPlace) == ["IHDR", "eXIf", "IEND"])
            #expect(try types(40, isPlace: isPlace) == ["IHDR", "IEND"], "the block cannot hold so many values")
        }
    }

    @Test("T111: the metadata of many items is read up to a limit, before a copy without places is made")
    func packets() throws {
        func count(_ items: Int) throws -> Int {
            var sample = SampleImage()
            for id in 3..<3 + items {
                let packet = XMPProperties().packet() + [UInt8](repeating: 0x20, count: 2000)
                sample.items.append(
                    .init(
                        id: UInt16(id),
                        type: "mime",
                        contentType: "application/rdf+xml",
                        bytes: Array(packet.prefix(2000))
                    )
                )
            }
            var limits = ParseLimits()
            limits.packetBytes = 2000
            let bytes = sample.bytes
            return try HEIFImage(bytes).stripped(bytes, of: .location, limits: limits).byteCount
        }
        #expect(try count(3) > 6000)
        let thrown = #expect(throws: MediaFormatError.self) { try count(5) }
        #expect(thrown?.code == .limitExceeded)
    }

    @Test("T111: the positions of all tracks of a movie are counted, before a copy without places is made")
    func positions() throws {
        func count(_ tracks: Int) throws -> Int {
            var sample = SampleMovie()
            sample.media = Array(repeating: 0x61, count: 1200)
            for _ in 0..<tracks {
                sample.moreTracks += SampleMovie.timedTrack(
                    key: "com.apple.quicktime.location.ISO6709",
                    sampleOffset: sample.mediaOffset,
                    sampleCount: 60,
                    samplesPerChunk: 60
                )
            }
            var limits = ParseLimits()
            limits.tableEntries = 100
            let bytes = sample.bytes
            let copy = try MovieStripping.stripped(bytes, of: .location, limits: limits)
            // What is adjacent is one piece.
            #expect(copy.pieces.count < 20)
            return try bytes.withBytes { try copy.copyBytes(from: $0) }.count { $0 == 0x61 }
        }
        #expect(try count(1) < 100)
        let thrown = #expect(throws: MediaFormatError.self) { try count(2) }
        #expect(thrown?.code == .limitExceeded)
    }

    @Test("T113: a key of a movie's metadata that is far longer than a name is not compared with each item's")
    func keys() throws {
        func values(_ length: Int) throws -> Int {
            var sample = SampleMovie()
            sample.meta = SampleMovie.metadataList([(String(repeating: "k", count: length), "x")])
            let bytes = sample.bytes
            let copy = try MovieStripping.stripped(bytes, of: .captions)
            #expect(copy.byteCount == bytes.count && copy.pieces.count > 1, "it is removed all the same")
            return try Movie(bytes).metadata.values.count
        }
        #expect(try values(1024) == 1)
        #expect(try values(1025) == 0)
    }
}

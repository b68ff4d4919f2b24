import MediaFormats
import MediaSamples
import PhotoModel
import Testing

struct HEIFImageTests {
    private func box(_ type: FourCharacterCode, _ bytes: [UInt8]) -> [UInt8] {
        var writer = ByteWriter()
        writer.appendBox(type) { $0.append(bytes) }
        return writer.bytes
    }

    @Test("items, places, properties and references are read in every version of iloc", arguments: [0, 1, 2])
    func description(version: UInt8) throws {
        var sample = SampleImage()
        sample.locationVersion = version
        let bytes = sample.bytes
        let image = try HEIFImage(bytes)
        #expect(image.brands == ["heic", "mif1", "heic"])
        #expect(image.primaryItemID == 1)
        #expect(image.items.map(\.type) == ["hvc1", "Exif"])
        #expect(image.primaryProperties.codedSize == PixelSize(width: 400, height: 300))
        #expect(try image.bytes(of: image.items[0], from: bytes) == sample.items[0].bytes)
        #expect(image.imageDataRanges == image.items[0].extents)
        let exif = try #require(try image.exif(bytes))
        #expect(exif.orientationCode == 6)
        #expect(exif.gps.latitude.map { Int($0) } == 41)
        #expect(image.auxiliaryTypes.isEmpty)
    }

    @Test("items inside the metadata box are found there (construction method 1)")
    func itemData() throws {
        var sample = SampleImage()
        sample.items.append(.init(id: 3, type: "grid", bytes: [0, 1, 2, 3], isInItemData: true))
        sample.items.append(.init(id: 4, type: "grid", bytes: [4, 5], isInItemData: true))
        let bytes = sample.bytes
        let image = try HEIFImage(bytes)
        #expect(try image.bytes(of: image.items[2], from: bytes) == [0, 1, 2, 3])
        #expect(try image.bytes(of: image.items[3], from: bytes) == [4, 5])
    }

    /// libavif's table of EXIF orientations and transformative properties (`irot` before `imir`).
    static let orientations: [(rotation: UInt8?, mirror: UInt8?, orientation: ImageOrientation)] = [
        (nil, nil, .up), (nil, 1, .upMirrored), (2, nil, .down), (nil, 0, .downMirrored), (1, 0, .leftMirrored),
        (3, nil, .right), (3, 0, .rightMirrored), (1, nil, .left),
    ]

    @Test("turning and mirroring together give EXIF's orientation", arguments: orientations)
    func orientation(rotation: UInt8?, mirror: UInt8?, orientation: ImageOrientation) throws {
        var sample = SampleImage()
        if let rotation { sample.properties.append(box("irot", [rotation])) }
        if let mirror { sample.properties.append(box("imir", [mirror])) }
        let properties = try HEIFImage(sample.bytes).primaryProperties
        #expect(properties.orientation == orientation)
        #expect(properties.displaySize?.width == (orientation.isTransposed ? 300 : 400))
    }

    @Test(
        "004.28: depth, disparity and a portrait matte are depth; other auxiliary pictures are not",
        arguments: [
            ("urn:mpeg:hevc:2015:auxid:2", true), ("urn:com:apple:photo:2018:aux:portraiteffectsmatte", true),
            ("urn:com:apple:photo:2017:aux:disparity", true), ("urn:mpeg:hevc:2015:auxid:1", false),
            ("urn:com:apple:photo:2020:aux:hdrgainmap", false),
        ]
    )
    func depth(type: String, hasDepth: Bool) throws {
        var sample = SampleImage()
        sample.items.append(.init(id: 3, type: "hvc1", bytes: [3, 3], auxiliaryType: type))
        let image = try HEIFImage(sample.bytes)
        #expect(image.auxiliaryTypes == [type])
        #expect(image.hasDepth == hasDepth)
    }

    @Test("004.60: EXIF and XMP lose the place, nothing moves, pictures stay")
    func withoutLocation() throws {
        var sample = SampleImage()
        var xmp = XMPProperties()
        xmp.title = "Kept"
        xmp.latitude = 41.22
        xmp.longitude = -96.07
        xmp.place.city = "Omaha"
        sample.items.append(.init(id: 3, type: "mime", contentType: "application/rdf+xml", bytes: xmp.packet()))
        var movie = SampleMovie()
        movie.userData = SampleMovie.userText("©xyz", "+41.2200-096.0700/")
        sample.trailer = box("mpvd", movie.bytes)
        let old = sample.bytes
        let image = try HEIFImage(old)
        let file = try image.stripped(old, of: .location)
        let new = try old.withBytes { try file.copyBytes(from: $0) }
        #expect(new.count == old.count)
        let stripped = try HEIFImage(new)
        #expect(stripped.items == image.items)
        let exif = try #require(try stripped.exif(new))
        #expect(exif.gps == ExifPosition())
        #expect(exif.orientationCode == 6)
        let kept = try #require(try stripped.xmp(new))
        #expect(kept.title == "Kept")
        #expect(kept.location == nil)
        #expect(kept.place == XMPPlace())
        for range in image.imageDataRanges { #expect(new[range.bounds] == old[range.bounds]) }
        let split = try #require(try MotionPhoto(new))
        #expect(try Movie(new, in: split.movie).metadata.location == nil)
        #expect(!String(decoding: new, as: UTF8.self).contains("41.22"))
    }

    @Test(
        "an XMP packet is added or replaced, whatever order the boxes have",
        arguments: [false, true],
        [false, true]
    )
    func withXMP(hasMediaFirst: Bool, hasPacket: Bool) throws {
        var sample = SampleImage()
        sample.hasMediaFirst = hasMediaFirst
        sample.items.append(.init(id: 9, type: "grid", bytes: [7, 7, 7], isInItemData: true))
        if hasPacket {
            let packet = XMPProperties().packet()
            sample.items.append(.init(id: 3, type: "mime", contentType: "application/rdf+xml", bytes: packet))
        }
        let old = sample.bytes
        let image = try HEIFImage(old)
        var xmp = XMPProperties()
        xmp.title = "New"
        let file = try image.withXMP(xmp.packet(), old)
        let new = try old.withBytes { try file.copyBytes(from: $0) }
        let changed = try HEIFImage(new)
        #expect(changed.boxes.damage == nil)
        #expect(try changed.xmp(new)?.title == "New")
        #expect(changed.items.count == (hasPacket ? image.items.count : image.items.count + 1))
        #expect(changed.properties == image.properties)
        for item in image.items where !item.isXMP {
            let same = try #require(changed.items.first { $0.id == item.id })
            #expect(try changed.bytes(of: same, from: new) == image.bytes(of: item, from: old))
        }
        let id = try #require(changed.xmpItem?.id)
        #expect(changed.references.contains { $0.type == "cdsc" && $0.from == id && $0.to == [1] })
    }

    @Test("lists of items that stand twice are refused when a file is written anew")
    func doubleLists() throws {
        let bytes = SampleImage().bytes
        let meta = try #require(try HEIFImage(bytes).boxes.boxes.first(ofType: "meta"))
        for type in ["iinf", "iloc", "iref"] {
            let empty = [0, 0, 0, 8] + Array(type.utf8)
            var broken = bytes
            broken.insert(contentsOf: empty, at: meta.range.end)
            broken[meta.range.offset + 3] += 8
            let image = try HEIFImage(broken)
            let thrown = #expect(throws: MediaFormatError.self) {
                try image.withXMP(XMPProperties().packet(), broken)
            }
            #expect(thrown?.code == .malformed, "\(type)")
        }
    }

    @Test("T34, T39: extents that wrap, lie outside or are too many are typed errors (libheif CVE-2026-49271)")
    func hostilePlaces() throws {
        let bytes = SampleImage().bytes
        let iloc = try #require(bytes.indices.first { Array(bytes[$0...].prefix(4)) == Array("iloc".utf8) })
        // Base offset, extent count, extent offset and length of the first item.
        let (base, count, length) = (iloc + 18, iloc + 22, iloc + 28)
        for (place, value, code) in [
            (base, [0xFF, 0xFF, 0xFF, 0xFF], .truncated), (length, [0xFF, 0xFF, 0xFF, 0xFF], .truncated),
            (count, [0xFF, 0xFF], .truncated), (iloc + 8, [0x11, 0x11], .malformed),
            (iloc + 10, [0xFF, 0xFF], .limitExceeded),
        ] as [(Int, [UInt8], MediaFormatError.Code)] {
            var broken = bytes
            broken.replaceSubrange(place..<place + value.count, with: value)
            let thrown = #expect(throws: MediaFormatError.self) { try HEIFImage(broken) }
            #expect(thrown?.code == code, "at \(place)")
        }
    }
}

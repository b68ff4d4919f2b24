import MediaFormats
import MediaSamples
import Testing

struct MotionPhotoTests {
    static let movie = {
        var movie = SampleMovie()
        movie.brand = "mp42"
        return movie.bytes
    }()

    /// A Motion Photo of a still and the sample movie.
    static func composed(_ still: [UInt8], stillTime: Duration? = .milliseconds(1500)) throws -> [UInt8] {
        let file = try MotionPhoto.beginning(
            still: still,
            movieByteCount: movie.count,
            movieType: .mpeg4Movie,
            stillTime: stillTime
        )
        return try still.withBytes { try file.copyBytes(from: $0) } + movie
    }

    @Test("003.22: a JPEG and a movie become one file and come apart again")
    func jpeg() throws {
        let still = try SampleStill.jpeg()
        let bytes = try Self.composed(still)
        let split = try #require(try MotionPhoto(bytes))
        #expect(split.form == .containerDirectory)
        #expect(split.stillTime == .milliseconds(1500))
        #expect(Array(bytes[split.movie.bounds]) == Self.movie)
        #expect(split.movie.end == bytes.count)
        #expect(bytes[..<split.still.end].suffix(2) == [0xFF, 0xD9])
        #expect(try MotionPhoto(still) == nil)
        // Readers older than the container's directory count from the end.
        let text = String(decoding: bytes, as: UTF8.self)
        let offset = try #require(text.firstMatch(of: /MicroVideoOffset\D+(\d+)/))
        #expect(offset.1 == "\(Self.movie.count)")
    }

    @Test("003.22: a HEIC and a movie become one file and come apart again", arguments: [false, true])
    func heic(hasMediaFirst: Bool) throws {
        var sample = SampleImage()
        sample.hasMediaFirst = hasMediaFirst
        let bytes = try Self.composed(sample.bytes)
        let split = try #require(try MotionPhoto(bytes))
        #expect(split.form == .movieBox)
        #expect(Array(bytes[split.movie.bounds]) == Self.movie)
        let still = Array(bytes[split.still.bounds])
        let image = try HEIFImage(still)
        #expect(image.boxes.damage == nil)
        let items = try #require(try image.xmp(still)).containerItems
        #expect(items.map(\.semantic) == ["Primary", "MotionPhoto"])
        #expect(items.map(\.padding) == [8, 0])
        #expect(items.map(\.length) == [0, Self.movie.count])
        #expect(try image.bytes(of: image.items[0], from: still) == sample.items[0].bytes)
    }

    @Test("composing again replaces the movie and the properties, and keeps what else the packet says")
    func again() throws {
        var xmp = XMPProperties()
        xmp.title = "Kept"
        var unknown = String(decoding: xmp.packet(), as: UTF8.self)
        unknown.replace("<dc:title>", with: "<a:b xmlns:a=\"urn:a\">kept too</a:b><dc:title>")
        let still = try SampleStill.jpeg(xmp: Array(unknown.utf8))
        let once = try Self.composed(still)
        let twice = try Self.composed(once, stillTime: nil)
        let split = try #require(try MotionPhoto(twice))
        #expect(split.stillTime == nil)
        #expect(Array(twice[split.movie.bounds]) == Self.movie)
        #expect(twice.count < once.count + 100)
        let metadata = try twice.withBytes { try StillMetadata($0) }
        #expect(metadata.xmp?.title == "Kept")
        #expect(metadata.xmp?.containerItems.count == 2)
        #expect(String(decoding: twice.prefix(4096), as: UTF8.self).contains("kept too"))
        let image = try Self.composed(try Self.composed(SampleImage().bytes))
        #expect(try MotionPhoto(image)?.movie.length == Self.movie.count)
    }

    @Test("the older MicroVideo, padding that counts, and bytes behind the movie are understood")
    func otherWriters() throws {
        var micro = XMPProperties()
        micro.motionPhoto.microVideo = 1
        micro.motionPhoto.microVideoOffset = Self.movie.count
        let old = try SampleStill.jpeg(xmp: micro.packet()) + Self.movie
        #expect(try MotionPhoto(old)?.form == .microVideo)
        var padded = XMPProperties()
        padded.containerItems = [
            XMPContainerItem(mime: "image/jpeg", semantic: "Primary"),
            XMPContainerItem(mime: "video/mp4", semantic: "MotionPhoto", length: Self.movie.count, padding: 24),
        ]
        let behind = try SampleStill.jpeg(xmp: padded.packet()) + Self.movie + [UInt8](repeating: 0, count: 24)
        let split = try #require(try MotionPhoto(behind))
        #expect(Array(behind[split.movie.bounds]) == Self.movie)
    }

    @Test("003.22: Samsung's trailer gives the movie, its value or a pointer")
    func samsung() throws {
        let still = try SampleStill.jpeg()
        var name = ByteWriter(order: .littleEndian)
        name.append(UInt16(0))
        name.append(UInt16(0x0A30))
        name.append(UInt32(16))
        name.append("MotionPhoto_Data")
        let block = name.bytes + Self.movie
        var directory = ByteWriter(order: .littleEndian)
        directory.append("SEFH")
        for number in [107, 1, 0x0A30 << 16, UInt32(block.count), UInt32(block.count)] { directory.append(number) }
        var ending = ByteWriter(order: .littleEndian)
        ending.append(directory.bytes)
        ending.append(UInt32(directory.count))
        ending.append("SEFT")
        let bytes = still + block + ending.bytes
        let split = try #require(try MotionPhoto(bytes))
        #expect(split.form == .samsungTrailer)
        #expect(Array(bytes[split.still.bounds]) == still)
        #expect(Array(bytes[split.movie.bounds]) == Self.movie)
        for place in [0, 8, 16, 20, 24] {
            var broken = bytes
            let offset = bytes.count - ending.count + place
            for index in offset..<offset + 4 { broken[index] = 0xFF }
            #expect(try MotionPhoto(broken) == nil, "at \(place)")
        }
    }

    @Test("an announced movie that is none, and stills of other kinds, are refused")
    func refusals() throws {
        var xmp = XMPProperties()
        for offset in [1, 20, Int.max, -5] {
            xmp.motionPhoto.microVideoOffset = offset
            #expect(try MotionPhoto(try SampleStill.jpeg(xmp: xmp.packet())) == nil)
        }
        for (still, type) in [(try SampleStill.png(), ContentType.mpeg4Movie), (try SampleStill.jpeg(), .jpeg)] {
            let thrown = #expect(throws: MediaFormatError.self) {
                try MotionPhoto.beginning(still: still, movieByteCount: 1, movieType: type, stillTime: nil)
            }
            #expect(thrown?.code == .unsupported)
        }
    }

    static let names: [(base: String, type: ContentType, name: String?)] = [
        ("IMG_1", .jpeg, "IMG_1.MP.jpg"), ("IMG_1MP", .heic, "IMG_1MP.heic"), (" a/b", .avif, "_a_b.MP.avif"),
        ("", .jpeg, "_.MP.jpg"), ("MP", .jpeg, "MP.MP.jpg"), ("a", .png, nil),
    ]

    @Test("names are made as Android asks for them", arguments: names)
    func fileNames(base: String, type: ContentType, name: String?) {
        #expect(MotionPhotoFileName.name(baseName: base, type: type) == name)
        let pattern = /[^\s\/\\][^\/\\]*MP\.(?:JPG|jpg|JPEG|jpeg|HEIC|heic|AVIF|avif)/
        if let name { #expect(name.wholeMatch(of: pattern) != nil) }
    }
}

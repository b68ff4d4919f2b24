import FoundationEssentials
import PhotoModel
import TestSupport
import Testing

struct AssetTests {
    private static func resource(_ id: UInt128, _ type: AssetResourceType, bytes: Int64 = 10) throws -> AssetResource {
        AssetResource(
            id: ResourceID(rawValue: id),
            type: type,
            digest: try #require(ContentDigest(bytes: [UInt8](repeating: UInt8(id), count: 32))),
            byteCount: bytes,
            contentType: "image/jpeg",
            originalFilename: FileName("IMG_\(id).JPG")
        )
    }

    @Test("003.26, 003.27: PhotoKit's numbers for the parts of an asset")
    func rawValues() {
        #expect(AssetResourceType.photo.rawValue == 1)
        #expect(AssetResourceType.pairedVideo.rawValue == 9)
        #expect(AssetResourceType.photoProxy.rawValue == 19)
        #expect(MediaSubtypes.photoLive.rawValue == 8)
    }

    @Test("003.23: a still with a paired movie is a Live Photo, and no video")
    func livePhoto() throws {
        let asset = Asset(
            id: AssetID(rawValue: 1),
            mediaType: .image,
            captureTime: CaptureTime(
                wall: WallTime(microsecondsSince1970: 0),
                source: .deviceClock,
                isSynchronized: true
            ),
            resources: [try Self.resource(2, .pairedVideo), try Self.resource(1, .photo)]
        )
        #expect(asset.isLivePhoto)
        #expect(asset.playbackStyle == .livePhoto)
        #expect(asset.primaryResource?.type == .photo)
        #expect(!AssetFilter.videos.matches(asset))
        #expect(AssetFilter.livePhotos.matches(asset))
        #expect(AssetResource.problem(in: asset.resources) == nil)
    }

    @Test("000.3, 003.27: what makes no asset is named")
    func problems() throws {
        let photo = try Self.resource(1, .photo)
        let movie = try Self.resource(2, .pairedVideo)
        #expect(AssetResource.problem(in: []) == .noPrimaryResource)
        #expect(AssetResource.problem(in: [movie]) == .pairedVideoWithoutPhoto(movie.id))
        #expect(AssetResource.problem(in: [try Self.resource(3, .video), movie]) == .pairedVideoWithoutPhoto(movie.id))
        #expect(AssetResource.problem(in: [try Self.resource(1, .photo, bytes: 0)]) == .empty(photo.id))
        #expect(AssetResource.problem(in: [try Self.resource(1, .photo, bytes: -1)]) == .empty(photo.id))
        #expect(AssetResource.problem(in: [photo, photo]) == .repeatedIdentifier(photo.id))
        #expect(AssetResource.problem(in: [photo, try Self.resource(4, .photo)]) == .repeatedType(.photo))
        let many = try (0..<65).map { try Self.resource($0, AssetResourceType(rawValue: 100)) }
        #expect(AssetResource.problem(in: many) == .tooMany(limit: 64))
    }

    @Test(
        "T48: a length that no resource has is decoded as one just beyond the possible ones",
        arguments: [
            (.min, -1), (-2, -1), (-1, -1), (0, 0), (68_719_476_736, 68_719_476_736),
            (68_719_476_737, 68_719_476_737), (68_719_476_738, 68_719_476_737), (.max, 68_719_476_737),
        ] as [(Int64, Int64)]
    )
    func extremeLengths(sent: Int64, decoded: Int64) throws {
        let bytes = try JSONEncoder().encode(try Self.resource(1, .photo, bytes: sent))
        #expect(try JSONDecoder().decode(AssetResource.self, from: bytes).byteCount == decoded)
    }

    @Test("an asset with kinds and parts of the future survives the wire")
    func unknownKinds() {
        checkProperty("coding") { generator, _ in
            var asset = AssetGenerator.asset(&generator)
            asset.resources = [try Self.resource(1, AssetResourceType(rawValue: 4711)), try Self.resource(2, .photo)]
            asset.adjustment = Adjustment(formatIdentifier: "com.example.\(generator.below(9))", formatVersion: "2")
            let decoded = try JSONDecoder().decode(Asset.self, from: JSONEncoder().encode(asset))
            return decoded == asset ? nil : "\(decoded) is not \(asset)"
        }
    }

    @Test("keywords in NFC and NFD are one; empty, long and controlling ones are none")
    func keywords() {
        #expect(Keyword("caf\u{e9}") == Keyword(" cafe\u{301} "))
        #expect(Set([Keyword("caf\u{e9}"), Keyword("cafe\u{301}")]).count == 1)
        for text in ["", "  ", "a\u{1B}[31m", "two\nlines", String(repeating: "x", count: 257)] {
            #expect(Keyword(text) == nil, "\(text)")
        }
        #expect(Rating(rawValue: 6) == nil)
        #expect(Rating(rawValue: -1) == nil)
    }

    @Test("a place off the Earth is refused, also on the wire")
    func locations() {
        #expect(Location(latitude: 90.1, longitude: 0) == nil)
        #expect(Location(latitude: .nan, longitude: 0) == nil)
        #expect(Location(latitude: 0, longitude: 0, altitude: .infinity) == nil)
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(Location.self, from: Data(#"{"latitude":91,"longitude":0}"#.utf8))
        }
    }

    @Test("an altitude that no camera has is left out of a file's place, and kept of a stored one")
    func altitudes() throws {
        for altitude in [-100_001, 1_000_001, 1e308] {
            let place = try #require(Location(latitude: 47, longitude: 8, altitude: altitude))
            #expect(place.altitude == nil)
            let text = #"{"latitude":47,"longitude":8,"altitude":\#(altitude)}"#
            let stored = try JSONDecoder().decode(Location.self, from: Data(text.utf8))
            #expect(stored.altitude == altitude)
        }
    }
}

import Foundation
import LibraryAPI
import PhotoModel
import TestSupport
import Testing

struct WireTests {
    static func manifest(_ generator: inout SeededGenerator) -> AssetManifest {
        let digest = { (generator: inout SeededGenerator) in ContentDigest(bytes: generator.bytes(32)) }
        let resources = [AssetResourceType.photo, .pairedVideo].compactMap { type in
            digest(&generator).map {
                AssetResource(
                    id: ResourceID(rawValue: UInt128(generator.next())),
                    type: type,
                    digest: $0,
                    byteCount: Int64(1 + generator.below(1 << 36)),
                    contentType: type == .photo ? "image/jpeg" : "video/quicktime",
                    originalFilename: FileName(bytes: [0xFF, UInt8(ascii: "a")])
                )
            }
        }
        var manifest = AssetManifest(
            id: AssetID(rawValue: UInt128(generator.next())),
            mediaType: .image,
            captureTime: CaptureTime(
                wall: WallTime(microsecondsSince1970: Int64(generator.below(1 << 50))),
                source: .deviceClock,
                isSynchronized: true
            ),
            desiredAlbum: generator.oneIn(2) ? .title("Gate") : .id(AlbumID(rawValue: 7)),
            resources: resources
        )
        manifest.keywords = ["snow", "gate"].compactMap { Keyword($0) }
        manifest.durationMicroseconds = 2_500_000
        manifest.title = "title"
        return manifest
    }

    private func roundTrip<Value: Codable & Equatable>(_ value: Value) throws -> Bool {
        try JSONDecoder().decode(Value.self, from: JSONEncoder().encode(value)) == value
    }

    @Test("manifests come back as they were, and make the asset they describe")
    func manifests() {
        checkProperty("manifest") { generator, _ in
            let manifest = Self.manifest(&generator)
            guard try roundTrip(manifest) else { return "changed by the wire" }
            guard manifest.problem == nil else { return "\(String(describing: manifest.problem))" }
            let again = AssetManifest(manifest.asset, desiredAlbum: manifest.desiredAlbum)
            return again.asset == manifest.asset ? nil : "the asset differs"
        }
    }

    @Test("000.3: a manifest that makes no asset is refused with the field that is wrong")
    func refusedManifests() {
        var generator = SeededGenerator(seed: 1)
        let good = Self.manifest(&generator)
        func problem(_ change: (inout AssetManifest) -> Void) -> ProblemDetails? {
            var manifest = good
            change(&manifest)
            return manifest.problem
        }
        #expect(problem { $0.resources = [] }?.code == .resourceMissing)
        #expect(problem { $0.resources.removeFirst() }?.code == .resourceMissing)
        #expect(problem { $0.title = String(repeating: "x", count: 513) }?.field == "title")
        #expect(problem { $0.caption = String(repeating: "x", count: 16_385) }?.field == "caption")
        #expect(problem { $0.desiredAlbum = .title("") }?.field == "desiredAlbum.title")
        #expect(problem { $0.resources[0] = resource(contentType: "image/jpeg; x") }?.code == .resourceInvalid)
        #expect(problem { $0.resources[0] = resource(byteCount: 0) }?.code == .resourceInvalid)
        #expect(problem { $0.resources[0] = resource(byteCount: .max) }?.code == .tooLarge)
        func resource(byteCount: Int64 = 1, contentType: String = "image/jpeg") -> AssetResource {
            AssetResource(
                id: good.resources[0].id,
                type: .photo,
                digest: good.resources[0].digest,
                byteCount: byteCount,
                contentType: contentType
            )
        }
    }

    @Test("a receipt's signed bytes have one spelling and change with every part")
    func receipts() throws {
        var generator = SeededGenerator(seed: 2)
        let manifest = Self.manifest(&generator)
        let resources = manifest.resources.map(Receipt.Resource.init)
        func receipt(
            device: DeviceID? = DeviceID(rawValue: 3),
            asset: AssetID = manifest.id,
            number: Int64 = 9,
            resources: [Receipt.Resource] = resources
        ) -> Receipt {
            Receipt(
                libraryID: LibraryID(rawValue: 1),
                libraryEpoch: LibraryEpoch(rawValue: 2),
                deviceID: device,
                assetID: asset,
                changeNumber: ChangeNumber(rawValue: number),
                time: WallTime(microsecondsSince1970: 0),
                resources: resources
            )
        }
        let first = receipt()
        #expect(first == receipt(resources: resources.reversed()))
        let others = [
            receipt(device: nil), receipt(asset: AssetID(rawValue: 1)), receipt(number: 10),
            receipt(resources: [resources[0]]),
        ]
        #expect(Set((others + [first]).map(\.canonicalBytes)).count == 5)
        #expect(String(decoding: first.canonicalBytes, as: UTF8.self).hasPrefix("tintype-receipt-1\nlibrary 0000"))
        let decoded = try JSONDecoder().decode(Receipt.self, from: JSONEncoder().encode(first))
        #expect(decoded.canonicalBytes == first.canonicalBytes)
        #expect(try roundTrip(SignedReceipt(receipt: first, keyID: "k", signature: [1, 2, 3])))
    }

    @Test("a receipt covers an asset only when it names every resource that is held")
    func covering() {
        var generator = SeededGenerator(seed: 3)
        let manifest = Self.manifest(&generator)
        func receipt(_ resources: [AssetResource]) -> Receipt {
            Receipt(
                libraryID: LibraryID(rawValue: 1),
                libraryEpoch: LibraryEpoch(rawValue: 2),
                deviceID: nil,
                assetID: manifest.id,
                changeNumber: ChangeNumber(rawValue: 1),
                time: WallTime(microsecondsSince1970: 0),
                resources: resources.map(Receipt.Resource.init)
            )
        }
        #expect(receipt(manifest.resources).covers(manifest.id, resources: manifest.resources))
        #expect(!receipt([manifest.resources[0]]).covers(manifest.id, resources: manifest.resources))
        #expect(!receipt(manifest.resources).covers(AssetID(rawValue: 0), resources: manifest.resources))
        #expect(!receipt(manifest.resources).covers(manifest.id, resources: []))
    }

    @Test("every error code has a status, a type that leads back to it, and survives the wire")
    func problems() throws {
        for code in ErrorCode.allCases {
            let problem = ProblemDetails(code, "Do this next.", field: "x", retryAfterSeconds: 3)
            #expect(400..<600 ~= problem.status && problem.code == code)
            #expect(try roundTrip(problem))
        }
        let mismatch = try JSONEncoder().encode(ProblemDetails.offsetMismatch(expected: 5, provided: 7))
        #expect(String(decoding: mismatch, as: UTF8.self).contains(#""expected-offset":5"#))
        let foreign = try JSONDecoder().decode(ProblemDetails.self, from: Data(#"{"status":503,"x":1}"#.utf8))
        #expect(foreign.code == nil && foreign.retry == .after)
    }

    @Test("a page of changes is lines that lead back to themselves")
    func changeLines() throws {
        var generator = SeededGenerator(seed: 4)
        let asset = Self.manifest(&generator).asset
        let entities: [EntityReference] = [
            .asset(asset.id), .album(AlbumID(rawValue: 1)), .membership(album: AlbumID(rawValue: 1), asset: asset.id),
        ]
        for entity in entities {
            #expect(try roundTrip(ChangeLine.change(EntityChange(.removed, entity))))
        }
        let state = Base64Bytes([1, 2])
        #expect(try roundTrip(ChangeLine.change(EntityChange(.inserted, entities[0], asset: asset, state: state))))
        #expect(try roundTrip(ChangeLine.end(.init(token: ChangeToken(text: "x"), hasMore: true))))
    }

    @Test("album outcomes and wishes have one key each")
    func albums() throws {
        for outcome in [AlbumOutcome.applied(AlbumID(rawValue: 1)), .created(AlbumID(rawValue: 2)), .deferred(.denied)]
        {
            #expect(try roundTrip(outcome))
        }
        for broken in ["{}", #"{"applied":"x"}"#, #"{"applied":1,"created":2}"#, "[]"] {
            #expect(throws: DecodingError.self) {
                try JSONDecoder().decode(AlbumOutcome.self, from: Data(broken.utf8))
            }
            #expect(throws: DecodingError.self) {
                try JSONDecoder().decode(DesiredAlbum.self, from: Data(broken.utf8))
            }
        }
    }

    @Test("004.81: a list's query comes back as it was made; unknown items are refused by name")
    func listQueries() throws {
        var options = FetchOptions(showsTrash: true)
        options.sortDescriptors = [
            .init(key: .rating, isAscending: false), .init(key: .captureDate, isAscending: true),
        ]
        let query = AssetQuery(options: options, limit: 7, cursor: ListCursor(text: "abc"))
        let decode: (String) throws -> AssetFilter = {
            try JSONDecoder().decode(AssetFilter.self, from: Data($0.utf8))
        }
        #expect(try AssetQuery(items: query.items, decodeFilter: decode) == query)
        let filtered = try AssetQuery(items: [("filter", #"{"not":"images"}"#)], decodeFilter: decode)
        #expect(filtered.options.filter == .not(.images))
        let words = String(repeating: "a ", count: AssetFilter.Limit.textWords + 1)
        let broken = [
            ("limit", "0"), ("limit", "501"), ("sort", "name"), ("sort", "rating,-rating"), ("filter", "{}"),
            ("offset", "1"), ("trash", "maybe"),
            // Decoding alone leaves the number of words open.
            ("filter", "{\"text\":\"\(words)\"}"),
        ]
        for item in broken {
            let problem = #expect(throws: ProblemDetails.self) {
                try AssetQuery(items: [item], decodeFilter: decode)
            }
            #expect(problem?.field == item.0)
        }
    }

    private static let rooms: [(free: Int64, reserved: Int64, room: LibraryStatistics.Room)] = [
        (.max, 0, .ample), (6 << 30, 1 << 30, .ample), ((6 << 30) - 1, 1 << 30, .low), ((1 << 30) + 1, 1 << 30, .low),
        (1 << 30, 1 << 30, .full), (0, .max, .full), (.min, 1, .full),
    ]

    @Test("What is left above the reserve says whether there is room, little of it, or none", arguments: rooms)
    func room(free: Int64, reserved: Int64, room: LibraryStatistics.Room) {
        var counts = LibraryStatistics()
        #expect(counts.room == nil)
        counts.setRoom(freeBytes: free, reservedBytes: reserved)
        #expect(counts.room == room)
    }
}

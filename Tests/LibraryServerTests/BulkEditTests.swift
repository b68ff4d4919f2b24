import LibraryStore
import MediaFormats
import MediaSamples
import PhotoModel
import Testing

@testable import LibraryAPI
@testable import LibraryServer

/// One edit of many assets, and what originals say of how they were taken.
struct BulkEditTests {
    @Test("One request changes many assets; each has its own answer, and what is refused for one leaves the others")
    func perItem() async throws {
        try await RunningServer.run { server in
            let device = try await TestDevice.enroll(at: server, maximum: "readWrite")
            try await device.call(server) { client in
                var assets: [AssetID] = []
                for _ in 0..<3 { assets.append(try await client.saved()) }
                let unknown = AssetID(rawValue: 7)
                let harbour = try #require(Keyword("harbour"))
                let edit = AssetEdit.making {
                    $0.rating = Rating(rawValue: 4)
                    $0.addedKeywords = [harbour]
                }
                let bulk = BulkEdit(assets: [assets[0], unknown, assets[2]], edit: edit)
                let answer = try await client.send("PATCH", "/v1/assets", json: bulk)
                let outcomes = try answer.json(BulkEditResponse.self).outcomes
                #expect(outcomes.map(\.id) == bulk.assets)
                #expect(outcomes.map(\.problem?.code) == [nil, .notFound, nil])
                for outcome in [outcomes[0], outcomes[2]] {
                    #expect(outcome.asset?.rating.rawValue == 4 && outcome.asset?.keywords.count == 1)
                }
                let untouched = try await client.send("GET", "/v1/assets/\(assets[1])").json(Asset.self)
                #expect(untouched.rating == .unrated)
            }
        }
    }

    @Test("A camera whose clock was wrong: each asset gets its date, once, however often the request comes")
    func dates() async throws {
        try await RunningServer.run { server in
            let device = try await TestDevice.enroll(at: server, maximum: "readWrite")
            var assets: [Asset] = []
            for _ in 0..<40 {
                let id = try await device.call(server) { try await $0.saved() }
                assets.append(try await device.call(server) { try await $0.send("GET", "/v1/assets/\(id)").json() })
            }
            let moved = assets.map { $0.captureDate.advanced(by: .seconds(-3600)) }
            let bulk = BulkEdit(assets: assets.map(\.id), captureDateOverrides: moved)
            // The answer to the first was lost; the second and third overtake each other.
            _ = try await device.call(server) { try await $0.send("PATCH", "/v1/assets", json: bulk) }
            async let second = device.call(server) { try await $0.send("PATCH", "/v1/assets", json: bulk) }
            async let third = device.call(server) { try await $0.send("PATCH", "/v1/assets", json: bulk) }
            for answer in try await [second, third] {
                let outcomes = try answer.json(BulkEditResponse.self).outcomes
                #expect(outcomes.map { $0.asset?.captureDate } == moved)
                #expect(outcomes.map { $0.asset?.captureTime } == assets.map(\.captureTime), "the evidence stays")
            }
        }
    }

    @Test("Dates for each asset are as many as the assets, and not beside a date for all")
    func wrongDates() async throws {
        try await RunningServer.run { server in
            let device = try await TestDevice.enroll(at: server, maximum: "readWrite")
            try await device.call(server) { client in
                let id = try await client.saved()
                var bulk = BulkEdit(assets: [id], captureDateOverrides: [])
                #expect(try await client.send("PATCH", "/v1/assets", json: bulk).status == 400)
                bulk.captureDateOverrides = [.now(), .now()]
                #expect(try await client.send("PATCH", "/v1/assets", json: bulk).status == 400)
                bulk.captureDateOverrides = [.now()]
                bulk.edit.captureDateOverride = .now()
                #expect(try await client.send("PATCH", "/v1/assets", json: bulk).status == 400)
            }
        }
    }

    @Test("Too many, none, and one asset twice are refused; a limited device changes what it sees alone")
    func limits() async throws {
        try await RunningServer.run { server in
            let full = try await TestDevice.enroll(at: server, maximum: "readWrite")
            let limited = try await TestDevice.enroll(at: server, maximum: "limited")
            let foreign = try await full.call(server) { try await $0.saved() }
            try await limited.call(server) { client in
                let own = try await client.saved()
                let edit = AssetEdit.making { $0.isFavorite = true }
                let bulk = BulkEdit(assets: [foreign, AssetID(rawValue: 9), own], edit: edit)
                let outcomes = try await client.send("PATCH", "/v1/assets", json: bulk)
                    .json(BulkEditResponse.self).outcomes
                #expect(outcomes.map(\.problem?.code) == [.notFound, .notFound, nil])
                #expect(outcomes[0].problem?.title == outcomes[1].problem?.title)
                let many = (0...APILimits.bulkEditCount).map { AssetID(rawValue: UInt128($0)) }
                for assets in [many, [], [own, own]] {
                    let bulk = BulkEdit(assets: assets, edit: edit)
                    let answer = try await client.send("PATCH", "/v1/assets", json: bulk)
                    #expect(answer.status == 413, "\(assets.count)")
                }
            }
            let kept: Asset = try await full.call(server) { try await $0.send("GET", "/v1/assets/\(foreign)").json() }
            #expect(!kept.isFavorite)
        }
    }

    @Test("Camera, lens and exposure come out of the file; a file that cannot be read says nothing")
    func facts() async throws {
        var exif = ExifMetadata()
        exif.make = "Canon"
        exif.model = "EOS R5"
        exif.lensModel = "RF 50mm F1.8 STM"
        exif.exposureTime = ExifRational(1, 250)
        exif.fNumber = ExifRational(28, 10)
        exif.isoSpeed = 400
        exif.focalLength = ExifRational(50, 1)
        exif.flash = 1
        exif.exposureCompensation = ExifRational(-1, 3)
        let still = try SampleStill.jpeg(exif: try exif.bytes(order: .bigEndian))
        let broken = Array(still.prefix(40))
        try await RunningServer.run { server in
            let device = try await TestDevice.enroll(at: server, maximum: "readWrite")
            try await device.call(server) { client in
                var found: [CameraFacts] = []
                for bytes in [still, broken] {
                    let asset = try TestAsset([.init(type: .photo, contentType: "image/jpeg", name: "x", bytes: bytes)])
                    try await client.save(asset)
                    found.append(try await client.send("GET", "/v1/assets/\(asset.manifest.id)/facts").json())
                }
                var expected = CameraFacts()
                expected.make = "Canon"
                expected.model = "EOS R5"
                expected.lens = "RF 50mm F1.8 STM"
                expected.exposureSeconds = 0.004
                expected.fNumber = 2.8
                expected.isoSpeed = 400
                expected.focalLengthMillimeters = 50
                expected.isFlashFired = true
                expected.exposureCompensation = -1.0 / 3
                #expect(found == [expected, CameraFacts()])
            }
        }
    }
}

extension TestClient {
    /// Saves a new photo and gives its name.
    fileprivate func saved() async throws -> AssetID {
        let photo = try TestPhoto.random(byteCount: 50)
        _ = try await save(photo)
        return photo.manifest.id
    }
}

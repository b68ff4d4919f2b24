import DeviceIdentity
import LibraryAPI
import LibraryStore
import PhotoModel
import Testing

@testable import LibraryServer

/// Edits: the base is kept, the rendering comes with its adjustment data, and the edit can be taken back.
struct AdjustmentTests {
    private static func parts(_ size: Int) -> [TestAsset.Part] {
        [
            TestAsset.Part(
                type: .adjustmentData,
                contentType: "application/x-plist",
                name: "Adjustments.plist",
                bytes: Array(repeating: 1, count: size)
            ),
            TestAsset.Part(
                type: .fullSizePhoto,
                contentType: "image/jpeg",
                name: "FullSizeRender.jpg",
                bytes: Array(repeating: 2, count: size + 1)
            ),
        ]
    }

    private static func request(_ parts: [TestAsset.Part], version: String = "1") throws -> AdjustmentRequest {
        AdjustmentRequest(
            adjustment: Adjustment(formatIdentifier: "org.example.filter", formatVersion: version),
            resources: try parts.map { try $0.resource() }
        )
    }

    /// Sends an edit until it is applied.
    private func adjust(
        _ asset: AssetID,
        _ request: AdjustmentRequest,
        _ parts: [TestAsset.Part],
        _ client: TestClient
    ) async throws -> Asset {
        let path = "/v1/assets/\(asset)/adjustments"
        let first = try await client.send("POST", path, json: request)
        #expect(first.status == 200, "\(first.text)")
        let uploads = try first.json(AdjustmentResponse.self).uploads
        let again = try await client.send("POST", path, json: request).json(AdjustmentResponse.self)
        #expect(Set(again.uploads.map(\.id)) == Set(uploads.map(\.id)), "the same description, the same uploads")
        try await client.send(uploads, of: parts)
        let applied = try await client.send("POST", path, json: request).json(AdjustmentResponse.self)
        let repeated = try await client.send("POST", path, json: request).json(AdjustmentResponse.self)
        #expect(applied == repeated, "asking again after a lost answer gives the same")
        return try #require(applied.asset)
    }

    @Test("An edit keeps the base, shows its rendering, is replaced by the next and taken back")
    func wholeLife() async throws {
        try await RunningServer.run { server in
            let device = try await TestDevice.enroll(at: server, maximum: "readWrite")
            let photo = try TestPhoto.random(byteCount: 300)
            try await device.call(server) { client in
                _ = try await client.save(photo)
                let id = photo.manifest.id
                let first = Self.parts(50)
                let edited = try await adjust(id, Self.request(first), first, client)
                #expect(edited.adjustment?.formatIdentifier == "org.example.filter")
                #expect(edited.resources.count == 3)
                #expect(edited.resources.contains(photo.resource), "the base is kept")
                let second = Self.parts(70)
                let replaced = try await adjust(id, Self.request(second, version: "2"), second, client)
                #expect(replaced.resources.count == 3)
                #expect(Set(replaced.resources.map(\.byteCount)) == [300, 70, 71])
                let rendering = try #require(replaced.resources.first { $0.type == .fullSizePhoto })
                let bytes = try await client.send("GET", "/v1/assets/\(id)/resources/\(rendering.id)")
                #expect(bytes.body == second[1].bytes)
                let reverted = try await client.send("DELETE", "/v1/assets/\(id)/adjustments").json(Asset.self)
                #expect(reverted.resources == [photo.resource] && reverted.adjustment == nil)
                #expect(try await client.send("GET", "/v1/assets/\(id)/resources/\(rendering.id)").status == 404)
            }
            let statistics = try await server.environment.store.metadata.statistics()
            #expect(statistics.contents == 1, "the renderings are in quarantine")
            #expect(statistics.quarantined == 4)
            let report = try await server.environment.store.verify(.init(isHashing: true, isRepairing: false))
            #expect(report.findings == [])
        }
    }

    @Test("An edit that is none is refused, and its uploads make no asset")
    func refusals() async throws {
        try await RunningServer.run { server in
            let device = try await TestDevice.enroll(at: server, maximum: "readWrite")
            let photo = try TestPhoto.random(byteCount: 300)
            try await device.call(server) { client in
                _ = try await client.save(photo)
                let path = "/v1/assets/\(photo.manifest.id)/adjustments"
                let parts = Self.parts(50)
                let halves = [[parts[0]], [parts[1]], parts + [parts[1]]]
                for half in halves {
                    let refused = try await client.send("POST", path, json: Self.request(half))
                    #expect(refused.status == 422, "\(refused.text)")
                }
                var original = try Self.request(parts)
                original.resources.append(photo.resource)
                #expect(try await client.send("POST", path, json: original).status == 422)
                let request = try Self.request(parts)
                let uploads = try await client.send("POST", path, json: request).json(AdjustmentResponse.self).uploads
                try await client.send(uploads, of: parts)
                let stranger = try await TestDevice.enroll(at: server, maximum: "limited")
                let statuses = try await stranger.call(server) { client in
                    [
                        try await client.send("POST", path, json: request).status,
                        try await client.send("DELETE", path).status,
                    ]
                }
                #expect(statuses == [404, 404])
                #expect(try await client.send("POST", path, json: request).status == 200)
            }
        }
    }
}

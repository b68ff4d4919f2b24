import LibraryAPI
import PhotoModel
import Testing

@testable import LibraryServer

/// Reading is noted once a day; what every device does by itself is not.
struct LevelUseTests {
    @Test(
        "004.4, 004.84: lists, thumbnails and files are uses of readWrite; contacts, the feed and saving are not",
        arguments: ["/v1/assets", "/v1/timeline?unit=month", "/v1/albums", "/v1/assets/{id}", "/v1/assets/{id}/facts"]
    )
    func reading(path: String) async throws {
        try await RunningServer.run { server in
            let device = try await TestDevice.enroll(at: server, maximum: "readWrite")
            func shown() async throws -> DeviceSummary {
                try await server.withOperator { try await $0.send("GET", "/v1/admin/devices/\(device.id)").json() }
            }
            let photo = try TestPhoto.random(byteCount: 100)
            try await device.call(server) { client in
                _ = try await client.save(photo)
                let contact = try ContactRequest.ofFreshBox()
                #expect(try await client.send("POST", "/v1/heartbeat", json: contact).status == 200)
                for path in ["/v1/changes", "/v1/authorization", "/v1/receipts"] {
                    #expect(try await client.send("GET", path).status == 200, "\(path)")
                }
                #expect(try await client.send("GET", "/v1/assets/\(AssetID(rawValue: 1))").status == 404)
            }
            let before = try await shown()
            #expect(before.lastAdded != nil && before.lastRead == nil && before.usesNotedSince == before.firstSeen)
            let named = path.replacing("{id}", with: "\(photo.manifest.id)")
            try await device.call(server) { client in
                let answer = try await client.send("GET", named)
                #expect(answer.status == 200, "\(answer.text)")
            }
            let noted = try #require(try await shown().lastRead)
            try await device.call(server) { _ = try await $0.send("GET", named) }
            #expect(try await shown().lastRead == noted, "once a day")
        }
    }
}

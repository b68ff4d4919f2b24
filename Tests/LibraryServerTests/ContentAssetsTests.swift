import LibraryAPI
import PhotoModel
import Testing

@testable import LibraryServer

struct ContentAssetsTests {
    @Test("An original leads to the assets that hold it; an unknown one to none, and what is no digest to 404")
    func assets() async throws {
        try await RunningServer.run { server in
            let device = try await TestDevice.enroll(at: server, maximum: "addOnly")
            let photo = try TestPhoto.random(byteCount: 100)
            _ = try await device.call(server) { try await $0.save(photo) }
            try await server.withOperator { admin in
                func holders(_ digest: String) async throws -> TestClient.Answer {
                    try await admin.send("GET", "/v1/admin/library/contents/\(digest)/assets")
                }
                let known = try await holders(photo.resource.digest.description).json(ContentAssets.self)
                #expect(known.assets == [photo.manifest.id])
                let unknown = try await holders(String(repeating: "0", count: 64)).json(ContentAssets.self)
                #expect(unknown.assets.isEmpty)
                #expect(try await holders("thumbnail").status == 404)
            }
        }
    }
}

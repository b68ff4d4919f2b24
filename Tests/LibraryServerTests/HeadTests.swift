import LibraryAPI
import PhotoModel
import Testing

@testable import LibraryServer

/// HEAD is answered as GET is, without the body (RFC 9110, section 9.3.2).
struct HeadTests {
    @Test("HEAD has the status and the fields of GET, for the page's files and every kind of route")
    func fields() async throws {
        try await RunningServer.run { server in
            let device = try await TestDevice.enroll(at: server, maximum: "readWrite")
            let photo = try TestPhoto.random(byteCount: 400)
            try await device.call(server) { client in
                _ = try await client.save(photo)
                let asset = "/v1/assets/\(photo.manifest.id)"
                let paths = [
                    "/", "/static/\(WebPage().version)/page.css", "/healthz", "/v1/openapi.yaml", "/v1/assets", asset,
                    "\(asset)/resources/\(photo.resource.id)", "/v1/assets/none", "/v1/admin/devices",
                ]
                for path in paths {
                    let whole = try await client.send("GET", path)
                    let head = try await client.send("HEAD", path)
                    #expect(head.status == whole.status && head.body.isEmpty, "\(path)")
                    for field in ["content-type", "content-disposition", "etag", "cache-control"] {
                        #expect(head.headers[field] == whole.headers[field], "\(field) of \(path)")
                    }
                    // A problem names its request, in more or fewer characters.
                    guard whole.status == 200 else { continue }
                    #expect(head.headers["content-length"] == "\(whole.body.count)", "\(path)")
                }
            }
            let stranger = try await server.withClient { try await $0.send("HEAD", "/v1/assets") }
            #expect(stranger.status == 401)
        }
    }

    @Test("HEAD of a stream is refused at once, and keeps no place for it")
    func stream() async throws {
        try await RunningServer.run { server in
            let device = try await TestDevice.enroll(at: server, maximum: "readWrite")
            try await device.call(server) { client in
                for _ in 0...APILimits.waitsPerDevice {
                    let head = try await client.send("HEAD", "/v1/changes/stream")
                    #expect(head.status == 405 && head.headers["allow"] == "GET" && head.body.isEmpty)
                }
                // The connection goes on: nothing was left on it.
                #expect(try await client.send("GET", "/v1/assets").status == 200)
            }
        }
    }
}

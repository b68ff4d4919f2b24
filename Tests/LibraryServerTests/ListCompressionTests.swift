import Foundation
import LibraryAPI
import PhotoModel
import TestSupport
import Testing

@testable import LibraryServer

/// Lists, compressed on their way to callers that accept it.
struct ListCompressionTests {
    private static let compressed = [("Accept-Encoding", "gzip, deflate, br")]

    @Test("Lists and counts are the same bytes after inflating, and as they are for callers that accept neither coding")
    func lists() async throws {
        try await RunningServer.run { server in
            let device = try await TestDevice.enroll(at: server, maximum: "readWrite")
            try await device.call(server) { client in
                let album = try await client.send("POST", "/v1/albums", json: AlbumEdit.titled("Gate")).json(Album.self)
                // Noon in January: neither midnight nor a change of the clocks comes between two of them.
                let last = WallTime(millisecondsSince1970: 1_705_752_000_000)
                for day in 0..<20 {
                    let other = try await client.send("POST", "/v1/albums", json: AlbumEdit.titled("Day \(day)"))
                    #expect(other.status == 201)
                    var photo = try TestPhoto.random(byteCount: 50)
                    photo.manifest.captureTime.wall = last.advanced(by: .seconds(-86_400 * day))
                    photo.manifest.location = Location(latitude: Double(day), longitude: 7)
                    _ = try await client.save(photo)
                    let added = AlbumAddition(assets: [photo.manifest.id])
                    #expect(try await client.send("POST", "/v1/albums/\(album.id)/assets", json: added).status == 204)
                }
                let paths = [
                    "/v1/assets?limit=500", "/v1/timeline?unit=day", "/v1/places", "/v1/albums",
                    "/v1/albums/\(album.id)/assets",
                ]
                for path in paths {
                    let plain = try await client.send("GET", path)
                    let short = try await client.send("GET", path, headers: Self.compressed)
                    let older = try await client.send("GET", path, headers: [("Accept-Encoding", "gzip, br;q=0")])
                    let refused = try await client.send("GET", path, headers: [("Accept-Encoding", "gzip;q=0")])
                    for (answer, coding) in [(short, "br"), (older, "gzip")] {
                        #expect(answer.headers["content-encoding"] == coding, "\(path)")
                        #expect(answer.headers["content-length"] == "\(answer.body.count)")
                        #expect(answer.headers["content-type"] == plain.headers["content-type"])
                        #expect(answer.body.count < plain.body.count, "\(path)")
                        let bytes = try await answer.decoded()
                        if path.contains("timeline") {
                            // Its token is sealed anew each time.
                            let counted = try JSONDecoder().decode(Timeline.self, from: Data(bytes))
                            #expect(counted.spans == (try plain.json(Timeline.self).spans) && counted.spans.count == 20)
                        } else {
                            #expect(bytes == plain.body, "\(path)")
                            #expect(refused.body == plain.body)
                        }
                    }
                    for answer in [plain, short, older, refused] {
                        #expect(answer.headers["vary"] == "Accept-Encoding")
                    }
                    for answer in [plain, refused] { #expect(answer.headers["content-encoding"] == nil) }
                }
            }
        }
    }

    @Test("T58: a limited device gets only its own photos in a compressed list, whoever asked before")
    func limited() async throws {
        try await RunningServer.run { server in
            let full = try await TestDevice.enroll(at: server, maximum: "readWrite")
            let limited = try await TestDevice.enroll(at: server, maximum: "limited")
            let (foreign, own) = (try TestPhoto.random(byteCount: 50), try TestPhoto.random(byteCount: 50))
            _ = try await full.call(server) { try await $0.save(foreign) }
            _ = try await limited.call(server) { try await $0.save(own) }
            for (device, seen) in [(full, [foreign, own]), (limited, [own])] {
                let answer = try await device.call(server) { client in
                    try await client.send("GET", "/v1/assets?limit=500", headers: Self.compressed)
                }
                #expect(answer.headers["content-encoding"] == "br")
                let page = try JSONDecoder().decode(AssetPage.self, from: Data(try await answer.decoded()))
                #expect(Set(page.assets.map(\.id)) == Set(seen.map(\.manifest.id)))
            }
        }
    }

    @Test("Answers that repeat secrets, changes, and files are never compressed")
    func neverCompressed() async throws {
        try await RunningServer.run { server in
            let device = try await TestDevice.enroll(at: server, maximum: "readWrite")
            let photo = try TestPhoto(bytes: Array(repeating: 7, count: 4000))
            try await device.call(server) { client in
                _ = try await client.save(photo)
                let request = PickerRequest(purpose: String(repeating: "A picture for the badge. ", count: 8))
                try await Self.plain("POST", "/v1/picker/sessions", request, client)
                for path in [
                    "/v1/changes?wait=0", "/v1/authorization",
                    "/v1/assets/\(photo.manifest.id)/resources/\(photo.resource.id)",
                ] {
                    try await Self.plain("GET", path, nil as String?, client)
                }
            }
            try await server.withOperator { admin in
                let link = WebLinkRequest(name: String(repeating: "ana-", count: 8))
                try await Self.plain("POST", "/v1/admin/web-logins", link, admin)
                let token = EnrollmentTokenRequest(maximum: "addOnly")
                try await Self.plain("POST", "/v1/admin/enrollment-tokens", token, admin)
                for path in ["enrollment-tokens", "web-logins", "web-logins/current", "devices", "operators"] {
                    try await Self.plain("GET", "/v1/admin/\(path)", nil as String?, admin)
                }
            }
        }
    }

    /// Sends a request that accepts compression, and expects a plain answer.
    @discardableResult
    private static func plain(
        _ method: String,
        _ path: String,
        _ value: (some Encodable)?,
        _ client: TestClient
    ) async throws -> TestClient.Answer {
        let answer = try await client.send(
            method,
            path,
            headers: compressed + (value == nil ? [] : [("Content-Type", "application/json")]),
            body: value.map { Array(try JSONEncoder().encode($0)) }
        )
        #expect(200..<300 ~= answer.status, "\(path): \(answer.text)")
        #expect(answer.headers["content-encoding"] == nil, "\(path)")
        return answer
    }
}

import Authorization
import DeviceIdentity
import Foundation
import LibraryAPI
import LibraryStore
import NIOCore
import NIOPosix
import PhotoModel
import Synchronization
import Testing

@testable import LibraryServer

/// Bytes and texts that mean harm.
struct InputAttackTests {
    private static let hostileTexts = [
        "../../../etc/passwd", "/etc/passwd", "..\\..\\windows", "%2e%2e%2fetc", "CON", "\u{202E}gpj.exe",
        "<script>alert(1)</script>", "\" onload=\"x", "'; DROP TABLE asset; --", "=cmd|' /C calc'!A0",
        "\r\nSet-Cookie: x=1", "\u{1B}[2J\u{1B}]0;x\u{7}", String(repeating: "a", count: 500),
    ]

    @Test("T10: a box whose clock says 1970 or 2106 enrols and saves: the server judges by its own")
    func wrongClocks() async throws {
        try await RunningServer.run { server in
            let device = try await TestDevice.enroll(at: server)
            for milliseconds: Int64 in [0, 4_294_967_296_000] {
                var photo = try TestPhoto.random(byteCount: 100)
                photo.manifest.captureTime = CaptureTime(
                    wall: WallTime(millisecondsSince1970: milliseconds),
                    source: .deviceClock,
                    isSynchronized: false
                )
                let answer = try await device.call(server) { try await $0.save(photo) }
                let age = WallTime.now().millisecondsSince1970 - answer.receipt.receipt.time.millisecondsSince1970
                #expect((0..<3_600_000).contains(age), "a receipt has the server's time")
            }
        }
    }

    @Test(
        "T33, T36: hostile texts in every name are data: nothing leaves the library's folders, nothing becomes markup"
    )
    func hostileTexts() async throws {
        let folder = try TemporaryFolder()
        try await RunningServer.run(in: folder.path) { server in
            let device = try await TestDevice.enroll(at: server, maximum: "readWrite")
            try await device.call(server) { client in
                for text in Self.hostileTexts {
                    let album = try await client.send("POST", "/v1/albums", json: AlbumEdit.titled(text))
                    #expect(album.status == 201, "\(album.text)")
                    #expect(album.headers["content-type"] == "application/json")
                    #expect(album.headers["x-content-type-options"] == "nosniff")
                    #expect(try album.json(Album.self).title == text)
                    let path = "/v1/assets/\(PercentEncoding.encode(text))"
                    let status = try await client.send("GET", path).status
                    #expect(status == 404, "\(text)")
                }
                for text in Self.hostileTexts {
                    guard let name = FileName(text) else { continue }
                    let part = TestAsset.Part(
                        type: .photo,
                        contentType: "image/jpeg",
                        name: "x",
                        bytes: Array(text.utf8)
                    )
                    let asset = try TestAsset([part]) { manifest in
                        let resource = manifest.resources[0]
                        manifest.resources[0] = AssetResource(
                            id: resource.id,
                            type: .photo,
                            digest: resource.digest,
                            byteCount: resource.byteCount,
                            contentType: resource.contentType,
                            originalFilename: name
                        )
                        manifest.title = text
                    }
                    try await client.save(asset)
                    let path = "/v1/assets/\(asset.manifest.id)/resources/\(asset.manifest.resources[0].id)"
                    let answer = try await client.send("GET", path)
                    #expect(answer.status == 200)
                    let field = try #require(answer.headers["content-disposition"])
                    #expect(field.utf8.allSatisfy { 0x20...0x7E ~= $0 } && field.hasPrefix("attachment"))
                    #expect(answer.headers["set-cookie"] == nil)
                }
            }
        }
        let left = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(left == ["library"])
    }

    @Test("T34, T39: announced sizes, compressed bodies and what is too long cost nothing and get a typed 4xx")
    func bombs() async throws {
        try await RunningServer.run { server in
            let device = try await TestDevice.enroll(at: server)
            try await device.call(server) { client in
                let small = try TestPhoto.random(byteCount: 100)
                let resource = small.resource
                var huge = small.manifest
                huge.resources[0] = AssetResource(
                    id: resource.id,
                    type: .photo,
                    digest: resource.digest,
                    byteCount: 4 << 30,
                    contentType: "image/png"
                )
                let created = try await client.send("POST", "/v1/assets", json: huge)
                if created.status == 200 {
                    let upload = try #require(try created.json(AssetCreationResponse.self).uploads.first)
                    let short = try await client.append(small.bytes, to: upload.id, at: 0, isComplete: true)
                    #expect(try short.json(ProblemDetails.self).code == .lengthInconsistent)
                } else {
                    #expect(created.status == 507)
                }
                for count in [Int64.max, -1, 0] {
                    huge.resources[0] = AssetResource(
                        id: resource.id,
                        type: .photo,
                        digest: resource.digest,
                        byteCount: count,
                        contentType: "image/png"
                    )
                    let refused = try await client.send("POST", "/v1/assets", json: huge)
                    #expect([413, 422, 507].contains(refused.status), "\(count): \(refused.text)")
                }
                let json = ("Content-Type", "application/json")
                let zipped = try await client.send(
                    "POST",
                    "/v1/assets",
                    headers: [json, ("Content-Encoding", "gzip")],
                    body: [0x1F, 0x8B, 8, 0, 0, 0, 0, 0] + Array(repeating: 0, count: 1000)
                )
                #expect(zipped.status == 400, "nothing is decompressed")
                let long = Array(repeating: UInt8(ascii: " "), count: APILimits.manifestByteCount + 1)
                #expect(try await client.send("POST", "/v1/assets", headers: [json], body: long).status == 413)
            }
        }
    }

    @Test("T38: no text makes the server call anybody: a listener whose address stands in every field hears nothing")
    func noCalls() async throws {
        let calls = Mutex(0)
        let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                calls.withLock { $0 += 1 }
                return channel.eventLoop.makeSucceededVoidFuture()
            }
            .bind(host: "127.0.0.1", port: 0)
            .get()
        let port = try #require(listener.localAddress?.port)
        let address = "http://127.0.0.1:\(port)/x"
        try await RunningServer.run(flags: ["media.workers=1"]) { server in
            let device = try await TestDevice.enroll(at: server, maximum: "readWrite")
            // A playlist is the one kind of file that tells a decoder where to go.
            let playlist = Array("#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\n\(address).ts\n".utf8)
            let asset = try TestAsset([
                .init(type: .video, contentType: "video/quicktime", name: address, bytes: playlist)
            ]) { manifest in
                manifest.mediaType = .video
                manifest.title = address
                manifest.caption = address
            }
            try await device.call(server) { client in
                try await client.save(asset)
                let path = "/v1/assets/\(asset.manifest.id)"
                let converted = "\(path)/resources/\(asset.manifest.resources[0].id)?as=jpeg"
                let answer = try await client.send(
                    "GET",
                    converted,
                    headers: [("Referer", address), ("Origin", address)]
                )
                #expect(try answer.json(ProblemDetails.self).code == .derivativeUnavailable)
                let json = [("Content-Type", "application/json")]
                for field in ["url", "callback", "webhook", "purpose"] {
                    let body = Array("{\"\(field)\":\"\(address)\",\"selectionLimit\":1}".utf8)
                    let status = try await client.send("POST", "/v1/picker/sessions", headers: json, body: body).status
                    #expect(status < 500)
                }
            }
        }
        #expect(calls.withLock { $0 } == 0)
        try await listener.close()
    }

    @Test(
        "T35: what a browser would run is only for saving, whatever it calls itself",
        arguments: [
            "text/html", "image/svg+xml", "application/javascript", "text/xml", "image/jpeg",
        ]
    )
    func polyglots(type: String) async throws {
        try await RunningServer.run { server in
            let device = try await TestDevice.enroll(at: server, maximum: "readWrite")
            let bytes = Array("<html><script>alert(1)</script>".utf8)
            let asset = try TestAsset([.init(type: .photo, contentType: type, name: "x.html", bytes: bytes)])
            let answer = try await device.call(server) { client in
                try await client.save(asset)
                let path = "/v1/assets/\(asset.manifest.id)/resources/\(asset.manifest.resources[0].id)"
                return try await client.send("GET", path)
            }
            #expect(answer.body == bytes)
            #expect(answer.headers["content-type"] == (type == "image/jpeg" ? type : "application/octet-stream"))
            #expect(answer.headers["x-content-type-options"] == "nosniff")
            #expect(answer.headers["content-disposition"]?.hasPrefix("attachment") == true)
        }
    }

    @Test("T39: parts that are cut, doubled or out of order append nothing, and the upload lives on")
    func disorder() async throws {
        try await RunningServer.run { server in
            let device = try await TestDevice.enroll(at: server)
            let photo = try TestPhoto.random(byteCount: 900)
            try await device.call(server) { client in
                let created = try await client.send("POST", "/v1/assets", json: photo.manifest)
                let upload = try #require(try created.json(AssetCreationResponse.self).uploads.first).id
                let first = Array(photo.bytes[..<300])
                #expect(try await client.append(first, to: upload, at: 0, isComplete: false).status == 204)
                for offset: Int64 in [0, 299, 301, 900, 999_999_999_999_999] {
                    let wrong = try await client.append(first, to: upload, at: offset, isComplete: false)
                    let problem = try wrong.json(ProblemDetails.self)
                    #expect(problem.code == .offsetMismatch && problem.expectedOffset == 300, "\(offset)")
                    #expect(wrong.headers["upload-offset"] == "300" && wrong.headers["upload-complete"] == "?0")
                }
                let fields = UploadHeaders(offset: 300, isComplete: true).fields.map { ($0.name, $0.value) }
                for (type, status) in [("image/jpeg", 415), ("Application/Partial-Upload ; x=y", 204)] {
                    let rest = Array(photo.bytes[300...])
                    let headers = [("Content-Type", type)] + fields
                    let path = "/v1/uploads/\(upload)"
                    #expect(try await client.send("PATCH", path, headers: headers, body: rest).status == status)
                }
                #expect(try await client.send("POST", "/v1/assets/\(photo.manifest.id)/commit").status == 200)
            }
        }
    }
}

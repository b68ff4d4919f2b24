import Foundation
import LibraryAPI
import Logging
import Observability
import PhotoModel
import Synchronization
import Testing

@testable import LibraryServer
@testable import LibraryStore

/// What one device may have, over real TLS.
struct QuotaTests {
    @Test("T122: a device may save ten million assets, however small, unless the settings say otherwise")
    func assetDefault() throws {
        #expect(try RunningServer.settings("/library", flags: []).store.limits.assets == 10_000_000)
        #expect(try RunningServer.settings("/library", flags: ["device.quotaAssets=0"]).store.limits.assets == nil)
    }

    @Test("T122: a device that has saved as many assets as it may gets 507 and waits for a decision; others go on")
    func assets() async throws {
        try await RunningServer.run(flags: ["device.quotaAssets=2"]) { server in
            let device = try await TestDevice.enroll(at: server)
            try await device.call(server) { client in
                for _ in 0..<2 { _ = try await client.save(try TestPhoto.random(byteCount: 50)) }
                let third = try TestPhoto.random(byteCount: 50)
                let refused = try await client.send("POST", "/v1/assets", json: third.manifest)
                #expect(refused.status == 507)
                let problem = try refused.json(ProblemDetails.self)
                #expect(problem.code == .quotaExceeded && problem.retry == .onDecision)
                let batch = try await client.sendBatch([third])
                #expect(batch.results.map(\.problem?.code) == [.quotaExceeded])
            }
            let other = try await TestDevice.enroll(at: server)
            try await other.call(server) { _ = try await $0.save(try TestPhoto.random(byteCount: 50)) }
        }
    }

    @Test("A full disk is answered with when to come back, and is no error in the log")
    func fullDisk() async throws {
        let errors = Mutex<[String]>([])
        let handler = LineLogHandler(
            label: "test",
            format: .text,
            level: .error,
            now: { WallTime.now() },
            sink: { line in errors.withLock { $0.append(line) } }
        )
        // More than any disk has.
        let flags = ["library.reservedMebibytes=1000000000"]
        try await RunningServer.run(flags: flags, logger: Logger(label: "test") { _ in handler }) { server in
            let device = try await TestDevice.enroll(at: server)
            let photo = try TestPhoto.random(byteCount: 50)
            let refused = try await device.call(server) { client in
                try await client.send("POST", "/v1/assets", json: photo.manifest)
            }
            #expect(refused.status == 507 && refused.headers["retry-after"] == "300", "\(refused.text)")
            #expect(try refused.json(ProblemDetails.self).retry == .after)
            let failures = errors.withLock { lines in lines.filter { $0.contains("request failed") } }
            #expect(failures.isEmpty, "\(failures)")
        }
    }

    @Test("Bytes count with what open uploads promise, and purging gives room again")
    func bytes() async throws {
        try await RunningServer.run(flags: ["device.quotaMebibytes=1"]) { server in
            let device = try await TestDevice.enroll(at: server)
            let first = try TestPhoto.random(byteCount: 600_000)
            let open = try TestPhoto.random(byteCount: 400_000)
            let third = try TestPhoto.random(byteCount: 100_000)
            try await device.call(server) { client in
                _ = try await client.save(first)
                #expect(try await client.send("POST", "/v1/assets", json: open.manifest).status == 200)
                #expect(try await client.send("POST", "/v1/assets", json: open.manifest).status == 200, "again")
                let refused = try await client.send("POST", "/v1/assets", json: third.manifest)
                #expect(try refused.json(ProblemDetails.self).code == .quotaExceeded)
            }
            try await server.withOperator { admin in
                for folder in ["assets", "trash"] {
                    let answer = try await admin.send("DELETE", "/v1/\(folder)/\(first.manifest.id)")
                    #expect(answer.status < 300, "\(answer.text)")
                }
            }
            try await device.call(server) { _ = try await $0.save(third) }
        }
    }

    @Test("T71: edits are refused beyond the editor's quota, and take none of the photo's box")
    func edits() async throws {
        try await RunningServer.run(flags: ["device.quotaMebibytes=1"]) { server in
            let owner = try await TestDevice.enroll(at: server)
            let photo = try TestPhoto.random(byteCount: 600_000)
            _ = try await owner.call(server) { try await $0.save(photo) }
            let editor = try await TestDevice.enroll(at: server, maximum: "readWrite")
            let path = "/v1/assets/\(photo.manifest.id)/adjustments"
            try await editor.call(server) { client in
                let large = try await client.send("POST", path, json: Self.edit(byteCount: 2 << 20).request)
                #expect(large.status == 507, "\(large.text)")
                var count = 0
                while count < 20 {
                    let (parts, request) = try Self.edit(byteCount: 100_000 + count)
                    let described = try await client.send("POST", path, json: request)
                    guard described.status == 200 else {
                        #expect(try described.json(ProblemDetails.self).code == .quotaExceeded)
                        break
                    }
                    try await client.send(described.json(AdjustmentResponse.self).uploads, of: parts)
                    #expect(try await client.send("POST", path, json: request).status == 200)
                    count += 1
                }
                #expect(count == 10)
            }
            _ = try await owner.call(server) { try await $0.save(.random(byteCount: 400_000)) }
        }
    }

    /// An edit with a rendering of so many bytes.
    private static func edit(byteCount: Int) throws -> (parts: [TestAsset.Part], request: AdjustmentRequest) {
        let parts = [
            TestAsset.Part(type: .adjustmentData, contentType: "application/x-plist", name: "a.plist", bytes: [1]),
            TestAsset.Part(
                type: .fullSizePhoto,
                contentType: "image/jpeg",
                name: "a.jpg",
                bytes: (0..<byteCount).map { UInt8(truncatingIfNeeded: $0) }
            ),
        ]
        let request = AdjustmentRequest(
            adjustment: Adjustment(formatIdentifier: "org.example.filter", formatVersion: "\(byteCount)"),
            resources: try parts.map { try $0.resource() }
        )
        return (parts, request)
    }

    @Test("A device has so many uploads open, and more when it has ended one")
    func openUploads() async throws {
        try await RunningServer.run(flags: ["device.openUploads=2"]) { server in
            let device = try await TestDevice.enroll(at: server)
            try await device.call(server) { client in
                let photos = try (0..<3).map { _ in try TestPhoto.random(byteCount: 40) }
                for photo in photos.prefix(2) {
                    #expect(try await client.send("POST", "/v1/assets", json: photo.manifest).status == 200)
                }
                let refused = try await client.send("POST", "/v1/assets", json: photos[2].manifest)
                #expect(refused.status == 429)
                #expect(try refused.json(ProblemDetails.self).code == .slowDown)
                _ = try await client.save(photos[0])
                _ = try await client.save(photos[2])
            }
        }
    }

    @Test("T61: a batch's manifests count towards the memory for bodies until it ends")
    func batchMemory() async throws {
        try await RunningServer.run(flags: ["server.maximumBodyBytes=4194304"]) { server in
            let device = try await TestDevice.enroll(at: server)
            let photos = try (0..<APILimits.batchAssetCount).map { _ in
                var photo = try TestPhoto.random(byteCount: 40)
                photo.manifest.caption = String(repeating: "c", count: APILimits.captionByteCount)
                return photo
            }
            try await device.call(server) { client in
                for _ in 0..<2 {
                    let answer = try await client.send(
                        "POST",
                        "/v1/batches",
                        headers: [("Content-Type", BatchFraming.contentType)],
                        body: TestClient.batch(photos)
                    )
                    #expect(answer.status == 503, "\(answer.text)")
                }
                #expect(try await client.sendBatch(Array(photos.prefix(200))).results.count == 200)
            }
        }
    }

    @Test("T72: a batch takes resources of 1 MiB at most; larger ones are uploaded on their own")
    func batchResources() async throws {
        try await RunningServer.run { server in
            let device = try await TestDevice.enroll(at: server)
            try await device.call(server) { client in
                let limit = Int(APILimits.batchResourceByteCount)
                let large = try TestPhoto.random(byteCount: limit + 1)
                let refused = try await client.send(
                    "POST",
                    "/v1/batches",
                    headers: [("Content-Type", BatchFraming.contentType)],
                    body: TestClient.batch([large])
                )
                #expect(refused.status == 413, "\(refused.text)")
                _ = try await client.save(large)
                let batch = try await client.sendBatch([try TestPhoto.random(byteCount: limit)])
                #expect(batch.results.map(\.problem?.code) == [nil])
            }
        }
    }

    @Test(
        "T72: a batch is promised the space that its request announces, until the request ends",
        arguments: [
            ("Content-Length: 1000", 1000), ("Transfer-Encoding: chunked", APILimits.batchByteCount),
            ("Content-Length: 99999999999", APILimits.batchByteCount),
        ] as [(String, Int64)]
    )
    func batchSpace(field: String, promised: Int64) async throws {
        try await RunningServer.run { server in
            let device = try await TestDevice.enroll(at: server)
            let space = server.environment.store.space
            let connection = try await RawConnection.open(to: server, as: device)
            try await connection.send(
                "POST /v1/batches HTTP/1.1\r\nHost: a\r\nContent-Type: \(BatchFraming.contentType)\r\n\(field)\r\n\r\n"
            )
            try await device.call(server) { client in
                func isPromised(_ byteCount: Int64) async throws -> Bool {
                    _ = try await client.send("GET", "/v1/authorization")
                    return space.byteCount == byteCount
                }
                try await eventually { try await isPromised(promised) }
                await connection.close()
                try await eventually { try await isPromised(0) }
            }
        }
    }

    @Test("Callers with an identity have a bucket of their own a address, larger than a stranger's")
    func requests() async throws {
        // So few that even a slow machine uses them up faster than they come again.
        try await RunningServer.run(flags: ["server.requestsPerMinute=2"]) { server in
            let device = try await TestDevice.enroll(at: server)
            try await device.call(server) { client in
                var last: TestClient.Answer?
                for _ in 0..<40 where last?.status != 429 { last = try await client.send("GET", "/v1/authorization") }
                #expect(last?.status == 429 && last?.headers["retry-after"] != nil)
            }
            #expect(try await server.withClient { try await $0.send("GET", "/healthz").status } == 200)
        }
    }
}

extension TestClient {
    /// Bytes of one batch.
    static func batch(_ photos: [TestPhoto]) throws -> [UInt8] {
        var body = BatchFraming.magic
        for photo in photos {
            let manifest = Array(try JSONEncoder().encode(photo.manifest))
            body += BatchFraming.head(.manifest, byteCount: Int64(manifest.count)) + manifest
        }
        for photo in photos { body += BatchFraming.head(.resource, byteCount: Int64(photo.bytes.count)) + photo.bytes }
        return body + BatchFraming.head(.end, byteCount: 0)
    }

    /// Sends photos in one batch.
    func sendBatch(_ photos: [TestPhoto]) async throws -> BatchResponse {
        let answer = try await send(
            "POST",
            "/v1/batches",
            headers: [("Content-Type", BatchFraming.contentType)],
            body: Self.batch(photos)
        )
        #expect(answer.status == 200, "\(answer.text)")
        return try answer.json()
    }
}

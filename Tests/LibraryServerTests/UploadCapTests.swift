import AsyncHTTPClient
import Foundation
import LibraryAPI
import NIOCore
import NIOHTTP1
import PhotoModel
import Testing

@testable import LibraryServer

/// Uploads of one device at once, each of which keeps a part of its bytes in memory.
struct UploadCapTests {
    /// An upload of which the first byte was sent, and the rest is yet to come.
    private struct HeldUpload: Sendable {
        let photo: TestPhoto
        let id: UploadID
        private let body = AsyncStream.makeStream(of: ByteBuffer.self)

        init(_ client: TestClient) async throws {
            photo = try TestPhoto.random(byteCount: 100)
            let created = try await client.send("POST", "/v1/assets", json: photo.manifest)
            id = try #require(try created.json(AssetCreationResponse.self).uploads.first).id
        }

        /// Sends the upload; returns the answer's status.
        func send(_ client: TestClient) async throws -> Int {
            var request = HTTPClientRequest(url: "\(client.base)/v1/uploads/\(id)")
            request.method = .PATCH
            request.headers.add(name: "Content-Type", value: UploadHeaders.partialUpload)
            for (name, value) in UploadHeaders(offset: 0, isComplete: true).fields {
                request.headers.add(name: name, value: value)
            }
            request.body = .stream(body.stream, length: .unknown)
            body.continuation.yield(ByteBuffer(bytes: photo.bytes.prefix(1)))
            let response = try await client.client.execute(request, timeout: TestClient.patience)
            return Int(response.status.code)
        }

        func finish() {
            body.continuation.yield(ByteBuffer(bytes: photo.bytes.dropFirst()))
            body.continuation.finish()
        }
    }

    @Test("T164: a device sends so many uploads at once; another is refused until one has ended, and others' are not")
    func sends() async throws {
        let count = APILimits.sendsPerDevice
        try await RunningServer.run { server in
            let device = try await TestDevice.enroll(at: server)
            let other = try await TestDevice.enroll(at: server)
            try await device.call(server, connections: count + 1) { client in
                var uploads: [HeldUpload] = []
                for _ in 0...count { uploads.append(try await HeldUpload(client)) }
                let surplus = uploads.removeLast()
                try await withThrowingTaskGroup(of: Int.self) { group in
                    for upload in uploads { group.addTask { try await upload.send(client) } }
                    defer { for upload in uploads { upload.finish() } }
                    try await server.withOperator { admin in
                        try await eventually {
                            let metrics = try await admin.send("GET", "/metrics").text
                            return metrics.contains("tintype_server_active_uploads \(count).0")
                        }
                    }
                    let refused = try await client.append(surplus.photo.bytes, to: surplus.id, at: 0, isComplete: true)
                    #expect(try refused.json(ProblemDetails.self).code == .slowDown)
                    _ = try await other.call(server) { try await $0.save(try TestPhoto.random(byteCount: 100)) }
                    for upload in uploads { upload.finish() }
                    for try await status in group { #expect(status == 204) }
                }
                let sent = try await client.append(surplus.photo.bytes, to: surplus.id, at: 0, isComplete: true)
                #expect(sent.status == 204, "\(sent.text)")
            }
        }
    }
}

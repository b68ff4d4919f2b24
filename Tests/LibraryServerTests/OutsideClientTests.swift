import AsyncHTTPClient
import Foundation
import LibraryAPI
import NIOCore
import NIOHTTP1
import Persistence
import PhotoModel
import TestSupport
import Testing

@testable import LibraryServer

struct OutsideClientTests {
    /// Runs a program and gives what it wrote, while the server goes on.
    private func run(_ program: String, _ arguments: [String]) async throws -> [UInt8] {
        let outcome = try await offTheSharedThreads { try ChildProcess.run(program, arguments) }
        #expect(outcome.status == 0, "\(program) \(arguments): \(outcome.errors)")
        return [UInt8](outcome.output)
    }

    @Test("curl with a key and a request made by OpenSSL enrols, resumes an upload and reads the photo back")
    func curl() async throws {
        let folder = try TemporaryFolder()
        try await RunningServer.run(in: folder.path) { server in
            let path = folder.path
            let base = "https://127.0.0.1:\(server.address.port)"
            let token = try await server.withOperator { client in
                let request = EnrollmentTokenRequest(maximum: "readWrite")
                return try await client.send("POST", "/v1/admin/enrollment-tokens", json: request)
                    .json(EnrollmentTokenAnswer.self).token
            }
            _ = try await run(
                "openssl",
                ["ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", "\(path)/k.pem"]
            )
            let request = ["req", "-new", "-key", "\(path)/k.pem", "-subj", "/CN=outside", "-outform", "DER"]
            let csr = try await run("openssl", request)
            let pinned = ["-s", "-m", "20", "--cacert", "\(path)/library/authority/root.pem"]
            func curl(_ arguments: [String]) async throws -> [UInt8] { try await run("curl", pinned + arguments) }
            func post(_ route: String, _ value: some Encodable, _ more: [String] = []) async throws -> Data {
                let body = String(decoding: try JSONEncoder().encode(value), as: UTF8.self)
                return Data(try await curl(more + ["-H", "Content-Type: application/json", "-d", body, base + route]))
            }
            let enrollment = EnrollmentRequest(
                certificateRequest: csr,
                token: token,
                name: "outside",
                build: "curl",
                usage: UsageTexts(add: "Shows that any program can take part."),
                levels: ["addOnly"]
            )
            let active = try JSONDecoder().decode(
                EnrollmentAnswer.self,
                from: try await post("/v1/enrollments", enrollment)
            )
            try #require(active.certificateChain).write(toFile: "\(path)/c.pem", atomically: true, encoding: .utf8)
            let identity = ["--cert", "\(path)/c.pem", "--key", "\(path)/k.pem"]
            let photo = try TestPhoto.random(byteCount: 90_000)
            try Data(photo.bytes[..<40_000]).write(to: URL(filePath: "\(path)/a"))
            try Data(photo.bytes[40_000...]).write(to: URL(filePath: "\(path)/b"))
            let created = try JSONDecoder().decode(
                AssetCreationAnswer.self,
                from: try await post("/v1/assets", photo.manifest, identity)
            )
            let upload = try #require(created.uploads.first).id
            for (file, offset, isLast) in [("a", 0, "?0"), ("b", 40_000, "?1")] {
                let status = try await curl(
                    identity + [
                        "-X", "PATCH", "-H", "Content-Type: \(UploadHeaders.partialUpload)", "-H",
                        "Upload-Offset: \(offset)", "-H", "Upload-Complete: \(isLast)", "--data-binary",
                        "@\(path)/\(file)", "-o", "/dev/null", "-w", "%{http_code}", "\(base)/v1/uploads/\(upload)",
                    ]
                )
                #expect(String(decoding: status, as: UTF8.self) == "204")
            }
            let route = "/v1/assets/\(photo.manifest.id)"
            let commit = try JSONDecoder().decode(
                CommitAnswer.self,
                from: Data(try await curl(identity + ["-X", "POST", "\(base)\(route)/commit"]))
            )
            #expect(commit.receipt.receipt.covers(photo.manifest.id, resources: photo.manifest.resources))
            let read = try await curl(identity + ["\(base)\(route)/resources/\(photo.resource.id)"])
            #expect(read == photo.bytes)
        }
    }
}

/// The same bytes again and again.
private struct RepeatedBuffer: AsyncSequence, Sendable {
    struct Iterator: AsyncIteratorProtocol {
        let buffer: ByteBuffer
        var rest: Int

        mutating func next() async -> ByteBuffer? {
            guard rest > 0 else { return nil }
            rest -= 1
            return buffer
        }
    }

    let buffer: ByteBuffer
    let count: Int

    func makeAsyncIterator() -> Iterator { Iterator(buffer: buffer, rest: count) }
}

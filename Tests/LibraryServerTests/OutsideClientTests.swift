import Foundation
import LibraryAPI
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

    @Test("curl with a key and a request made by OpenSSL enrols, goes on with a cut upload and reads the photo back")
    func curl() async throws {
        let folder = try TemporaryFolder()
        try await RunningServer.run(in: folder.path) { server in
            let path = folder.path
            let base = "https://127.0.0.1:\(server.address.port)"
            let token = try await server.withOperator { client in
                let request = EnrollmentTokenRequest(maximum: "readWrite")
                return try await client.send("POST", "/v1/admin/enrollment-tokens", json: request)
                    .json(EnrollmentTokenResponse.self).token
            }
            _ = try await run(
                "openssl",
                ["ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", "\(path)/k.pem"]
            )
            let request = ["req", "-new", "-key", "\(path)/k.pem", "-subj", "/CN=outside", "-outform", "DER"]
            let csr = try await run("openssl", request)
            let pinned = ["-s", "-m", "300", "--cacert", "\(path)/library/authority/root.pem"]
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
                usage: UsageTexts(add: "Shows that any program can take part.", readWrite: "Reads it back."),
                levels: ["addOnly", "readWrite"]
            )
            let active = try JSONDecoder().decode(
                EnrollmentResponse.self,
                from: try await post("/v1/enrollments", enrollment)
            )
            try #require(active.certificateChain).write(toFile: "\(path)/c.pem", atomically: true, encoding: .utf8)
            let identity = ["--cert", "\(path)/c.pem", "--key", "\(path)/k.pem"]
            let photo = try TestPhoto.random(byteCount: 2_000_000)
            let created = try JSONDecoder().decode(
                AssetCreationResponse.self,
                from: try await post("/v1/assets", photo.manifest, identity)
            )
            let id = try #require(created.uploads.first).id
            let upload = "\(base)/v1/uploads/\(id)"
            func append(from offset: Int, _ more: [String] = []) async throws -> ChildProcess.Outcome {
                try Data(photo.bytes[offset...]).write(to: URL(filePath: "\(path)/rest"))
                let arguments =
                    pinned + identity + more + [
                        "-X", "PATCH", "-H", "Content-Type: \(UploadHeaders.partialUpload)", "-H",
                        "Upload-Offset: \(offset)", "-H", "Upload-Complete: ?1", "-H", "Expect:", "--data-binary",
                        "@\(path)/rest", "-o", "/dev/null", "-w", "%{http_code}", upload,
                    ]
                return try await offTheSharedThreads { try ChildProcess.run("curl", arguments) }
            }
            // The whole would take twenty seconds. On a busy machine nothing may have come before the cut, or the server
            // may not have seen it yet.
            var offset = 0
            for seconds in [1, 2, 4, 8, 12, 15] where offset == 0 {
                let cut = try await append(from: 0, ["--limit-rate", "100k", "--max-time", "\(seconds)"])
                #expect(cut.status == 28 || cut.text == "409", "\(cut)")
                let head = String(decoding: try await curl(identity + ["--head", upload]), as: UTF8.self)
                let field = try #require(head.firstMatch(of: /(?i)upload-offset: (\d+)/), "\(head)")
                offset = try #require(Int(field.output.1))
            }
            #expect(0 < offset && offset < photo.bytes.count)
            #expect(try await append(from: offset).text == "204")
            let route = "/v1/assets/\(photo.manifest.id)"
            let commit = try JSONDecoder().decode(
                CommitResponse.self,
                from: Data(try await curl(identity + ["-X", "POST", "\(base)\(route)/commit"]))
            )
            #expect(commit.receipt.receipt.covers(photo.manifest.id, resources: photo.manifest.resources))
            let read = try await curl(identity + ["\(base)\(route)/resources/\(photo.resource.id)"])
            // Compared before: a difference of megabytes takes an expectation hours to describe.
            let isWhole = read == photo.bytes
            #expect(isWhole, "\(read.count) bytes")
        }
    }
}

import Crypto
import DeviceIdentity
import Foundation
import LibraryAPI
import PhotoModel
import Testing

@testable import LibraryServer

struct MainPathTests {
    @Test("A box enrols with a token, saves a photo, gets a receipt that verifies offline, and reads it back")
    func wholePath() async throws {
        try await RunningServer.run { server in
            let device = try await TestDevice.enroll(at: server, maximum: "readWrite")
            let photo = try TestPhoto.random(byteCount: 300_000)
            try await device.call(server) { client in
                let answer = try await client.save(photo)
                #expect(answer.receipt.receipt.covers(photo.manifest.id, resources: photo.manifest.resources))
                #expect(answer.receipt.receipt.deviceID == device.id)
                let keys = try await client.send("GET", "/v1/ca").json(AuthorityResponse.self).receiptKeys
                let key = try ReceiptVerificationKey(der: try #require(keys.first).publicKey.bytes)
                let signature = ReceiptSignature(
                    keyID: try #require(ReceiptKeyID(answer.receipt.keyID)),
                    bytes: answer.receipt.signature.bytes
                )
                #expect(key.isValid(signature, for: answer.receipt.receipt.canonicalBytes))
                let again = try await client.send("POST", "/v1/assets/\(photo.manifest.id)/commit")
                #expect(
                    try again.json(CommitResponse.self) == answer,
                    "a commit asked for again gives the same receipt"
                )
                let page = try await client.send("GET", "/v1/assets").json(AssetPage.self)
                #expect(page.assets.map(\.id) == [photo.manifest.id])
                let path = "/v1/assets/\(photo.manifest.id)/resources/\(photo.resource.id)"
                let read = try await client.send("GET", path)
                #expect(read.body == photo.bytes)
                #expect(read.headers["etag"] == "\"\(photo.resource.digest)\"")
                #expect(read.headers["content-disposition"] == "attachment; filename*=UTF-8''IMG%201.jpg")
                let part = try await client.send("GET", path, headers: [("Range", "bytes=100-199")])
                #expect(part.status == 206)
                #expect(part.body == Array(photo.bytes[100..<200]))
                #expect(part.headers["content-range"] == "bytes 100-199/300000")
                let known = try await client.send("GET", path, headers: [("If-None-Match", read.headers["etag"] ?? "")])
                #expect(known.status == 304)
            }
        }
    }

    @Test("A part is sent only of the bytes that the caller has the rest of; outside of them the length is told")
    func parts() async throws {
        try await RunningServer.run { server in
            let device = try await TestDevice.enroll(at: server, maximum: "readWrite")
            let photo = try TestPhoto.random(byteCount: 1000)
            try await device.call(server) { client in
                _ = try await client.save(photo)
                let path = "/v1/assets/\(photo.manifest.id)/resources/\(photo.resource.id)"
                let tag = "\"\(photo.resource.digest)\""
                let whole = 0..<1000
                for (held, range, status, bytes) in [
                    (tag, "bytes=990-", 206, 990..<1000), (tag, "bytes=-10", 206, 990..<1000),
                    ("\"other\"", "bytes=990-", 200, whole), ("W/\(tag)", "bytes=990-", 200, whole),
                    ("\"other\"", "bytes=1000-", 200, whole),
                ] {
                    let answer = try await client.send("GET", path, headers: [("Range", range), ("If-Range", held)])
                    #expect(answer.status == status, "\(held) \(range)")
                    #expect(answer.body == Array(photo.bytes[bytes]), "\(held) \(range)")
                }
                for range in ["bytes=1000-", "bytes=5000-6000", "bytes=-0"] {
                    let answer = try await client.send("GET", path, headers: [("Range", range)])
                    #expect(answer.status == 416, "\(range)")
                    #expect(answer.headers["content-range"] == "bytes */1000", "\(range)")
                    #expect(try answer.json(ProblemDetails.self).code == .rangeNotSatisfiable)
                }
            }
        }
    }

    @Test("An upload goes on where it stands; a wrong offset is told the right one")
    func resumption() async throws {
        try await RunningServer.run { server in
            let device = try await TestDevice.enroll(at: server)
            let photo = try TestPhoto.random(byteCount: 200_000)
            try await device.call(server) { client in
                let created = try await client.send("POST", "/v1/assets", json: photo.manifest)
                let upload = try #require(try created.json(AssetCreationResponse.self).uploads.first)
                let first = try await client.append(
                    Array(photo.bytes[..<70_000]),
                    to: upload.id,
                    at: 0,
                    isComplete: false
                )
                #expect(first.status == 204)
                #expect(first.headers["upload-offset"] == "70000")
                #expect(first.headers["upload-complete"] == "?0")
                let wrong = try await client.append([1, 2, 3], to: upload.id, at: 5, isComplete: false)
                #expect(wrong.status == 409)
                #expect(try wrong.json(ProblemDetails.self).expectedOffset == 70_000)
                let head = try await client.send("HEAD", "/v1/uploads/\(upload.id)")
                #expect(head.status == 204)
                #expect(head.headers["upload-offset"] == "70000")
                #expect(head.headers["upload-length"] == "200000")
                #expect(head.headers["upload-limit"]?.contains("max-age=1209600") == true)
                let early = try await client.send("POST", "/v1/assets/\(photo.manifest.id)/commit")
                #expect(try early.json(ProblemDetails.self).code == .assetIncomplete)
                let rest = try await client.append(
                    Array(photo.bytes[70_000...]),
                    to: upload.id,
                    at: 70_000,
                    isComplete: true
                )
                #expect(rest.headers["upload-complete"] == "?1", "\(rest.text)")
                let committed = try await client.send("POST", "/v1/assets/\(photo.manifest.id)/commit")
                #expect(committed.status == 200)
            }
        }
    }

    @Test("004.72: a commit before all resources have come is refused, and nothing of the asset is shown")
    func earlyCommit() async throws {
        try await RunningServer.run { server in
            let device = try await TestDevice.enroll(at: server, maximum: "readWrite")
            let asset = try TestAsset([
                .init(type: .photo, contentType: "image/jpeg", name: "IMG 7.JPG", bytes: [1, 1, 1, 1]),
                .init(type: .pairedVideo, contentType: "video/quicktime", name: "IMG 7.MOV", bytes: [2, 2, 2]),
            ])
            let (id, path) = (asset.manifest.id, "/v1/assets/\(asset.manifest.id)")
            try await device.call(server) { client in
                let created = try await client.send("POST", "/v1/assets", json: asset.manifest)
                let uploads = try created.json(AssetCreationResponse.self).uploads
                for part in asset.parts {
                    let early = try await client.send("POST", "\(path)/commit")
                    #expect(early.status == 409, "before \(part.name): \(early.text)")
                    #expect(try early.json(ProblemDetails.self).code == .assetIncomplete)
                    #expect(try await client.send("GET", path).status == 404)
                    #expect(try await client.send("GET", "/v1/assets").json(AssetPage.self).assets.isEmpty)
                    #expect(try await client.feed("limit=10").changes.isEmpty)
                    let upload = try #require(uploads.first { $0.length == Int64(part.bytes.count) })
                    let sent = try await client.append(part.bytes, to: upload.id, at: 0, isComplete: true)
                    #expect(sent.status == 204, "\(sent.text)")
                }
                #expect(try await client.send("POST", "\(path)/commit").status == 200)
                let page = try await client.send("GET", "/v1/assets").json(AssetPage.self)
                #expect(page.assets.map(\.id) == [id])
                #expect(try await client.feed("limit=10").entities == [.asset(id)])
            }
        }
    }

    @Test("An upload that its owner gives up is gone with its bytes, and begins anew; nobody else can give it up")
    func cancelled() async throws {
        try await RunningServer.run { server in
            let device = try await TestDevice.enroll(at: server)
            let other = try await TestDevice.enroll(at: server)
            let photo = try TestPhoto.random(byteCount: 1000)
            let library = URL(filePath: server.socketPath).deletingLastPathComponent()
            try await device.call(server) { client in
                func describe() async throws -> UploadStatus {
                    let answer = try await client.send("POST", "/v1/assets", json: photo.manifest)
                    return try #require(try answer.json(AssetCreationResponse.self).uploads.first)
                }
                let upload = try await describe().id
                let path = "/v1/uploads/\(upload)"
                let staged = library.appending(path: "staging/\(upload)").path
                let part = try await client.append(Array(photo.bytes[..<400]), to: upload, at: 0, isComplete: false)
                #expect(part.status == 204)
                let foreign = try await other.call(server) { try await $0.send("DELETE", path).status }
                #expect(foreign == 404)
                #expect(FileManager.default.fileExists(atPath: staged))
                #expect(try await client.send("HEAD", path).headers["upload-offset"] == "400")
                let gone = try await client.send("DELETE", path)
                #expect(gone.status == 204, "\(gone.text)")
                #expect(!FileManager.default.fileExists(atPath: staged))
                let late = try await client.append(Array(photo.bytes[400...]), to: upload, at: 400, isComplete: true)
                #expect(try late.json(ProblemDetails.self).code == .notFound)
                #expect(try await client.send("DELETE", path).status == 404)
                let again = try await describe()
                #expect(again.id != upload && again.offset == 0)
            }
        }
    }

    @Test("T39: a digest mismatch appends nothing, and broken fields are refused")
    func brokenParts() async throws {
        try await RunningServer.run { server in
            let device = try await TestDevice.enroll(at: server)
            let photo = try TestPhoto.random(byteCount: 1000)
            try await device.call(server) { client in
                let created = try await client.send("POST", "/v1/assets", json: photo.manifest)
                let upload = try #require(try created.json(AssetCreationResponse.self).uploads.first)
                let other = ContentDigest(bytes: Array(SHA256.hash(data: [1])))
                let wrong = try await client.append(
                    photo.bytes,
                    to: upload.id,
                    at: 0,
                    isComplete: true,
                    digest: other
                )
                #expect(try wrong.json(ProblemDetails.self).code == .digestMismatch)
                let path = "/v1/uploads/\(upload.id)"
                #expect(try await client.send("HEAD", path).headers["upload-offset"] == "0")
                let long = try await client.append(photo.bytes + [0], to: upload.id, at: 0, isComplete: true)
                #expect(try long.json(ProblemDetails.self).code == .lengthInconsistent)
                let type = ("Content-Type", UploadHeaders.partialUpload)
                for fields in [
                    [("Upload-Complete", "?1")], [("Upload-Offset", "0")],
                    [("Upload-Offset", "-1"), ("Upload-Complete", "?1")],
                    [("Upload-Offset", "9999999999999999"), ("Upload-Complete", "?1")],
                    [("Upload-Offset", "0"), ("Upload-Complete", "1")],
                    [("Upload-Offset", "0"), ("Upload-Complete", "?1"), ("Content-Digest", "md5=:AAAA:")],
                ] {
                    let answer = try await client.send("PATCH", path, headers: [type] + fields, body: photo.bytes)
                    #expect(answer.status == 400, "\(fields)")
                }
                let plain = try await client.send(
                    "PATCH",
                    path,
                    headers: [("Upload-Offset", "0"), ("Upload-Complete", "?1")],
                    body: photo.bytes
                )
                #expect(plain.status == 415)
                let sent = try await client.append(
                    photo.bytes,
                    to: upload.id,
                    at: 0,
                    isComplete: true,
                    digest: photo.resource.digest
                )
                #expect(sent.status == 204, "\(sent.text)")
            }
        }
    }

    @Test("001.23, 004.91: a batch of small assets is committed together, with a result each, by who may only add")
    func batch() async throws {
        try await RunningServer.run { server in
            let device = try await TestDevice.enroll(at: server, maximum: "addOnly")
            let photos = try (0..<20).map { try TestPhoto.random(byteCount: 1000 + $0) }
            var body = BatchFraming.magic
            for photo in photos {
                let manifest = Array(try JSONEncoder().encode(photo.manifest))
                body += BatchFraming.head(.manifest, byteCount: Int64(manifest.count)) + manifest
            }
            for (index, photo) in photos.enumerated() {
                let bytes = index == 7 ? photo.bytes.reversed() : photo.bytes
                body += BatchFraming.head(.resource, byteCount: Int64(bytes.count)) + bytes
            }
            body += BatchFraming.head(.end, byteCount: 0)
            let sent = body
            try await device.call(server) { client in
                let headers = [("Content-Type", BatchFraming.contentType)]
                let answer = try await client.send("POST", "/v1/batches", headers: headers, body: sent)
                #expect(answer.status == 200, "\(answer.text)")
                let results = try answer.json(BatchResponse.self).results
                #expect(results.map(\.assetID) == photos.map(\.manifest.id))
                #expect(results[7].problem?.code == .digestMismatch)
                #expect(results.count { $0.commit != nil } == 19)
                let page = try await server.withOperator { admin in
                    try await admin.send("GET", "/v1/assets").json(AssetPage.self)
                }
                #expect(page.assets.count == 19)
                let broken = try await client.send(
                    "POST",
                    "/v1/batches",
                    headers: headers,
                    body: Array(sent.dropLast(100))
                )
                #expect(broken.status == 400, "a truncated batch is refused")
            }
        }
    }

    @Test("A restart in the middle of an upload loses nothing: the same certificate goes on at the promised offset")
    func restart() async throws {
        let folder = try TemporaryFolder()
        let photo = try TestPhoto.random(byteCount: 150_000)
        let kept = Kept()
        try await RunningServer.run(in: folder.path) { server in
            let device = try await TestDevice.enroll(at: server)
            try await device.call(server) { client in
                let created = try await client.send("POST", "/v1/assets", json: photo.manifest)
                let upload = try #require(try created.json(AssetCreationResponse.self).uploads.first)
                let part = try await client.append(
                    Array(photo.bytes[..<50_000]),
                    to: upload.id,
                    at: 0,
                    isComplete: false
                )
                #expect(part.status == 204)
                kept.value = (device, upload.id)
            }
        }
        let (device, upload) = try #require(kept.value)
        try await RunningServer.run(in: folder.path) { server in
            try await device.call(server) { client in
                let again = try await client.send("POST", "/v1/assets", json: photo.manifest)
                #expect(try again.json(AssetCreationResponse.self).uploads.first?.offset == 50_000)
                let rest = try await client.append(
                    Array(photo.bytes[50_000...]),
                    to: upload,
                    at: 50_000,
                    isComplete: true
                )
                #expect(rest.status == 204, "\(rest.text)")
                let committed = try await client.send("POST", "/v1/assets/\(photo.manifest.id)/commit")
                #expect(committed.status == 200, "\(committed.text)")
            }
        }
    }
}

/// Carries a value from one server's life to the next.
private final class Kept: @unchecked Sendable {
    // Written by the first run and read after it has ended: one after the other.
    var value: (TestDevice, UploadID)?
}

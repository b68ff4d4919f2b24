import Crypto
import LibraryAPI
import PhotoModel
import Testing

/// An asset of several resources, with their bytes.
struct TestAsset: Sendable {
    /// One resource as a test describes it.
    struct Part: Sendable {
        let type: AssetResourceType
        let contentType: String
        let name: String
        let bytes: [UInt8]
    }

    let manifest: AssetManifest
    let parts: [Part]

    init(_ parts: [Part], edit: (inout AssetManifest) -> Void = { _ in }) throws {
        var generator = SystemRandomNumberGenerator()
        self.parts = parts
        var manifest = AssetManifest(
            id: .version7(unixMilliseconds: WallTime.now().millisecondsSince1970, using: &generator),
            mediaType: .image,
            captureTime: CaptureTime(wall: .now(), source: .deviceClock, isSynchronized: true),
            resources: try parts.map { try $0.resource() }
        )
        edit(&manifest)
        self.manifest = manifest
    }
}

extension TestAsset.Part {
    /// The part described under a new identifier.
    func resource() throws -> AssetResource {
        var generator = SystemRandomNumberGenerator()
        return AssetResource(
            id: .version7(unixMilliseconds: 0, using: &generator),
            type: type,
            digest: try #require(ContentDigest(bytes: Array(SHA256.hash(data: bytes)))),
            byteCount: Int64(bytes.count),
            contentType: contentType,
            originalFilename: FileName(name)
        )
    }
}

extension TestClient {
    /// Saves an asset the long way.
    @discardableResult
    func save(_ asset: TestAsset) async throws -> CommitResponse {
        let created = try await send("POST", "/v1/assets", json: asset.manifest)
        #expect(created.status == 200, "\(created.text)")
        try await send(try created.json(AssetCreationResponse.self).uploads, of: asset.parts)
        let committed = try await send("POST", "/v1/assets/\(asset.manifest.id)/commit")
        #expect(committed.status == 200, "\(committed.text)")
        return try committed.json()
    }

    /// Sends the bytes of parts to the uploads that were given for them, in their order.
    func send(_ uploads: [UploadStatus], of parts: [TestAsset.Part]) async throws {
        #expect(uploads.count == parts.count)
        for upload in uploads {
            let part = try #require(parts.first { Int64($0.bytes.count) == upload.length })
            let sent = try await append(part.bytes, to: upload.id, at: 0, isComplete: true)
            #expect(sent.status == 204, "\(sent.text)")
        }
    }
}

extension AssetEdit {
    /// An edit of what the body sets.
    static func making(_ body: (inout AssetEdit) -> Void) -> AssetEdit {
        var edit = AssetEdit()
        body(&edit)
        return edit
    }
}

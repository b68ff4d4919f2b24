import Crypto
import DeviceIdentity
import LibraryAPI
import PhotoModel
import Testing

@testable import LibraryServer

/// A device as an outside program would be one: a key, and the certificate that the server gave it.
struct TestDevice: Sendable {
    let id: DeviceID
    let key: DeviceKey
    let certificate: IdentityCertificate

    /// Enrols with a token that the operator makes.
    static func enroll(at server: RunningServer, maximum: String = "addOnly") async throws -> TestDevice {
        let token = try await server.withOperator { client in
            let answer = try await client.send(
                "POST",
                "/v1/admin/enrollment-tokens",
                json: EnrollmentTokenRequest(maximum: maximum)
            )
            #expect(answer.status == 201, "\(answer.text)")
            return try answer.json(EnrollmentTokenResponse.self).token
        }
        let key = DeviceKey()
        let answer = try await server.withClient { client in
            try await client.send("POST", "/v1/enrollments", json: request(key, token: token))
        }
        #expect(answer.status == 200, "\(answer.text)")
        return try TestDevice(key: key, enrollment: answer.json())
    }

    init(id: DeviceID, key: DeviceKey, certificate: IdentityCertificate) {
        self.id = id
        self.key = key
        self.certificate = certificate
    }

    init(key: DeviceKey, enrollment: EnrollmentResponse) throws {
        id = try #require(enrollment.deviceID)
        self.key = key
        certificate = try IdentityCertificate(pem: try #require(enrollment.certificateChain))
    }

    static func request(_ key: DeviceKey, token: String?) throws -> EnrollmentRequest {
        EnrollmentRequest(
            certificateRequest: try key.signingRequest().der,
            token: token,
            name: "gate",
            build: "test 1",
            usage: UsageTexts(add: "Saves what passes the gate.", readWrite: "Shows it at the desk."),
            levels: ["addOnly", "readWrite"]
        )
    }

    /// Sends requests as this device.
    func call<Answer>(
        _ server: RunningServer,
        connections: Int = 64,
        body: (TestClient) async throws -> Answer
    ) async throws -> Answer {
        try await server.withClient(key: key, certificate: certificate, connections: connections, body: body)
    }
}

/// An asset of one photo, with its bytes.
struct TestPhoto: Sendable {
    var manifest: AssetManifest
    let bytes: [UInt8]

    init(bytes: [UInt8], album: DesiredAlbum? = nil) throws {
        var generator = SystemRandomNumberGenerator()
        let digest = try #require(ContentDigest(bytes: Array(SHA256.hash(data: bytes))))
        self.bytes = bytes
        manifest = AssetManifest(
            id: .version7(unixMilliseconds: WallTime.now().millisecondsSince1970, using: &generator),
            mediaType: .image,
            captureTime: CaptureTime(wall: .now(), source: .deviceClock, isSynchronized: true),
            desiredAlbum: album,
            resources: [
                AssetResource(
                    id: .version7(unixMilliseconds: 0, using: &generator),
                    type: .photo,
                    digest: digest,
                    byteCount: Int64(bytes.count),
                    contentType: "image/jpeg",
                    originalFilename: FileName("IMG 1.jpg")
                )
            ]
        )
    }

    static func random(byteCount: Int) throws -> TestPhoto {
        try TestPhoto(bytes: (0..<byteCount).map { _ in UInt8.random(in: .min ... .max) })
    }

    var resource: AssetResource { manifest.resources[0] }
}

extension TestClient {
    /// Saves a photo the long way: manifest, one upload, commit.
    func save(_ photo: TestPhoto) async throws -> CommitResponse {
        let created = try await send("POST", "/v1/assets", json: photo.manifest)
        #expect(created.status == 200, "\(created.text)")
        let upload = try #require(try created.json(AssetCreationResponse.self).uploads.first)
        let sent = try await append(photo.bytes, to: upload.id, at: 0, isComplete: true)
        #expect(sent.status == 204, "\(sent.text)")
        let committed = try await send("POST", "/v1/assets/\(photo.manifest.id)/commit")
        #expect(committed.status == 200, "\(committed.text)")
        return try committed.json()
    }

    /// Appends bytes to an upload.
    func append(
        _ bytes: [UInt8],
        to upload: UploadID,
        at offset: Int64,
        isComplete: Bool,
        digest: ContentDigest? = nil
    ) async throws -> Answer {
        let fields = UploadHeaders(offset: offset, isComplete: isComplete, contentDigest: digest).fields
        return try await send(
            "PATCH",
            "/v1/uploads/\(upload)",
            headers: [("Content-Type", UploadHeaders.partialUpload)] + fields.map { ($0.name, $0.value) },
            body: bytes
        )
    }
}

import LibraryAPI
import PhotoModel
import Testing

@testable import LibraryClient

struct LibraryClientTests {
    private let upload = UploadID(rawValue: 0x0123)

    private func answer(_ status: Int, _ fields: [(String, String)] = [], _ body: String = "") -> TransportResponse {
        TransportResponse(status: status, fields: fields.map { (name: $0.0, value: $0.1) }, body: Array(body.utf8))
    }

    @Test("A wait at the library is sent once, so that a connection closed by a decision ends it")
    func waits() async {
        let transport = ScriptedTransport()
        let client = LibraryClient(transport)
        for seconds in [0, 55] {
            _ = try? await client.authorization(after: 1, waitSeconds: seconds)
            _ = try? await client.changes(since: nil, waitSeconds: seconds)
        }
        #expect(transport.requests.map(\.isSentOnce) == [false, false, true, true])
    }

    @Test("An append says where it begins, whether it ends, and what its digest is")
    func append() async throws {
        let transport = ScriptedTransport(
            .success(answer(204, [("upload-offset", "5"), ("Upload-Complete", "?1")]))
        )
        let digest = try #require(ContentDigest(bytes: [UInt8](repeating: 7, count: 32)))
        let position = try await LibraryClient(transport).append(
            to: upload,
            at: 2,
            BodySource([1, 2, 3]),
            isLast: true,
            digest: digest
        )
        #expect(position == UploadPosition(offset: 5, isComplete: true))
        let request = try #require(transport.requests.first)
        #expect(request.method == "PATCH" && request.target == "/v1/uploads/\(upload)")
        let fields = Dictionary(uniqueKeysWithValues: request.fields.map { ($0.name, $0.value) })
        #expect(fields["Upload-Offset"] == "2" && fields["Upload-Complete"] == "?1")
        #expect(fields["Content-Type"] == "application/partial-upload")
        #expect(fields["Content-Digest"] == DigestField.text(digest))
        #expect(fields["Upload-Draft-Interop-Version"] == "8")
        #expect(request.timeout == nil)
    }

    @Test("A batch is framed as the server reads it, however the body is cut into pieces", arguments: [1, 3, 4096])
    func batch(pieces: Int) async throws {
        let transport = ScriptedTransport(.success(answer(200, [], #"{"results":[]}"#)))
        let digest = try #require(ContentDigest(bytes: [UInt8](repeating: 7, count: 32)))
        let resource = AssetResource(
            id: ResourceID(rawValue: 1),
            type: .photo,
            digest: digest,
            byteCount: 5,
            contentType: "image/jpeg"
        )
        let manifest = AssetManifest(
            id: AssetID(rawValue: 2),
            mediaType: .image,
            captureTime: CaptureTime(
                wall: WallTime(microsecondsSince1970: 0),
                source: .deviceClock,
                isSynchronized: true
            ),
            resources: [resource]
        )
        let item = BatchItem(manifest: try LibraryClient.json(manifest), sources: [BodySource([1, 2, 3, 4, 5])])
        #expect(try await LibraryClient(transport).batch([item, item]).results.isEmpty)
        let body = try #require(transport.requests.first).body
        let bytes = try body.all(pieces: pieces)
        #expect(Int64(bytes.count) == body.byteCount)
        #expect(bytes.starts(with: BatchFraming.magic))
        #expect(bytes.suffix(9) == BatchFraming.head(.end, byteCount: 0)[...])
        let resources = BatchFraming.head(.resource, byteCount: 5) + [1, 2, 3, 4, 5]
        #expect(bytes.dropLast(9).suffix(28) == (resources + resources)[...])
    }

    @Test("A batch has the manifests as they are, also with spaces")
    func encodedManifest() async throws {
        let transport = ScriptedTransport(.success(answer(200, [], #"{"results":[]}"#)))
        let item = BatchItem(manifest: Array("{ }".utf8), sources: [])
        #expect(try await LibraryClient(transport).batch([item]).results.isEmpty)
        let bytes = try #require(transport.requests.first).body.all()
        let frame = BatchFraming.head(.manifest, byteCount: 3) + Array("{ }".utf8)
        #expect(bytes == BatchFraming.magic + frame + BatchFraming.head(.end, byteCount: 0))
    }

    @Test("Small parts of a body are read together, and nothing follows a part that ends early")
    func joined() throws {
        let pieces: [[UInt8]] = [[1, 2], [], [3], [4, 5, 6]]
        let parts = pieces.map { BodySource($0) }
        let whole = BodySource(joining: parts)
        #expect(whole.byteCount == 6)
        #expect(try whole.read(0, 4096) == [1, 2, 3, 4, 5, 6])
        #expect(try whole.read(1, 3) == [2, 3, 4])
        #expect(try whole.read(2, 4096) == [3, 4, 5, 6])
        #expect(try whole.read(6, 4096).isEmpty)
        let left: [UInt8] = [7, 8]
        let shortened = BodySource(byteCount: 3) { offset, count in Array(left.dropFirst(Int(offset)).prefix(count)) }
        let torn = BodySource(joining: [parts[0], shortened, parts[2]])
        #expect(try torn.read(0, 4096) == [1, 2, 7, 8])
        #expect(try torn.read(4, 4096).isEmpty)
    }

    @Test(
        "A refusal becomes a typed error that knows when to try again",
        arguments: [
            (ErrorCode.denied, RetryAdvice.onDecision), (.slowDown, .after), (.offsetMismatch, .now),
            (.assetPurged, .never), (.storageFull, .after),
        ]
    )
    func refusal(code: ErrorCode, retry: RetryAdvice) async throws {
        let body =
            #"{"type":"\#(code.type)","status":\#(code.status),"title":"","detail":"do this","retry":"\#(retry.rawValue)"}"#
        let fields = [("Content-Type", "application/problem+json"), ("Retry-After", "17")]
        let transport = ScriptedTransport(.success(answer(code.status, fields, body)))
        let error = await #expect(throws: LibraryClientError.self) {
            try await LibraryClient(transport).commit(AssetID(rawValue: 1))
        }
        #expect(error?.code == .refused(code) && error?.retry == retry && error?.message == "do this")
        #expect(error?.problem?.retryAfterSeconds == 17)
    }

    @Test(
        "An answer from something that is no library is an error to be tried again, never a success and never a last word",
        arguments: [502, 404, 403, 413, 302, 429, 500]
    )
    func strangers(status: Int) async {
        let transport = ScriptedTransport(.success(answer(status, [("Content-Type", "text/html")], "<html>")))
        let error = await #expect(throws: LibraryClientError.self) {
            try await LibraryClient(transport).authorization()
        }
        #expect(error?.retry == .after && error?.message.contains("\(status)") == true)
    }

    @Test(
        "How long to wait may be told as a date, which counts from the answer's own and not from this box's clock",
        arguments: [
            ("Mon, 23 Nov 2026 02:41:30 GMT", "Mon, 23 Nov 2026 02:41:01 GMT", 29),
            ("Monday, 23-Nov-26 02:41:30 GMT", "Mon Nov 23 02:41:01 2026", 29),
            ("Mon, 23 Nov 2026 02:41:01 GMT", "Mon, 23 Nov 2026 02:41:30 GMT", 0),
            ("Mon, 23 Nov 2026 02:41:30 GMT", nil, nil), ("soon", "Mon, 23 Nov 2026 02:41:01 GMT", nil), ("-5", nil, 0),
            ("9223372036854775807", nil, 2_678_400),
            ("Fri, 31 Dec 2100 23:59:59 GMT", "Mon, 23 Nov 2026 02:41:01 GMT", 2_678_400),
        ] as [(String, String?, Int?)]
    )
    func retryAfter(text: String, date: String?, seconds: Int?) async {
        let fields = [("Retry-After", text)] + (date.map { [("Date", $0)] } ?? [])
        let transport = ScriptedTransport(.success(answer(503, fields, "")))
        let error = await #expect(throws: LibraryClientError.self) {
            try await LibraryClient(transport).authorization()
        }
        #expect(error?.problem?.retryAfterSeconds == seconds)
    }

    @Test(
        "A refusal without a body, as HEAD has it, is the library's word all the same",
        arguments: [(404, ErrorCode.notFound), (410, .uploadGone), (503, .unavailable)]
    )
    func withoutBody(status: Int, code: ErrorCode) async {
        let fields = [("Content-Type", "application/problem+json")]
        let transport = ScriptedTransport(.success(answer(status, fields, "")))
        let error = await #expect(throws: LibraryClientError.self) {
            try await LibraryClient(transport).position(of: UploadID(rawValue: 1))
        }
        #expect(error?.code == .refused(code))
    }

    @Test(
        "An answer that is no JSON of ours is malformed, and tried again later",
        arguments: ["", "{", "[]", "{\"a\":1}"]
    )
    func malformed(body: String) async {
        let transport = ScriptedTransport(.success(answer(200, [], body)))
        let error = await #expect(throws: LibraryClientError.self) {
            try await LibraryClient(transport).authorization()
        }
        #expect(error?.code == .malformedAnswer && error?.retry == .after)
    }

    @Test(
        "An origin is scheme, host and port, and nothing else",
        arguments: [
            ("https://a.example", true), ("https://a.example:8443/", true), ("https://[::1]:8443", true),
            ("http://a.example", false), ("https://", false), ("https://a/b", false), ("https://u@a", false),
            ("https://a?x", false), ("file:///etc", false), ("https://a b", false),
        ]
    )
    func origin(text: String, isTaken: Bool) {
        #expect((ServerOrigin(text) != nil) == isTaken)
    }
}

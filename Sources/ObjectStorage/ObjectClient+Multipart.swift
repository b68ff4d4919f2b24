import NIOHTTP1
import PhotoModel

extension ObjectClient {
    /// A part of a multipart upload.
    package struct Part: Hashable, Sendable {
        /// Its number, from 1.
        package let number: Int
        /// The store's tag, which is not a reliable digest.
        package let tag: String
        /// Its SHA-256 in base64; nil if the store lists parts without them.
        package var checksum: String?
        /// Its length.
        package let byteCount: Int64
    }

    /// The most parts of an object.
    private static let maximumPartCount = 10_000
    private static let maximumNameByteCount = 2048

    /// Begins a multipart upload; returns the store's identifier of it.
    package func beginParts(_ key: String) async throws -> String {
        var request = Request(method: .POST, key: key, query: [("uploads", "")])
        request.headers = [("x-amz-checksum-algorithm", "SHA256")]
        request.returnsDocument = true
        let response = try await succeed(request)
        guard let upload = response.document?.text("UploadId"), Self.isName(upload) else {
            throw ObjectStorageError(request, .refused, response, storeCode: "no UploadId")
        }
        return upload
    }

    /// Stores a part, replacing the part of the same number.
    package func putPart(_ number: Int, of upload: String, _ key: String, _ bytes: [UInt8]) async throws -> Part {
        let digest = ContentDigest(of: bytes)
        var request = Request(method: .PUT, key: key, headers: [Self.checksum(digest)], body: bytes, digest: digest)
        request.query = [("partNumber", "\(number)"), ("uploadId", upload)]
        let response = try await succeed(request)
        guard let tag = response.headers.first(name: "etag"), Self.isName(tag) else {
            throw ObjectStorageError(request, .refused, response, storeCode: "no ETag")
        }
        return Part(number: number, tag: tag, checksum: Self.base64(digest), byteCount: Int64(bytes.count))
    }

    /// The parts of an upload, by number; nil if there is no such upload.
    package func parts(of upload: String, _ key: String) async throws -> [Part]? {
        var parts: [Part] = []
        var marker: String?
        repeat {
            var request = Request(method: .GET, key: key, query: [("uploadId", upload), ("max-parts", "1000")])
            request.returnsDocument = true
            if let marker { request.query.append(("part-number-marker", marker)) }
            let response = try await perform(request)
            if response.status == 404 { return nil }
            guard response.status == 200, let document = response.document else {
                throw ObjectStorageError(request, response)
            }
            let page = document.groups("Part").compactMap(Part.init)
            parts += page
            let isCut = document.text("IsTruncated") == "true" && !page.isEmpty
            marker = isCut ? document.text("NextPartNumberMarker") : nil
        } while marker != nil && parts.count < Self.maximumPartCount
        return parts.sorted { $0.number < $1.number }
    }

    /// The multipart uploads of exactly this key that are neither complete nor aborted.
    package func uploads(of key: String) async throws -> [String] {
        var request = Request(method: .GET, key: "", returnsDocument: true)
        request.query = [("uploads", ""), ("prefix", location.prefix + key)]
        let document = try await succeed(request).document
        return document?.groups("Upload").compactMap { $0["Key"] == location.prefix + key ? $0["UploadId"] : nil } ?? []
    }

    /// Assembles an object from its parts; when this returns, the store has it.
    ///
    /// - Throws: ``ObjectStorageError``.
    package func complete(_ upload: String, _ key: String, _ parts: [Part]) async throws {
        let items = parts.map(\.element).joined()
        let body = Array("<CompleteMultipartUpload>\(items)</CompleteMultipartUpload>".utf8)
        let request = Request(
            method: .POST,
            key: key,
            query: [("uploadId", upload)],
            body: body,
            digest: ContentDigest(of: body),
            returnsDocument: true
        )
        let response = try await perform(request)
        guard response.status != 200 else { return }
        if response.storeCode == "MalformedXML", parts.contains(where: { $0.checksum != nil }) {
            // This store does not know checksums (OpenStack Swift).
            return try await complete(upload, key, parts.map(\.unchecked))
        }
        // The response to an earlier attempt was lost: the upload is gone, and the object is there.
        let isGone = response.status == 404 || response.storeCode == "NoSuchUpload"
        let byteCount = parts.reduce(0) { $0 + $1.byteCount }
        guard isGone, try await self.byteCount(key) == byteCount else { throw ObjectStorageError(request, response) }
    }

    /// Aborts an upload and drops its parts; a missing one is not an error.
    package func abort(_ upload: String, _ key: String) async throws {
        try await succeed(Request(method: .DELETE, key: key, query: [("uploadId", upload)]), acceptingMissing: true)
    }

    private static func isName(_ text: String) -> Bool {
        1...maximumNameByteCount ~= text.utf8.count && text.utf8.allSatisfy { 0x20 < $0 && $0 < 0x7F }
    }
}

extension ObjectClient.Part {
    /// Reads a part from a listing.
    fileprivate init?(_ group: [String: String]) {
        guard let number = group["PartNumber"].flatMap({ Int($0) }), 1...10_000 ~= number, let tag = group["ETag"],
            let size = group["Size"].flatMap({ Int64($0) }), 0...(5 << 30) ~= size
        else { return nil }
        self.init(number: number, tag: tag, checksum: group["ChecksumSHA256"], byteCount: size)
    }

    /// The XML element for the part when the upload is completed.
    ///
    /// An upload that began with a checksum requires one for each part.
    fileprivate var element: String {
        let checksum = checksum.map { "<ChecksumSHA256>\(StoreDocument.escaped($0))</ChecksumSHA256>" } ?? ""
        return "<Part><PartNumber>\(number)</PartNumber><ETag>\(StoreDocument.escaped(tag))</ETag>\(checksum)</Part>"
    }

    fileprivate var unchecked: Self { Self(number: number, tag: tag, checksum: nil, byteCount: byteCount) }
}

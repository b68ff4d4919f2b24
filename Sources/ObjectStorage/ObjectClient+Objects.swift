import Crypto
import FoundationEssentials
import NIOHTTP1
package import PhotoModel

extension ObjectClient {
    /// An object in a listing.
    package struct Listed: Hashable, Sendable {
        /// Its key, below the prefix.
        package let key: String
        /// Its length.
        package let byteCount: Int64
    }

    /// Stores an object, replacing any other; when this returns, the store has it, and has verified its SHA-256,
    /// computed unless the caller has it, if it can.
    ///
    /// - Throws: ``ObjectStorageError``.
    package func put(_ key: String, _ bytes: [UInt8], digest: ContentDigest? = nil) async throws {
        let digest = digest ?? ContentDigest(of: bytes)
        _ = try await succeed(
            Request(method: .PUT, key: key, headers: [Self.checksum(digest)], body: bytes, digest: digest)
        )
    }

    /// Reads a non-empty range within an object, exactly; throws `notFound`, or `damaged` if the object is shorter.
    package func get(_ key: String, _ range: Range<Int64>) async throws -> [UInt8] {
        let field = ("range", "bytes=\(range.lowerBound)-\(range.upperBound - 1)")
        let request = Request(method: .GET, key: key, headers: [field], responseByteCount: max(1 << 20, range.count))
        let response = try await succeed(request)
        // A store that ignores ranges sends the whole object. The status does not show that: some send ranges with 200.
        let sent = response.headers.first(name: "content-range")
        let isRange = sent.map { $0.hasPrefix("bytes \(range.lowerBound)-") } ?? (range.lowerBound == 0)
        guard response.body.count == range.count, isRange else {
            throw ObjectStorageError(request, .damaged, response, storeCode: "\(response.body.count) bytes")
        }
        return response.body
    }

    /// The length of an object; nil if there is none.
    package func byteCount(_ key: String) async throws -> Int64? {
        let request = Request(method: .HEAD, key: key)
        let response = try await perform(request)
        if response.status == 404 { return nil }
        guard response.status == 200,
            let length = response.headers.first(name: "content-length").flatMap({ Int64($0) }), length >= 0
        else { throw ObjectStorageError(request, response) }
        return length
    }

    /// Reads a small object, nil if there is none; a check tries only once, because the caller tests whether the store
    /// responds.
    ///
    /// - Throws: ``ObjectStorageError``.
    package func small(_ key: String, isCheck: Bool = false) async throws -> [UInt8]? {
        let request = Request(method: .GET, key: key, isCheck: isCheck)
        let response = try await perform(request)
        if response.status == 404 { return nil }
        guard response.status == 200 else { throw ObjectStorageError(request, response) }
        return response.body
    }

    /// Deletes an object; a missing one is not an error.
    package func delete(_ key: String) async throws {
        try await succeed(Request(method: .DELETE, key: key), acceptingMissing: true)
    }

    /// Lists the objects whose keys have a prefix, below the bucket's own, at most 1,000 at a time, and returns the
    /// continuation of the next page; nil at the end.
    ///
    /// - Throws: ``ObjectStorageError``.
    package func list(
        _ beginning: String,
        after continuation: String? = nil
    ) async throws -> (objects: [Listed], next: String?) {
        var request = Request(method: .GET, key: "", responseByteCount: 8 << 20, returnsDocument: true)
        request.query = [("list-type", "2"), ("max-keys", "1000"), ("prefix", location.prefix + beginning)]
        if let continuation { request.query.append(("continuation-token", continuation)) }
        let response = try await succeed(request)
        guard let document = response.document, document.root == "ListBucketResult" else {
            throw ObjectStorageError(request, .refused, response, storeCode: "no list")
        }
        let objects: [Listed] = document.groups("Contents").compactMap { group in
            // Nothing outside the requested prefix must ever be deleted.
            guard let key = group["Key"], key.hasPrefix(location.prefix + beginning),
                let size = group["Size"].flatMap({ Int64($0) }), size >= 0
            else { return nil }
            return Listed(key: String(key.dropFirst(location.prefix.count)), byteCount: size)
        }
        guard document.text("IsTruncated") == "true" else { return (objects, nil) }
        guard let next = document.text("NextContinuationToken"), next != continuation, 1...4096 ~= next.utf8.count
        else { throw ObjectStorageError(request, .refused, response, storeCode: "no continuation") }
        return (objects, next)
    }

    /// The header field with the SHA-256 that the store compares.
    static func checksum(_ digest: ContentDigest) -> (name: String, value: String) {
        ("x-amz-checksum-sha256", base64(digest))
    }

    static func base64(_ digest: ContentDigest) -> String { Data(digest.bytes).base64EncodedString() }
}

extension ContentDigest {
    /// SHA-256 of no bytes.
    static let ofNothing = ContentDigest(of: [])

    /// SHA-256 of bytes.
    package init(of bytes: [UInt8]) {
        guard let digest = ContentDigest(bytes: Array(SHA256.hash(data: bytes))) else {
            preconditionFailure("SHA-256 has 32 bytes")
        }
        self = digest
    }
}

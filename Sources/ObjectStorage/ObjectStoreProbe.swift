import NIOHTTP1
import NIOSSL
import PhotoModel

/// Checks at startup whether a bucket is usable.
package struct ObjectStoreProbe: Sendable {
    /// A problem, by the setting to change.
    package enum Problem: Error, Hashable, Sendable {
        /// The store cannot be reached, or is not ready, which may pass; with the reason.
        case away(String)
        /// What answers at the endpoint does not speak S3, or not TLS; with the reason.
        case endpoint(String)
        /// The store's certificate is not trusted, or names another host.
        case certificate
        /// The bucket is in another region.
        case region(String)
        /// There is no such bucket.
        case bucket
        /// The access key is unknown, or its secret is wrong; with the store's error code.
        case credentials(String)
        /// The key lacks a permission; with the refused operation.
        case permission(String)
        /// The store lacks what a library needs; with the difference.
        case store(String)
    }

    /// What the store supports.
    package struct Report: Hashable, Sendable {
        /// Whether the store verifies the SHA-256 of bodies and parts; otherwise everything is read back.
        package let comparesChecksums: Bool
        /// Whether the store is known to confirm objects before they are on disk unless its administrator changes that,
        /// which no request can show.
        package let confirmsEarlyByDefault: Bool
    }

    private let client: ObjectClient

    /// A probe of a client's bucket.
    package init(_ client: ObjectClient) { self.client = client }

    /// Lists, stores, reads and deletes a small object, whole and in parts, to see what the store supports; no other
    /// probe may use its name at the same time.
    ///
    /// - Throws: ``Problem``.
    package func run(_ name: String) async throws -> Report {
        let key = ".tintype/\(name)"
        do {
            let whole = try await probeObject(key)
            let comparesParts = try await probeParts(key)
            return Report(
                comparesChecksums: Self.isRefusal(whole) && comparesParts,
                confirmsEarlyByDefault: whole.headers.first(name: "server")?.hasPrefix("SeaweedFS") ?? false
            )
        } catch {
            // Best effort: the bucket may be unreachable.
            if let error = error as? Problem, case .store = error { try? await client.delete(key) }
            throw error
        }
    }

    /// Returns the response to an object with a wrong checksum.
    private func probeObject(_ key: String) async throws -> ObjectClient.Response {
        try await step("list") { _ = try await client.list(key) }
        let bytes = Array("tintype \(key)".utf8)
        try await step("put") { try await client.put(key, bytes) }
        let range = try await step("get") { try await client.get(key, 2..<7) }
        guard range == Array(bytes[2..<7]) else { throw Problem.store("it returns the wrong range of an object") }
        let answer = try await step("put") { try await putWithWrongChecksum(key, [], bytes) }
        let listed = try await step("list") { try await client.list(key).objects.map(\.key) }
        guard listed.contains(key) else { throw Problem.store("it does not list an object that was just stored") }
        try await step("delete") { try await client.delete(key) }
        try await requireGone(key)
        return answer
    }

    /// Returns whether the store compares the checksums of parts.
    private func probeParts(_ key: String) async throws -> Bool {
        let bytes = Array("tintype part \(key)".utf8)
        let upload = try await step("begin a multipart upload") { try await client.beginParts(key) }
        let query = [(name: "partNumber", value: "1"), (name: "uploadId", value: upload)]
        let answer = try await step("put a part") { try await putWithWrongChecksum(key, query, bytes) }
        let part = try await step("put a part") {
            try await client.putPart(1, of: upload, key, bytes)
        }
        let listed = try await step("list the parts") { try await client.parts(of: upload, key) ?? [] }
        guard listed.map(\.number) == [1], listed.first?.byteCount == part.byteCount else {
            throw Problem.store("it does not list a part that was just stored")
        }
        try await step("complete a multipart upload") { try await client.complete(upload, key, [part]) }
        let stored = try await step("get") { try await client.get(key, 0..<part.byteCount) }
        guard stored == bytes else { throw Problem.store("it does not return the bytes of a multipart upload") }
        try await step("delete") { try await client.delete(key) }
        try await requireGone(key)
        return Self.isRefusal(answer)
    }

    private static func isRefusal(_ response: ObjectClient.Response) -> Bool { !(200..<300 ~= response.status) }

    private func requireGone(_ key: String) async throws {
        let isThere = try await step("head") { try await client.byteCount(key) != nil }
        guard !isThere else { throw Problem.store("it still has an object that was just deleted") }
    }

    private func putWithWrongChecksum(
        _ key: String,
        _ query: [(name: String, value: String)],
        _ bytes: [UInt8]
    ) async throws -> ObjectClient.Response {
        // The signature covers the correct digest, so that only the checksum is wrong.
        let request = ObjectClient.Request(
            method: .PUT,
            key: key,
            query: query,
            headers: [ObjectClient.checksum(.ofNothing)],
            body: bytes,
            digest: ContentDigest(of: bytes)
        )
        return try await client.perform(request)
    }

    @discardableResult
    private func step<Value>(_ operation: String, _ body: () async throws -> Value) async throws -> Value {
        do {
            return try await body()
        } catch let error as ObjectStorageError {
            throw Self.problem(error, operation)
        }
    }

    private static func problem(_ error: ObjectStorageError, _ operation: String) -> Problem {
        if let cause = error.cause {
            guard !isAboutCertificate(cause) else { return .certificate }
            return cause is NIOSSLError ? .endpoint("it does not speak TLS") : .away("\(cause)")
        }
        switch error.storeCode {
        case "NoSuchBucket": return .bucket
        case "AuthorizationHeaderMalformed", "PermanentRedirect", "IllegalLocationConstraintException":
            return .region(error.storeCode)
        case "InvalidAccessKeyId", "SignatureDoesNotMatch", "InvalidAccessKey":
            return .credentials(error.storeCode)
        case "RequestTimeTooSkewed": return .store("its clock and this machine's differ by minutes: set both")
        default: break
        }
        switch error.code {
        case .unavailable: return .away("\(error.status) \(error.storeCode)")
        // A store says why in S3's format.
        case .denied where operation == "list" && error.storeCode.isEmpty: return .endpoint("\(error.status)")
        case .denied: return .permission("\(operation) (\(error.status) \(error.storeCode))")
        // A web server that is not a store also answers 404, but not in S3's format.
        case .notFound where operation == "list" && !error.storeCode.isEmpty: return .bucket
        case .notFound where operation != "list": return .store("it cannot \(operation)")
        case .damaged: return .store("it gets the bytes wrong (\(operation): \(error.status) \(error.storeCode))")
        case .refused where operation != "list":
            return .store("it cannot \(operation) (\(error.status) \(error.storeCode))")
        case .refused, .notFound: return .endpoint("\(error.status) \(error.storeCode)")
        }
    }

    private static func isAboutCertificate(_ error: any Error) -> Bool {
        if let error = error as? NIOSSLExtraError { return error == .failedToValidateHostname }
        // BoringSSL identifies this error only by its text.
        return error is NIOSSLError && "\(error)".contains("CERTIFICATE_VERIFY_FAILED")
    }
}

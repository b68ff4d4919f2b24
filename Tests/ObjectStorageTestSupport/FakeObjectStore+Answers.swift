import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import ObjectStorage
import PhotoModel
import Synchronization

extension FakeObjectStore {
    static func base64(_ bytes: [UInt8]) -> String { Data(bytes).base64EncodedString() }

    static func refusal(_ status: Int, _ code: String) -> Response {
        document("<Error><Code>\(code)</Code><Message>no</Message></Error>", status: .init(code: status))
    }

    static func document(_ text: String, status: HTTPResponse.Status = .ok) -> Response {
        let body = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\(text)"
        return Response(status: status, body: .init(byteBuffer: ByteBuffer(string: body)))
    }

    /// An answer whose connection breaks when half of it was sent.
    static func broken(_ response: Response) -> Response {
        struct Broken: Error {}
        let length = max(2, response.body.contentLength ?? 2)
        var headers = response.headers
        headers[.contentLength] = nil
        return Response(
            status: response.status,
            headers: headers,
            body: ResponseBody(contentLength: length) { writer in
                try await writer.write(ByteBuffer(repeating: 0, count: length / 2))
                throw Broken()
            }
        )
    }

    func perform(
        _ asked: Asked,
        _ query: [String: String],
        _ headers: HTTPFields,
        _ bytes: [UInt8]
    ) -> Response {
        switch (asked.method, query["uploadId"]) {
        case ("PUT", let upload?): return putPart(upload, Int(query["partNumber"] ?? "") ?? 0, bytes)
        case ("PUT", nil):
            state.withLock { $0.objects[asked.key] = bytes }
            return Response(status: .ok)
        case ("POST", let upload?): return complete(upload, bytes)
        case ("POST", nil): return begin(asked.key)
        case ("DELETE", let upload?):
            let isThere = state.withLock { $0.uploads.removeValue(forKey: upload) != nil }
            return isThere ? Response(status: .noContent) : Self.refusal(404, "NoSuchUpload")
        case ("DELETE", nil):
            state.withLock { _ = $0.objects.removeValue(forKey: asked.key) }
            return Response(status: .noContent)
        case ("GET", let upload?): return parts(upload)
        case ("GET", nil) where asked.key.isEmpty && query["uploads"] != nil: return uploads(query["prefix"] ?? "")
        case ("GET", nil) where asked.key.isEmpty: return list(query)
        default: return get(asked, headers)
        }
    }

    private func get(_ asked: Asked, _ headers: HTTPFields) -> Response {
        guard let bytes = state.withLock({ $0.objects[asked.key] }) else { return Self.refusal(404, "NoSuchKey") }
        if asked.method == "HEAD" {
            return Response(status: .ok, body: ResponseBody(contentLength: bytes.count) { try await $0.finish(nil) })
        }
        let range = (headers[.range] ?? "").dropFirst("bytes=".count).split(separator: "-").compactMap { Int($0) }
        guard range.count == 2 else {
            return Response(status: .ok, body: .init(byteBuffer: ByteBuffer(bytes: bytes)))
        }
        guard range[0] < bytes.count else { return Self.refusal(416, "InvalidRange") }
        let part = bytes[range[0]...min(range[1], bytes.count - 1)]
        return Response(
            status: .partialContent,
            headers: [.contentRange: "bytes \(range[0])-\(part.endIndex - 1)/\(bytes.count)"],
            body: .init(byteBuffer: ByteBuffer(bytes: part))
        )
    }

    private func list(_ query: [String: String]) -> Response {
        let prefix = query["prefix"] ?? ""
        let limit = Int(query["max-keys"] ?? "") ?? 1000
        let found = state.withLock { state in
            state.objects.filter { $0.key.hasPrefix(prefix) && $0.key > query["continuation-token"] ?? "" }
                .sorted { $0.key < $1.key }.map { ($0.key, $0.value.count) }
        }
        let items = found.prefix(limit).map { key, count in
            "<Contents><Key>\(key)</Key><LastModified>x</LastModified><Size>\(count)</Size></Contents>"
        }
        let isCut = found.count > limit
        let next = isCut ? "<NextContinuationToken>\(found[limit - 1].0)</NextContinuationToken>" : ""
        return Self.document(
            "<ListBucketResult><IsTruncated>\(isCut)</IsTruncated>\(next)\(items.joined())</ListBucketResult>"
        )
    }

    private func begin(_ key: String) -> Response {
        let name = state.withLock { state in
            state.uploadCount += 1
            state.uploads["upload-\(state.uploadCount)"] = Upload(key: key)
            return "upload-\(state.uploadCount)"
        }
        return Self.document(
            "<InitiateMultipartUploadResult><UploadId>\(name)</UploadId></InitiateMultipartUploadResult>"
        )
    }

    private func uploads(_ prefix: String) -> Response {
        let found = state.withLock { $0.uploads.filter { $0.value.key.hasPrefix(prefix) } }
        let items = found.map { "<Upload><Key>\($0.value.key)</Key><UploadId>\($0.key)</UploadId></Upload>" }
        return Self.document("<ListMultipartUploadsResult>\(items.joined())</ListMultipartUploadsResult>")
    }

    private func putPart(_ upload: String, _ number: Int, _ bytes: [UInt8]) -> Response {
        let isThere = state.withLock { state in
            state.uploads[upload]?.parts[number] = bytes
            return state.uploads[upload] != nil
        }
        guard isThere else { return Self.refusal(404, "NoSuchUpload") }
        return Response(status: .ok, headers: [.eTag: "\"\(number)-\(bytes.count)\""])
    }

    private func parts(_ upload: String) -> Response {
        guard let found = state.withLock({ $0.uploads[upload] }) else { return Self.refusal(404, "NoSuchUpload") }
        // Without their checksums, as SeaweedFS lists them.
        let items = found.parts.sorted { $0.key < $1.key }.map { number, bytes in
            "<Part><PartNumber>\(number)</PartNumber><ETag>&quot;\(number)-\(bytes.count)&quot;</ETag>"
                + "<Size>\(bytes.count)</Size></Part>"
        }
        return Self.document("<ListPartsResult><IsTruncated>false</IsTruncated>\(items.joined())</ListPartsResult>")
    }

    /// Takes the parts that are named, in order and without gaps, each with its checksum, as AWS demands of uploads that
    /// began with one.
    private func complete(_ upload: String, _ bytes: [UInt8]) -> Response {
        let text = String(decoding: bytes, as: UTF8.self)
        let numbers = Self.texts("PartNumber", in: text).compactMap { Int($0) }
        return state.withLock { state in
            guard let found = state.uploads[upload] else { return Self.refusal(404, "NoSuchUpload") }
            let parts = numbers.compactMap { found.parts[$0] }
            guard numbers == Array(1...max(1, numbers.count)), parts.count == numbers.count else {
                return Self.refusal(400, "InvalidPart")
            }
            if !state.comparesChecksums, text.contains("Checksum") { return Self.refusal(400, "MalformedXML") }
            if state.comparesChecksums {
                guard Self.texts("ChecksumSHA256", in: text) == parts.map(Self.checksum) else {
                    return Self.refusal(400, "InvalidRequest")
                }
            }
            state.objects[found.key] = parts.flatMap { $0 }
            state.uploads[upload] = nil
            return Self.document("<CompleteMultipartUploadResult><Key>x</Key></CompleteMultipartUploadResult>")
        }
    }

    private static func checksum(_ bytes: [UInt8]) -> String { base64(ContentDigest(of: bytes).bytes) }

    private static func texts(_ name: String, in document: String) -> [String] {
        document.split(separator: "<\(name)>").dropFirst().map { String($0.prefix { $0 != "<" }) }
    }
}

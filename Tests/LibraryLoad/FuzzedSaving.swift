import Foundation
import LibraryAPI
import LibraryClient
import PhotoModel
import TestSupport

/// The two requests that carry files, with everything wrong that their form allows.
enum FuzzedSaving {
    /// A batch of one to four assets, some of which have the identifiers of others; half of them are broken somewhere.
    static func batch(_ known: [UInt128], _ generator: inout SeededGenerator) throws -> TransportRequest {
        var manifests: [[UInt8]] = []
        var contents: [[UInt8]] = []
        for _ in 0...generator.below(4) {
            let sizes = (0...generator.below(2)).map { _ in Int64(8 + generator.below(3000)) }
            let capture = try SampleCapture(sizes: sizes, &generator)
            var manifest = Array(try JSONEncoder().encode(capture.manifest))
            if generator.oneIn(4), !known.isEmpty {
                let text = String(decoding: manifest, as: UTF8.self)
                let other = AssetID(rawValue: generator.pick(known)).description
                manifest = Array(text.replacing(capture.manifest.id.description, with: other).utf8)
            }
            if generator.oneIn(3), var json = try? JSONDecoder().decode(FuzzedJSON.self, from: Data(manifest)) {
                json.mutate(&generator)
                manifest = Array(json.text.utf8)
            }
            manifests.append(manifest)
            contents += capture.contents.map { $0.read(0, Int($0.byteCount)) }
        }
        if generator.oneIn(8), !contents.isEmpty { contents.remove(at: generator.below(contents.count)) }
        if generator.oneIn(8) { contents.append(generator.bytes(64)) }
        var body = BatchFraming.magic
        for manifest in manifests { body += frame(.manifest, manifest, &generator) }
        for content in contents { body += frame(.resource, content, &generator) }
        if !generator.oneIn(12) { body += BatchFraming.head(.end, byteCount: 0) }
        if generator.oneIn(12) { body[generator.below(body.count)] ^= UInt8(1 << generator.below(8)) }
        if generator.oneIn(12) { body.removeLast(generator.below(body.count)) }
        return request(body)
    }

    /// A batch that is as it should be.
    static func batch(of captures: [SampleCapture]) throws -> TransportRequest {
        var body = BatchFraming.magic
        for capture in captures {
            let manifest = Array(try JSONEncoder().encode(capture.manifest))
            body += BatchFraming.head(.manifest, byteCount: Int64(manifest.count)) + manifest
        }
        for content in captures.flatMap(\.contents) {
            body += BatchFraming.head(.resource, byteCount: content.byteCount)
            body += content.read(0, Int(content.byteCount))
        }
        return request(body + BatchFraming.head(.end, byteCount: 0))
    }

    private static func request(_ batch: [UInt8]) -> TransportRequest {
        var request = TransportRequest("POST", "/v1/batches")
        request.fields = [("Content-Type", BatchFraming.contentType)]
        request.body = .bytes(batch)
        return request
    }

    /// A piece of an upload, at a place that may be any.
    static func append(to upload: String, _ generator: inout SeededGenerator) -> TransportRequest {
        var request = TransportRequest("PATCH", "/v1/uploads/\(PercentEncoding.encode(upload))")
        let bytes = generator.bytes(generator.below(3000))
        let offset = generator.oneIn(2) ? "0" : generator.pick(FuzzedJSON.numbers)
        request.fields = [
            ("Content-Type", generator.oneIn(9) ? "image/jpeg" : UploadHeaders.partialUpload),
            (UploadHeaders.Name.offset, offset), (UploadHeaders.Name.complete, generator.oneIn(2) ? "?1" : "?0"),
        ]
        if generator.oneIn(4) {
            request.fields.append((UploadHeaders.Name.length, generator.pick(FuzzedJSON.numbers)))
        }
        if generator.oneIn(4) {
            let digest = Data(generator.bytes(generator.oneIn(4) ? 5 : 32)).base64EncodedString()
            request.fields.append((UploadHeaders.Name.contentDigest, "sha-256=:\(digest):"))
        }
        request.body = .bytes(bytes)
        return request
    }

    /// A frame, whose length is a lie now and then.
    private static func frame(
        _ kind: BatchFraming.FrameKind,
        _ bytes: [UInt8],
        _ generator: inout SeededGenerator
    ) -> [UInt8] {
        let lie = generator.oneIn(20) ? Int64(generator.pick(FuzzedJSON.numbers)) : nil
        return BatchFraming.head(kind, byteCount: lie ?? Int64(bytes.count)) + bytes
    }
}

import Authorization
import Foundation
import HTTPTypes
import Hummingbird
import LibraryAPI
import LibraryStore
import NIOCore
import PhotoModel

/// Reading: lists, assets, the bytes of resources.
struct ReadingRoutes {
    let store: LibraryStore
    let media: MediaDesk

    func register(in registry: inout RouteRegistry) throws {
        try registry.on(.assets) { [metadata = store.metadata] call, admitted in
            let query = try AssetQuery(items: call.query()) { text in
                try Call.decode(Array(text.utf8), as: AssetFilter.self)
            }
            return try .json(try await metadata.page(query, in: admitted.view))
        }
        try registry.on(.asset) { [metadata = store.metadata] call, admitted in
            guard let asset = try await metadata.asset(call.parameter("id"), in: admitted.view) else {
                throw ProblemDetails.notFound
            }
            return try .json(asset)
        }
        try registry.on(.resource) { [store, media] call, admitted in
            guard let asset = try await store.metadata.asset(call.parameter("id"), in: admitted.view) else {
                throw ProblemDetails.notFound
            }
            if let converted = try await media.conversion(for: call, of: asset) { return converted }
            let open = try await store.open(call.parameter("resource"), of: asset)
            return call.answer(open)
        }
        try registry.on(.albums) { [metadata = store.metadata] call, admitted in
            var query = try AdminQuery(call)
            let cursor = try query.value("cursor", String.self).map(ListCursor.init(text:))
            let limit = try query.limit(default: APILimits.defaultPageAssetCount, maximum: APILimits.pageAssetCount)
            try query.finish()
            let granted = admitted.scope == .grantedAlbums ? admitted.record?.selection.grantedAlbums : nil
            return try .json(try await metadata.albums(granted, limit: limit, cursor: cursor))
        }
    }
}

extension Call {
    /// Bytes that are read from the disk at once.
    private static let chunkByteCount = 256 << 10

    /// The bytes of a resource, or the range of them that was asked for (RFC 9110, section 14).
    func answer(_ open: OpenResource) -> Response {
        let etag = "\"\(open.resource.digest)\""
        var headers: HTTPFields = [
            .eTag: etag, .acceptRanges: "bytes", .cacheControl: "private, no-cache",
            .contentType: Self.safeType(open.resource.contentType),
            .contentDisposition: Self.disposition(open.resource),
        ]
        if let known = header("If-None-Match"), Self.matches(known, etag) {
            return Response(status: .notModified, headers: headers)
        }
        let total = open.resource.byteCount
        let isRangeWanted = header("If-Range").map { $0 == etag } ?? true
        switch isRangeWanted ? ByteRange(header("Range"), total: total) : .whole {
        case .whole:
            return Response(status: .ok, headers: headers, body: Self.body(open, 0..<total))
        case .part(let range):
            headers[.contentRange] = "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(total)"
            return Response(status: .partialContent, headers: headers, body: Self.body(open, range))
        case .unsatisfiable:
            let problem = ProblemDetails(.rangeNotSatisfiable, "The resource has \(total) bytes.")
            var response = Response.problem(problem, requestID: requestID)
            response.headers[.contentRange] = "bytes */\(total)"
            return response
        }
    }

    private static func body(_ open: OpenResource, _ range: Range<Int64>) -> ResponseBody {
        ResponseBody(contentLength: Int(range.count)) { writer in
            var offset = range.lowerBound
            while offset < range.upperBound {
                let count = Int(min(Int64(chunkByteCount), range.upperBound - offset))
                let bytes = try await open.read(count, at: offset)
                guard !bytes.isEmpty else { throw StoreError(.storageDamaged, "The bytes end too early.") }
                try await writer.write(ByteBuffer(bytes: bytes))
                offset += Int64(bytes.count)
            }
            try await writer.finish(nil)
        }
    }

    private static func matches(_ field: String, _ etag: String) -> Bool {
        field == "*"
            || field.split(separator: ",").contains { part in
                let tag = part.drop { $0 == " " }
                return tag == etag || tag == "W/\(etag)"
            }
    }

    /// A type that a browser shows without running anything in it; everything else is only for saving.
    private static func safeType(_ contentType: String) -> String {
        let isPassive =
            contentType != "image/svg+xml"
            && ["image/", "video/", "audio/"].contains { contentType.hasPrefix($0) }
        return isPassive ? contentType : "application/octet-stream"
    }

    /// For saving, under the name that the file had (RFC 6266, section 4.3), as far as it is text.
    private static func disposition(_ resource: AssetResource) -> String {
        guard let name = resource.originalFilename else { return "attachment" }
        return "attachment; filename*=UTF-8''\(PercentEncoding.encode(name.displayText))"
    }
}

/// What a Range field asks for (RFC 9110, section 14.2).
enum ByteRange: Equatable {
    /// Everything: no field, one that is not understood, or several ranges, which need not be obeyed.
    case whole
    /// These bytes.
    case part(Range<Int64>)
    /// Bytes that are not there.
    case unsatisfiable

    /// Reads a field.
    ///
    /// - Parameters:
    ///   - field: its value; nil when it is missing.
    ///   - total: how many bytes there are.
    init(_ field: String?, total: Int64) {
        self = .whole
        guard let field, field.hasPrefix("bytes=") else { return }
        let sides = field.dropFirst("bytes=".count).split(separator: "-", omittingEmptySubsequences: false)
        guard sides.count == 2, sides.allSatisfy({ $0.allSatisfy(\.isASCIIDigit) }) else { return }
        switch (Self.number(sides[0]), Self.number(sides[1])) {
        case (nil, nil): return
        case (nil, let suffix?):
            self = suffix > 0 && total > 0 ? .part(max(0, total - suffix)..<total) : .unsatisfiable
        case (let first?, let last):
            if let last, last < first { return }
            let end = last.map { $0 < total ? $0 + 1 : total } ?? total
            self = first < total ? .part(first..<end) : .unsatisfiable
        }
    }

    /// A number too large for 64 bits is as good as the largest.
    private static func number(_ text: Substring) -> Int64? {
        text.isEmpty ? nil : Int64(text) ?? .max
    }
}

extension Character {
    fileprivate var isASCIIDigit: Bool { isASCII && isNumber }
}

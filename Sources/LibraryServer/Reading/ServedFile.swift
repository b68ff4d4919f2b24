import HTTPTypes
import Hummingbird
import LibraryAPI
import LibraryStore
import NIOCore
import PhotoModel

/// A file to send, as runs of new bytes and of stored bytes, never loaded as a whole.
struct ServedFile: Sendable {
    /// One run.
    enum Piece: Sendable {
        /// New bytes.
        case bytes([UInt8])
        /// Bytes of a resource.
        case stored(OpenResource, Range<Int64>)
        /// Bytes of a file opened only when they are due.
        case file(ArchivedFile, Range<Int64>)
        /// A range of new bytes, generated only when they are due.
        case made(byteCount: Int64, Range<Int64>, @Sendable () async throws -> [UInt8])

        var byteCount: Int64 {
            switch self {
            case .bytes(let bytes): Int64(bytes.count)
            case .stored(_, let range), .file(_, let range), .made(_, let range, _): Int64(range.count)
            }
        }

        /// A part of it, relative to its start.
        func part(_ range: Range<Int64>) -> Piece {
            func moved(_ whole: Range<Int64>) -> Range<Int64> {
                whole.lowerBound + range.lowerBound..<whole.lowerBound + range.upperBound
            }
            return switch self {
            case .bytes(let bytes): .bytes(Array(bytes[Int(range.lowerBound)..<Int(range.upperBound)]))
            case .stored(let open, let whole): .stored(open, moved(whole))
            case .file(let file, let whole): .file(file, moved(whole))
            case .made(let byteCount, let whole, let make): .made(byteCount: byteCount, moved(whole), make)
            }
        }
    }

    /// The runs, in order.
    var pieces: [Piece]
    /// The entity tag without its quotes; it changes whenever the bytes do.
    var tag: String
    var contentType: String
    /// The name for saving.
    var filename: String?

    /// The length in bytes.
    var byteCount: Int64 { pieces.reduce(0) { $0 + $1.byteCount } }

    /// A resource, unchanged.
    init(_ open: OpenResource) {
        pieces = [.stored(open, 0..<open.resource.byteCount)]
        tag = open.resource.digest.description
        contentType = open.resource.contentType
        filename = open.resource.originalFilename?.displayText
    }

    init(pieces: [Piece], tag: String, contentType: String, filename: String?) {
        self.pieces = pieces
        self.tag = tag
        self.contentType = contentType
        self.filename = filename
    }

    /// The same bytes under a name that lists what was stripped, so that nobody mistakes the copy for the original.
    func named(without parts: Set<MetadataPart>) -> ServedFile {
        guard parts.contains(.location), let filename else { return self }
        var file = self
        file.filename = filename.withoutLocation
        return file
    }

    /// The whole file in memory; for stills of bounded size.
    func wholeBytes() async throws -> [UInt8] {
        var bytes: [UInt8] = []
        var reader = reader(0..<byteCount)
        while let more = try await reader.next() { bytes += more }
        return bytes
    }

    func pieces(in range: Range<Int64>) -> [Piece] {
        var start: Int64 = 0
        var parts: [Piece] = []
        for piece in pieces {
            let part = range.clamped(to: start..<start + piece.byteCount)
            if !part.isEmpty { parts.append(piece.part(part.lowerBound - start..<part.upperBound - start)) }
            start += piece.byteCount
        }
        return parts
    }

    /// The bytes of a range of the file, read while sending.
    func body(_ range: Range<Int64>) -> ResponseBody {
        ResponseBody(contentLength: Int(range.count)) { writer in
            var reader = reader(range)
            while let bytes = try await reader.next() { try await writer.write(ByteBuffer(bytes: bytes)) }
            try await writer.finish(nil)
        }
    }

    func reader(_ range: Range<Int64>) -> ServedFileReader { ServedFileReader(pieces(in: range)) }
}

extension String {
    /// The file's name with another extension.
    func withExtension(_ other: String) -> String {
        guard let dot = lastIndex(of: "."), dot != startIndex else { return "\(self).\(other)" }
        return "\(self[..<dot]).\(other)"
    }

    /// The name for a copy stripped of its location.
    var withoutLocation: String {
        let dot = lastIndex(of: ".") ?? endIndex
        return "\(self[..<dot]) without location\(self[dot...])"
    }
}

extension Call {
    /// A file, or the requested range of it (RFC 9110, section 14).
    func answer(_ file: ServedFile) -> Response {
        let etag = "\"\(file.tag)\""
        var headers: HTTPFields = [
            .eTag: etag, .acceptRanges: "bytes", .cacheControl: "private, no-cache",
            .contentType: Self.safeType(file.contentType), .contentDisposition: Self.disposition(file.filename),
        ]
        if knows(etag) { return Response(status: .notModified, headers: headers) }
        let total = file.byteCount
        let isRangeWanted = header("If-Range").map { $0 == etag } ?? true
        switch isRangeWanted ? ByteRange(header("Range"), total: total) : .whole {
        case .whole: return Response(status: .ok, headers: headers, body: file.body(0..<total))
        case .part(let range):
            headers[.contentRange] = "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(total)"
            return Response(status: .partialContent, headers: headers, body: file.body(range))
        case .unsatisfiable:
            let problem = ProblemDetails(.rangeNotSatisfiable, "The resource has \(total) bytes.")
            var response = Response.problem(problem, requestID: requestID)
            response.headers[.contentRange] = "bytes */\(total)"
            return response
        }
    }

    /// Whether the caller already has this entity tag (RFC 9110, section 13.1.2).
    func knows(_ etag: String) -> Bool {
        guard let field = header("If-None-Match") else { return false }
        return field == "*"
            || field.split(separator: ",").contains { part in
                let tag = part.drop { $0 == " " }
                return tag == etag || tag == "W/\(etag)"
            }
    }

    /// A type that browsers display without running its content; all others are download only.
    private static func safeType(_ contentType: String) -> String {
        let isPassive =
            contentType != "image/svg+xml"
            && ["image/", "video/", "audio/"].contains { contentType.hasPrefix($0) }
        return isPassive || contentType == "application/zip" ? contentType : "application/octet-stream"
    }

    /// A download under the file's original name, as far as that is text (RFC 6266, section 4.3).
    static func disposition(_ filename: String?) -> String {
        let name = filename?.withoutDirectionControls ?? ""
        return name.isEmpty ? "attachment" : "attachment; filename*=UTF-8''\(PercentEncoding.encode(name))"
    }
}

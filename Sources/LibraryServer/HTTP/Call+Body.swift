import Foundation
import Hummingbird
import LibraryAPI
import NIOCore

extension Call {
    /// Decodes the JSON body, after checking it with ``StrictJSON``.
    ///
    /// - Throws: `limits.too_large`, `request.unsupported_media_type`, `request.malformed` naming the field.
    func json<Value: Decodable>(
        _ type: Value.Type = Value.self,
        limit: Int = APILimits.requestByteCount
    ) async throws -> Value {
        guard hasContent(of: "application/json") else {
            throw ProblemDetails(.unsupportedMediaType, "Send the body as application/json.")
        }
        return try Self.decode(try await body(limit: limit))
    }

    /// Reads a whole body of bounded size.
    ///
    /// - Throws: `limits.too_large`; `server.unavailable` while other bodies fill the memory.
    func body(limit: Int) async throws -> [UInt8] {
        let problem = ProblemDetails(.tooLarge, "The body of \(route) may have at most \(limit) bytes.")
        if let length = contentLength, length > Int64(limit) { throw problem }
        var bytes: [UInt8] = []
        defer { bodies.leave(bytes.count) }
        for try await buffer in request.body {
            guard bytes.count + buffer.readableBytes <= limit else { throw problem }
            try bodies.enter(buffer.readableBytes)
            bytes += buffer.readableBytesView
        }
        return bytes
    }

    /// Decodes JSON, after checking it with ``StrictJSON``, and the length of an operator's reason.
    ///
    /// - Throws: `request.malformed` naming the field, `limits.too_large` for a reason.
    static func decode<Value: Decodable>(_ bytes: [UInt8], as type: Value.Type = Value.self) throws -> Value {
        try StrictJSON.check(bytes)
        let value: Value
        do {
            value = try JSONDecoder().decode(Value.self, from: Data(bytes))
        } catch let error as DecodingError {
            throw ProblemDetails(error)
        }
        let limit = APILimits.reasonByteCount
        if let reason = (value as? any ReasonedRequest)?.reason, reason.utf8.count > limit {
            throw ProblemDetails(.tooLarge, "A reason has at most \(limit) bytes.", field: "reason")
        }
        return value
    }

    /// The announced bytes of the body; nil without `Content-Length`.
    var contentLength: Int64? { header("Content-Length").flatMap(Int64.init) }

    /// Whether the body has a media type, ignoring its parameters (RFC 9110, section 8.3.1).
    func hasContent(of type: String) -> Bool {
        guard let text = header("Content-Type") else { return false }
        return text.prefix { $0 != ";" }.trimmingCharacters(in: .whitespaces).lowercased() == type
    }
}

extension ProblemDetails {
    /// A decoding failure of a text that ``StrictJSON`` has accepted, with the field's path.
    init(_ error: DecodingError) {
        let (path, text) =
            switch error {
            // Foundation says this, and not where, of an integer that its field's type cannot hold.
            case .dataCorrupted(let context) where context.debugDescription == "The given data was not valid JSON.":
                (context.codingPath, "it holds a number that is out of range")
            case .valueNotFound(_, let context): (context.codingPath, "it must not be null")
            case .typeMismatch(_, let context), .dataCorrupted(let context):
                (context.codingPath, context.debugDescription)
            case .keyNotFound(let key, let context): (context.codingPath + [key], "it is missing")
            @unknown default: ([], "it cannot be read")
            }
        let field = path.map { $0.intValue.map(String.init) ?? $0.stringValue }.joined(separator: ".").prefix(200)
        let reason = text.prefix(200)
        self.init(
            .malformedRequest,
            "The body's \(field.isEmpty ? "top level" : "field \(field)") is wrong: \(reason)\(reason.last == "." ? "" : ".")",
            field: field.isEmpty ? nil : String(field)
        )
    }
}

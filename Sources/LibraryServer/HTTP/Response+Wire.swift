import Foundation
import HTTPTypes
import Hummingbird
import LibraryAPI
import NIOCore

extension Response {
    /// A JSON response, keys sorted.
    static func json(
        _ value: some Encodable,
        status: HTTPResponse.Status = .ok,
        contentType: String = "application/json"
    ) throws -> Response {
        let body = ByteBuffer(bytes: try JSONEncoder.sorted.encode(value))
        return Response(status: status, headers: [.contentType: contentType], body: .init(byteBuffer: body))
    }

    static func json(encoded bytes: [UInt8]) -> Response {
        Response(
            status: .ok,
            headers: [.contentType: "application/json"],
            body: .init(byteBuffer: ByteBuffer(bytes: bytes))
        )
    }

    /// A list as JSON, compressed for callers that accept it.
    ///
    /// Only for content that repeats no secret: ``ContentCoding``.
    static func list(_ value: some Encodable, for call: Call) throws -> Response {
        list(encoded: Array(try JSONEncoder.sorted.encode(value)), for: call)
    }

    /// A list that is already encoded as JSON, compressed for callers that accept it.
    static func list(encoded bytes: [UInt8], for call: Call) -> Response {
        let coding = ContentCoding.preferred(by: call)
        return Response(
            bytes,
            coding,
            compressed: coding?.compress(bytes, .answer),
            headers: [.contentType: "application/json"]
        )
    }

    /// A response with its bytes in a coding, or as they are if that makes them no shorter.
    init(_ bytes: [UInt8], _ coding: ContentCoding?, compressed: [UInt8]?, headers: HTTPFields) {
        self.init(status: .ok, headers: headers, body: .init(byteBuffer: ByteBuffer(bytes: compressed ?? bytes)))
        self.headers[.vary] = "Accept-Encoding"
        if compressed != nil { self.headers[.contentEncoding] = coding?.rawValue }
    }

    static var noContent: Response { Response(status: .noContent) }

    static func text(_ text: String, contentType: String = "text/plain; charset=utf-8") -> Response {
        Response(status: .ok, headers: [.contentType: contentType], body: .init(byteBuffer: ByteBuffer(string: text)))
    }

    /// A problem in RFC 9457 form.
    ///
    /// It never fails: a problem that cannot be encoded becomes an empty body with its status.
    static func problem(_ problem: ProblemDetails, requestID: String) -> Response {
        var problem = problem
        problem.instance = requestID
        let status = HTTPResponse.Status(code: problem.status)
        var response =
            (try? json(problem, status: status, contentType: ProblemDetails.contentType)) ?? Response(status: status)
        if let seconds = problem.retryAfterSeconds { response.headers[.retryAfter] = "\(seconds)" }
        // Section 4.4.2 of the draft: the upload's offset is also sent in the header.
        guard let offset = problem.expectedOffset else { return response }
        return response.with(UploadHeaders(offset: offset, isComplete: false))
    }

    /// Adds the fields of the resumable-upload draft.
    func with(_ upload: UploadHeaders) -> Response {
        var response = self
        for (name, value) in upload.fields {
            if let name = HTTPField.Name(name) { response.headers[name] = value }
        }
        return response
    }
}

import FoundationEssentials
package import LibraryAPI
import PhotoModel

/// The library's interface as typed calls: one method per route, refusals as errors that know when to retry.
package struct LibraryClient: Sendable {
    /// The underlying transport.
    package let transport: any Transport
    /// The time limit of calls without media bytes.
    package var timeout = Duration.seconds(60)

    /// A client on top of a transport.
    package init(_ transport: any Transport) { self.transport = transport }

    /// Makes a call with JSON in both directions.
    ///
    /// - Parameters:
    ///   - endpoint: the route.
    ///   - values: its path's parameters.
    ///   - query: the query's names and values.
    ///   - fields: additional header fields.
    ///   - body: the JSON body; nil for none.
    ///   - type: the response's type.
    /// - Returns: the response.
    /// - Throws: no response, a refusal, or a response that does not decode.
    package func call<Answer: Decodable>(
        _ endpoint: Endpoint,
        _ values: [any CustomStringConvertible] = [],
        query: [(name: String, value: String)] = [],
        fields: [(name: String, value: String)] = [],
        body: (any Encodable)? = nil,
        as type: Answer.Type = Answer.self
    ) async throws(LibraryClientError) -> Answer {
        var request = try request(endpoint, values, query: query, body: body)
        request.fields += fields
        let answer = try await send(request)
        return try decode(answer, as: type)
    }

    /// Makes a call with an empty response.
    ///
    /// - Parameters:
    ///   - endpoint: the route.
    ///   - values: its path's parameters.
    ///   - body: the JSON body; nil for none.
    /// - Throws: no response, or a refusal.
    package func perform(
        _ endpoint: Endpoint,
        _ values: [any CustomStringConvertible] = [],
        body: (any Encodable)? = nil
    ) async throws(LibraryClientError) {
        _ = try await send(try request(endpoint, values, body: body))
    }

    /// A request for a route, with a JSON body if given.
    func request(
        _ endpoint: Endpoint,
        _ values: [any CustomStringConvertible],
        query: [(name: String, value: String)] = [],
        body: (any Encodable)? = nil
    ) throws(LibraryClientError) -> TransportRequest {
        var target = endpoint.path(values)
        if !query.isEmpty { target += "?" + PercentEncoding.query(query) }
        var request = TransportRequest(endpoint.method.rawValue, target)
        request.fields = [("Accept", "application/json, \(ProblemDetails.contentType)")]
        request.timeout = timeout
        guard let body else { return request }
        request.fields.append(("Content-Type", "application/json"))
        request.body = .bytes(try Self.json(body))
        return request
    }

    /// Sends, and turns every status above 299 into a refusal.
    func send(_ request: TransportRequest) async throws(LibraryClientError) -> TransportResponse {
        let answer: TransportResponse
        do {
            answer = try await transport.send(request)
        } catch {
            throw LibraryClientError(error)
        }
        guard 200..<300 ~= answer.status else { throw LibraryClientError(Self.problem(of: answer)) }
        return answer
    }

    /// Decodes the response's JSON.
    func decode<Answer: Decodable>(_ answer: TransportResponse, as type: Answer.Type) throws(LibraryClientError)
        -> Answer
    {
        do {
            return try JSONDecoder().decode(type, from: Data(answer.body))
        } catch {
            throw LibraryClientError(malformed: "\(type) does not decode: \(error)")
        }
    }

    /// Encodes JSON with sorted keys, so that equal values give equal bytes.
    static func json(_ value: any Encodable) throws(LibraryClientError) -> [UInt8] {
        do {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            return Array(try encoder.encode(value))
        } catch {
            throw LibraryClientError(malformed: "\(type(of: value)) does not encode: \(error)")
        }
    }

    /// The refusal in a response.
    ///
    /// If it is not a problem document (RFC 9457), something between here and the library answered; that says nothing
    /// about the request, so it is retried whatever its status.
    private static func problem(of answer: TransportResponse) -> ProblemDetails {
        let isProblem = answer.field("Content-Type")?.hasPrefix(ProblemDetails.contentType) ?? false
        var problem =
            isProblem ? try? JSONDecoder().decode(ProblemDetails.self, from: Data(answer.body)) : nil
        if problem == nil, isProblem, answer.body.isEmpty {
            // The library's response to HEAD, where a problem has no body (RFC 9110, section 9.3.2).
            let code: ErrorCode = answer.status == 404 ? .notFound : answer.status == 410 ? .uploadGone : .unavailable
            problem = ProblemDetails(code, "The library answered with status \(answer.status).")
        } else if problem == nil {
            var made = ProblemDetails(
                answer.status == 429 ? .slowDown : .unavailable,
                "Something between here and the library answered with status \(answer.status), not the library: see “Behind "
                    + "a reverse proxy” in its documentation"
            )
            made.type = "about:blank"
            made.status = answer.status
            problem = made
        }
        var found = problem ?? ProblemDetails(.internalError, "")
        if found.retryAfterSeconds == nil { found.retryAfterSeconds = answer.retryAfterSeconds }
        return found
    }
}

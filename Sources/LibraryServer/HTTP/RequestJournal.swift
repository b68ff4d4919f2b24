import CoreMetrics
import HTTPTypes
import Hummingbird
import HummingbirdCore
import LibraryAPI
import Logging
import NIOHTTP1
import Observability

/// Identifies, measures and logs every request, and turns thrown errors into problems.
///
/// It is the outermost middleware, so every response passes through it.
struct RequestJournal: RouterMiddleware {
    typealias Context = ServerContext

    /// The log metadata key of a request's identifier.
    static let requestIDKey = "request.id"

    let metrics: ServerMetrics

    @concurrent func handle(
        _ request: Request,
        context: ServerContext,
        next: @concurrent (Request, ServerContext) async throws -> Response
    ) async throws -> Response {
        var context = context
        let requestID = Self.newRequestID()
        context.logger[metadataKey: Self.requestIDKey] = "\(requestID)"
        let clock = ContinuousClock()
        let start = clock.now
        var response: Response
        do {
            response = try await next(request, context)
        } catch let error as HTTPParserError {
            // The parser refused the header; the channel's own handler closes the connection.
            throw error
        } catch {
            let problem = ProblemDetails(answering: error)
            if problem.status >= 500 {
                // A full disk or quota refuses every upload, and is no fault of the request.
                let level: Logger.Level = problem.status == 507 ? .warning : .error
                let metadata: Logger.Metadata = ["error": "\(error)", "path": "\(request.uri.path)"]
                context.logger.log(level: level, "request failed", metadata: metadata)
            }
            response = .problem(problem, requestID: requestID)
        }
        if request.method == .head { response = response.withoutBody }
        Self.harden(&response, requestID: requestID)
        let route = context.endpointPath ?? "none"
        metrics.record(
            method: request.method.rawValue,
            route: route,
            status: response.status.code,
            duration: clock.now - start
        )
        context.logger.debug(
            "request answered",
            metadata: [
                "method": "\(request.method.rawValue)", "route": "\(route)", "status": "\(response.status.code)",
                "duration.ms": "\((clock.now - start) / .milliseconds(1))",
            ]
        )
        return response
    }

    /// The request identifier of a logger from here.
    static func requestID(of logger: Logger) -> String { logger[metadataKey: requestIDKey]?.description ?? "" }

    private static func newRequestID() -> String { String(UInt64.random(in: .min ... .max), radix: 36) }

    /// Header fields of every response: it is not cached unless meant to be, and its type is not guessed.
    private static func harden(_ response: inout Response, requestID: String) {
        response.headers[.requestID] = requestID
        response.headers[.xContentTypeOptions] = "nosniff"
        if response.headers[.cacheControl] == nil { response.headers[.cacheControl] = "no-store" }
    }
}

extension Response {
    /// The response to HEAD (RFC 9110, section 9.3.2): the client would read a body as the next response.
    ///
    /// A stream has no length to announce, and without one a chunked body's end would be sent.
    fileprivate var withoutBody: Response {
        guard body.contentLength != nil else { return Response(status: .methodNotAllowed, headers: [.allow: "GET"]) }
        return createHeadResponse()
    }
}

extension HTTPField.Name {
    /// The request's identifier, as in the server's log.
    static let requestID = Self(static: "Request-Id")

    private init(static name: StaticString) {
        // A literal of token characters is always a valid name.
        self = HTTPField.Name("\(name)") ?? .server
    }
}

import CoreMetrics
import HTTPTypes
import Hummingbird
import HummingbirdCore
import LibraryAPI
import Logging
import NIOHTTP1
import Observability

/// Names, measures and logs every request, and turns whatever it throws into a problem.
///
/// It is the outermost middleware, so nothing of ours answers without passing through it.
struct RequestJournal: RouterMiddleware {
    typealias Context = ServerContext

    /// The metadata key under which a request's identifier is logged.
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
            // The header was refused by the parser; the connection is closed by those who know where it broke.
            throw error
        } catch {
            let problem = ProblemDetails(answering: error)
            if problem.status >= 500 {
                context.logger.error("request failed", metadata: ["error": "\(error)", "path": "\(request.uri.path)"])
            }
            response = .problem(problem, requestID: requestID)
        }
        // What would have been the body must not follow (RFC 9110, section 9.3.2): the client would read it as the next
        // answer.
        if request.method == .head { response = response.createHeadResponse() }
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

    /// The request's identifier of a logger that went through here.
    static func requestID(of logger: Logger) -> String {
        logger[metadataKey: requestIDKey]?.description ?? ""
    }

    private static func newRequestID() -> String {
        String(UInt64.random(in: .min ... .max), radix: 36)
    }

    /// Fields that every answer has: what is not meant for a cache is kept out, and no type is guessed.
    private static func harden(_ response: inout Response, requestID: String) {
        response.headers[.requestID] = requestID
        response.headers[.xContentTypeOptions] = "nosniff"
        if response.headers[.cacheControl] == nil { response.headers[.cacheControl] = "no-store" }
    }
}

extension HTTPField.Name {
    /// Names the request, as the server's log does.
    static let requestID = Self(static: "Request-Id")

    private init(static name: StaticString) {
        // A literal made of token characters is always a name.
        self = HTTPField.Name("\(name)") ?? .server
    }
}

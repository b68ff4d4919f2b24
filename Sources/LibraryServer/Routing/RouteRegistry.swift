import Authorization
import Hummingbird
import LibraryAPI
import NIOCore
import PhotoModel

/// Puts the library's routes into Hummingbird's router, each behind the gate.
///
/// A handler is only ever registered by its declared route, so that none can be reached around the endpoint table; a
/// route without a row there keeps the server from starting.
struct RouteRegistry {
    typealias Handler = @Sendable (Call, AuthorizedCall) async throws -> Response

    let router: Router<ServerContext>
    private let gate: Gate
    private let peers: PeerIdentities
    private let active: ActiveRequests
    private let metrics: ServerMetrics
    private let now: @Sendable () -> WallTime
    private(set) var endpoints: [Endpoint] = []

    init(
        router: Router<ServerContext>,
        gate: Gate,
        peers: PeerIdentities,
        active: ActiveRequests,
        metrics: ServerMetrics,
        now: @escaping @Sendable () -> WallTime
    ) {
        self.router = router
        self.gate = gate
        self.peers = peers
        self.active = active
        self.metrics = metrics
        self.now = now
    }

    /// Serves a route.
    ///
    /// - Parameters:
    ///   - route: the declared route.
    ///   - refused: what is answered instead of the problem of a refusal; nil for the problem itself.
    ///   - handler: answers those whom the gate lets in.
    /// - Throws: ``ServerError`` when the endpoint table has no row for it.
    mutating func on(
        _ route: Endpoint,
        refused: @escaping @Sendable (Call, ProblemDetails) -> Response? = { _, _ in nil },
        handler: @escaping Handler
    ) throws {
        guard
            let row = Authorization.Route(method: route.method.rawValue, template: route.template)
        else {
            throw ServerError(.routeWithoutRow, "the endpoint table has no row for \(route)")
        }
        endpoints.append(route)
        router.on(RouterPath(route.template), method: .init(route.method)) {
            [gate, peers, active, metrics, now] request, context in
            let call = Call(
                route: route,
                request: request,
                context: context,
                credential: try await context.credential(peers: peers),
                requestID: RequestJournal.requestID(of: context.logger),
                time: now()
            )
            let admitted: AuthorizedCall
            do {
                admitted = try await gate.admit(call.credential, to: row, at: call.time)
            } catch let problem as ProblemDetails {
                metrics.recordDenial(problem.title)
                guard let answer = refused(call, problem) else { throw problem }
                return answer
            }
            guard let device = call.credential.deviceID else { return try await handler(call, admitted) }
            let number = active.begin(device, on: context.channel)
            defer { active.end(number, of: device) }
            return Self.noting(try await handler(call, admitted), active, device, on: context.channel)
        }
    }

    /// The same answer, noted while its body is on its way: a stream is written after its handler has returned.
    private static func noting(
        _ response: Response,
        _ active: ActiveRequests,
        _ device: DeviceID,
        on channel: any Channel
    ) -> Response {
        var response = response
        let body = response.body
        response.body = ResponseBody(contentLength: body.contentLength) { writer in
            let number = active.begin(device, on: channel)
            defer { active.end(number, of: device) }
            try await body.write(writer)
        }
        return response
    }
}

extension HTTPRequest.Method {
    init(_ method: EndpointMethod) {
        self =
            switch method {
            case .get: .get
            case .head: .head
            case .post: .post
            case .put: .put
            case .patch: .patch
            case .delete: .delete
            }
    }
}

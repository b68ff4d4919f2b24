import Authorization
import Hummingbird
import LibraryAPI
import PhotoModel

/// Registers the library's routes in Hummingbird's router, each behind the gate.
///
/// A handler can only be registered for a declared route, so that none bypasses the endpoint table; a route without a
/// row there keeps the server from starting.
struct RouteRegistry {
    typealias Handler = @Sendable (Call, AuthorizedCall) async throws -> Response

    let router: Router<ServerContext>
    private let gate: Gate
    private let authenticator: Authenticator
    private let guards: RequestGuards
    private let active: ActiveRequests
    private let metrics: ServerMetrics
    private let now: @Sendable () -> WallTime
    private(set) var endpoints: [Endpoint] = []
    /// What each device's requests keep busy.
    var places: DevicePlaces { guards.places }

    init(
        router: Router<ServerContext>,
        gate: Gate,
        authenticator: Authenticator,
        guards: RequestGuards,
        active: ActiveRequests,
        metrics: ServerMetrics,
        now: @escaping @Sendable () -> WallTime
    ) {
        self.router = router
        self.gate = gate
        self.authenticator = authenticator
        self.guards = guards
        self.active = active
        self.metrics = metrics
        self.now = now
    }

    /// Serves a route.
    ///
    /// - Parameters:
    ///   - route: the declared route.
    ///   - refused: the response to a refusal; nil for the problem itself.
    ///   - handler: answers admitted callers.
    /// - Throws: ``ServerError`` if the endpoint table has no row for it.
    mutating func on(
        _ route: Endpoint,
        refused: @escaping @Sendable (Call, ProblemDetails) -> Response? = { _, _ in nil },
        handler: @escaping Handler
    ) throws {
        let row = try Self.row(of: route)
        endpoints.append(route)
        router.on(RouterPath(route.template), method: .init(route.method)) {
            [gate, authenticator, guards, active, metrics, now] request, context in
            try guards.load.enter()
            defer { guards.load.leave() }
            var request = request
            request.body = RequestBody(asyncSequence: PacedBody(body: request.body, pace: guards.pace))
            let call = Call(
                route: route,
                request: request,
                context: context,
                showing: try await authenticator.showing(of: request, context),
                requestID: RequestJournal.requestID(of: context.logger),
                time: now(),
                guards: guards
            )
            try guards.addresses.admit(call)
            // An expired device may still renew, and gets the whole answer.
            let end = call.credential.expires.flatMap { call.time <= $0 ? $0 : nil }
            let isValid: @Sendable () -> Bool = { end.map { now() <= $0 } ?? true }
            return try await active.answering(call.credential.party, on: context.channel, while: isValid) {
                let admitted: AuthorizedCall
                do {
                    admitted = try await gate.admit(call.credential, to: row, at: call.time)
                    try call.requireOwnOrigin()
                } catch let problem as ProblemDetails {
                    metrics.recordDenial(problem.title)
                    await guards.denials.note(problem, call)
                    guard let answer = refused(call, problem) else { throw problem }
                    return answer
                }
                let turn = route.takesTurn ? try call.takePlace(.change) : nil
                defer { withExtendedLifetime(turn) {} }
                let place = try route.place.flatMap { try call.takePlace($0) }
                // A contact leaves nothing behind, and must be possible whatever else is used up.
                if route.takesTurn, route != .contact { try call.count(changes: 1) }
                let answer = try await handler(call, admitted).keeping(place)
                // Its body would not be sent.
                guard isValid() else { throw ProblemDetails(Denial.identityExpired) }
                if answer.status.kind == .successful { await gate.noteReading(by: admitted, call) }
                return answer
            }
        }
    }

    /// The endpoint table's row for a route.
    ///
    /// - Throws: ``ServerError`` if there is none.
    static func row(of route: Endpoint) throws -> Authorization.Route {
        guard let row = Authorization.Route(method: route.method.rawValue, template: route.template) else {
            throw ServerError(.routeWithoutRow, "the endpoint table has no row for \(route)")
        }
        return row
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

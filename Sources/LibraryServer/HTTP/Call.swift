import Authorization
import HTTPTypes
import Hummingbird
import LibraryAPI
import Logging
import NIOCore
import PhotoModel

/// A request on its way to a handler.
struct Call: Sendable {
    let route: Endpoint
    /// The request, with its body still unread.
    let request: Request
    /// The caller's credential.
    let credential: Credential
    let channel: any Channel
    /// Identifies the request in logs, responses and the audit.
    let requestID: String
    /// The peer's address; nil for the Unix socket.
    let remoteAddress: String?
    /// The server's clock on arrival.
    let time: WallTime
    /// The handler's logger.
    let logger: Logger
    /// Limits the memory for bodies.
    let bodies: LoadLimit
    /// What each device's requests keep busy.
    let places: DevicePlaces
    private let allowance: ChangeAllowance
    private let parameters: [String: String]

    init(
        route: Endpoint,
        request: Request,
        context: ServerContext,
        showing: Authenticator.Showing,
        requestID: String,
        time: WallTime,
        guards: RequestGuards
    ) {
        self.route = route
        self.request = request
        credential = showing.credential
        remoteAddress = showing.address
        self.requestID = requestID
        self.time = time
        bodies = guards.bodies
        places = guards.places
        allowance = guards.allowance
        channel = context.channel
        logger = context.logger
        parameters = Dictionary(
            route.parameters.compactMap { name in context.parameters.get(name).map { (name, $0) } },
            uniquingKeysWith: { first, _ in first }
        )
    }

    /// Refuses requests that a page of another origin makes a browser send: the browser adds the login's cookie and the
    /// certificate that it has for this server.
    ///
    /// Browsers say where a request comes from (Fetch Metadata Request Headers, section 2.4). For changes a login's cookie is
    /// not enough either.
    ///
    /// - Throws: `authorization.denied` for another origin's request, and without the login's second token.
    func requireOwnOrigin() throws {
        let site = header("Sec-Fetch-Site") ?? "none"
        guard credential == .none || ["none", "same-origin"].contains(site) || isVisit else {
            throw ProblemDetails(.denied, "Pages of other origins may not call this server.")
        }
        guard case .webSession(let identity) = credential, ![.get, .head].contains(route.method) else { return }
        guard header(OperatorRoutes.csrfField) == identity.csrfToken else {
            throw ProblemDetails(
                .denied,
                "State-changing calls of a web login need its CSRF token in \(OperatorRoutes.csrfField)."
            )
        }
    }

    /// Whether a browser opens a page: by a link, or in a frame if it may be framed.
    private var isVisit: Bool {
        route.method == .get && (header("Sec-Fetch-Dest") == "document" || route == .pickPage)
    }

    /// Counts changes of a device.
    ///
    /// - Throws: `slow_down` if they are too many for today.
    func count(changes: Int) throws(ProblemDetails) {
        try allowance.take(changes, for: credential.deviceID, at: time)
    }

    /// Takes a place for the calling device; nil for an operator, who needs none.
    ///
    /// - Throws: `slow_down` if the device has used up its places.
    func takePlace(_ kind: DevicePlaces.Kind) throws -> DevicePlaces.Place? {
        try places.take(kind, for: credential.deviceID)
    }

    /// Runs something that waits as long as the call asks, but no longer than its credential is valid and its connection
    /// open; `body` gets the time.
    ///
    /// HEAD does not wait. A withdrawn consent closes its device's connections, so that the device makes contact; if it was
    /// withdrawn between the last contact and this wait, this one.
    ///
    /// - Throws: `request.too_slow` once the connection is closed; what `body` throws.
    func wait<Value: Sendable>(
        seconds: Int,
        for admitted: AuthorizedCall,
        _ body: @escaping @Sendable (Duration) async throws -> Value
    ) async throws -> Value {
        guard seconds > 0, request.method != .head else { return try await body(.zero) }
        guard !admitted.hasNewWithdrawals else {
            channel.close(promise: nil)
            throw ConnectionEnd.closed
        }
        var patience = Duration.seconds(seconds)
        if let end = credential.expires, time <= end {
            patience = min(patience, end.duration(since: time) + .milliseconds(1))
        }
        return try await ConnectionEnd.of(channel).run { [patience] in try await body(patience) }
    }

    /// A typed path parameter.
    ///
    /// - Throws: `object.not_found` for an invalid text: an invalid identifier is answered like an unknown one.
    func parameter<Value: LosslessStringConvertible>(_ name: String, as type: Value.Type = Value.self) throws -> Value {
        try parameters[name].flatMap(Value.init).orNotFound()
    }

    /// The first value of a header field; nil if absent.
    func header(_ name: String) -> String? {
        guard let name = HTTPField.Name(name) else { return nil }
        let values = request.headers[values: name]
        return values.isEmpty ? nil : values.joined(separator: ", ")
    }

    /// The names and values of the query.
    ///
    /// - Throws: `request.malformed` for a query that cannot be decoded, or with NUL, which no database takes as text.
    func query() throws -> [(name: String, value: String)] {
        guard let items = PercentEncoding.items(ofQuery: request.uri.query ?? "") else {
            throw ProblemDetails(.malformedRequest, "The query cannot be decoded: percent-encode it as UTF-8.")
        }
        guard !items.contains(where: { $0.value.utf8.contains(0) }) else {
            throw ProblemDetails(.malformedRequest, "The query contains NUL.")
        }
        return items
    }

    /// The route's query.
    ///
    /// - Throws: `request.malformed` naming an unknown or invalid item.
    func query<Query: RouteQuery>(as type: Query.Type) throws -> Query { try Query(items: query()) }
}

extension ProblemDetails {
    /// The single response for objects that do not exist or that the caller may not know of.
    static var notFound: ProblemDetails { ProblemDetails(Denial.notFound) }
}

extension Optional {
    /// What a request names.
    ///
    /// - Throws: `object.not_found` if nil: missing, or hidden from the caller.
    func orNotFound() throws(ProblemDetails) -> Wrapped {
        guard let value = self else { throw .notFound }
        return value
    }
}

extension Call {
    /// Whether the caller accepts a content coding (RFC 9110, section 12.5.3): named, and not with a weight of 0.
    func accepts(coding: String) -> Bool { names(coding, in: "Accept-Encoding", limit: 32) }

    /// Whether the caller accepts a media type (RFC 9110, section 12.5.1), by the most specific matching range; without
    /// the field everything is accepted.
    func accepts(type: String) -> Bool {
        guard let field = header("Accept") else { return true }
        let ranges = weighted(field, limit: 64)
        let names = [type, type.prefix { $0 != "/" } + "/*", "*/*"]
        let best = names.lazy.compactMap { name in ranges.first { $0.name == name } }.first
        return best.map { $0.weight > 0 } ?? false
    }

    /// Whether the caller accepts a media type by name, not only by a wildcard: browsers name the newer picture
    /// formats.
    func names(type: String) -> Bool { names(type, in: "Accept", limit: 64) }

    private func names(_ member: String, in field: String, limit: Int) -> Bool {
        weighted(header(field) ?? "", limit: limit).contains { $0.name == member && $0.weight > 0 }
    }

    /// The members of a list with their weights, 1 if unreadable (RFC 9110, section 12.4.2).
    private func weighted(_ field: String, limit: Int) -> [(name: String, weight: Double)] {
        field.split(separator: ",").prefix(limit).compactMap { member in
            let parts = member.split(separator: ";").map { $0.filter { !$0.isWhitespace }.lowercased() }
            let weight = parts.dropFirst().first { $0.hasPrefix("q=") }.flatMap { Double($0.dropFirst(2)) }
            return parts.first.map { ($0, weight ?? 1) }
        }
    }
}

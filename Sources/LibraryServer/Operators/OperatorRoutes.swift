import Authorization
import DeviceIdentity
import HTTPTypes
import Hummingbird
import LibraryAPI
import LibraryStore
import PhotoModel

/// Operators' certificates, and logins on the web page.
struct OperatorRoutes {
    /// The cookie of a login; its prefix binds it to this host, this path and TLS (RFC 6265bis, section 4.1.3.2).
    static let cookie = "__Host-tintype"
    /// The field that unsafe calls of a login must carry.
    static let csrfField = "Tintype-CSRF"

    let operators: Operators
    let logins: WebLogins
    let passwords: Passwords

    func register(in registry: inout RouteRegistry) throws {
        try registerCertificates(in: &registry)
        try registerLogins(in: &registry)
        try registry.on(.login) { [logins] call, _ in
            let session = try await logins.logIn(
                call.json(limit: 8192),
                userAgent: call.header("User-Agent"),
                call.auditContext
            )
            var response = try Response.json(session.answer)
            let age = WebLogins.sessionLifetime.components.seconds
            response.headers[.setCookie] = Self.cookie(session.secret, maximumAge: age)
            return response
        }
        try registry.on(.logout) { [logins] call, _ in
            if case .webSession(let identity) = call.credential {
                try await logins.end(identity.id, by: call.administrator, on: call.channel)
            }
            var response = Response.noContent
            response.headers[.setCookie] = Self.cookie("", maximumAge: 0)
            return response
        }
    }

    private static func cookie(_ secret: String, maximumAge: Int64) -> String {
        "\(cookie)=\(secret); Path=/; Max-Age=\(maximumAge); Secure; HttpOnly; SameSite=Strict"
    }

    private func registerCertificates(in registry: inout RouteRegistry) throws {
        try registry.on(.adminOperators) { [operators] _, _ in try .json(try await operators.all()) }
        try registry.on(.adminIssueOperator) { [operators] call, _ in
            try .json(try await operators.issue(call.json(), by: call.administrator), status: .created)
        }
        try registry.on(.adminRevokeOperator) { [operators] call, _ in
            try await operators.revoke(call.parameter("id"), by: call.administrator, on: call.channel)
            return .noContent
        }
        try registry.on(.adminSetPassword) { [passwords, logins] call, _ in
            let name = try OperatorName(call.parameter("name")).orNotFound()
            let request: OperatorPassword = try await call.json(limit: 8192)
            try await passwords.set(request.password, of: name.description, by: call.administrator)
            try await logins.endOutdated(of: name.description, by: call.administrator, on: call.channel)
            return .noContent
        }
    }

    private func registerLogins(in registry: inout RouteRegistry) throws {
        try registry.on(.adminWebLogins) { [logins] _, _ in try .json(try await logins.sessions()) }
        try registry.on(.adminCurrentWebLogin) { call, _ in
            guard case .webSession(let identity) = call.credential else {
                // A certificate needs no second token: what another origin's page makes a browser send is refused.
                return try .json(WebLoginResponse(csrfToken: "", name: call.administrator.name, expires: call.time))
            }
            return try .json(
                WebLoginResponse(csrfToken: identity.csrfToken, name: identity.name, expires: identity.expires)
            )
        }
        try registry.on(.adminCreateWebLogin) { [logins] call, _ in
            try .json(try await logins.link(call.json(), by: call.administrator), status: .created)
        }
        try registry.on(.adminEndWebLogin) { [logins] call, _ in
            try await logins.end(call.parameter("id"), by: call.administrator, on: call.channel)
            return .noContent
        }
    }
}

import Authorization
import DeviceIdentity
package import LibraryAPI
import LibraryStore
import NIOCore
import Persistence
package import PhotoModel

/// A stored one-time link or login; the secondary key of its record is the secret's digest.
struct WebLoginDocument: StoredDocument {
    static let kind = RecordKind.webLogin

    /// The operator's name.
    let name: String
    /// Whether it is an unused link.
    let isLink: Bool
    /// The token that unsafe calls must carry besides the cookie.
    let csrfToken: String
    /// The peer's address.
    let address: String?
    let created: WallTime
    /// What the browser calls itself; nil for a link, and for logins made by earlier versions.
    var userAgent: String?
    /// The salt of the password that it was made by; nil for links and logins by a link.
    var passwordSalt: Base64Bytes?
}

/// Logins on the web page: one-time links and passwords become sessions, identified by a cookie.
///
/// Only digests of secrets are stored. A link is consumed in the transaction that creates its session, so that only one
/// of two people with the same link can log in.
struct WebLogins: Sendable {
    static let linkLifetime = Duration.seconds(600)
    static let sessionLifetime = Duration.seconds(12 * 3600)
    /// The most links and logins.
    static let maximumCount = 1000
    /// The most characters kept of what a browser calls itself; browsers take about 120.
    static let maximumUserAgentLength = 256

    let store: any RecordStore
    let passwords: Passwords
    let active: ActiveRequests
    let now: @Sendable () -> WallTime

    /// A session with its cookie's secret.
    struct Session: Sendable {
        let secret: String
        let answer: WebLoginResponse
    }

    /// Creates a one-time link.
    ///
    /// - Throws: `request.malformed` for an invalid name, `slow_down`.
    func link(_ request: WebLinkRequest, by administrator: Devices.Administrator) async throws -> WebLinkResponse {
        let name = request.name ?? administrator.name
        guard 1...64 ~= name.utf8.count, name.utf8.allSatisfy({ 0x21...0x7E ~= $0 }) else {
            throw ProblemDetails(.malformedRequest, "A name has 1 to 64 visible ASCII characters.", field: "name")
        }
        let audit = administrator.audit(.adminLogin, "a one-time link for \(name)", nil)
        let (_, secret, record) = try await keep(name: name, isLink: true, address: nil, userAgent: nil, audit)
        return WebLinkResponse(uri: "/login#\(secret)", expires: record.expires ?? now())
    }

    /// Logs in.
    ///
    /// - Parameters:
    ///   - request: a link's secret, or a name and a password.
    ///   - userAgent: what the browser calls itself; shown in the list of logins.
    ///   - context: the request's origin.
    /// - Returns: the session, with its cookie's secret.
    /// - Throws: `identity.missing`, without the cause; `slow_down` after many wrong passwords, or if several
    ///   come from one address at once.
    func logIn(_ request: WebLoginRequest, userAgent: String?, _ context: AuditContext) async throws -> Session {
        let name: String
        var passwordSalt: Base64Bytes?
        if let secret = request.secret {
            name = try await useLink(secret)
        } else {
            guard let given = request.name, let password = request.password else {
                throw Self.refusedPassword
            }
            // Read before the password is compared: if that is changed meanwhile, the login counts for the one before.
            let salt = try await passwords.salt(of: given)
            guard try await passwords.isRight(password, of: given, from: context.address), let salt else {
                throw Self.refusedPassword
            }
            (name, passwordSalt) = (given, salt)
        }
        let audit = Devices.Administrator(name: name, context: context).audit(.adminLogin, "logged in", nil)
        let browser = userAgent.map {
            String(decoding: $0.utf8.filter { 0x20...0x7E ~= $0 }.prefix(Self.maximumUserAgentLength), as: UTF8.self)
        }
        let (document, secret, record) = try await keep(
            name: name,
            isLink: false,
            address: context.address,
            userAgent: browser,
            passwordSalt: passwordSalt,
            audit
        )
        return Session(
            secret: secret,
            answer: WebLoginResponse(csrfToken: document.csrfToken, name: name, expires: record.expires ?? now())
        )
    }

    /// A cookie's session; nil for an unknown or expired secret, and for a login by an earlier password.
    func session(ofSecret secret: String) async throws -> WebIdentity? {
        let digest = ContentHasher.digest(Array(secret.utf8))
        guard let record = try await store.record(of: .webLogin, withSecondary: digest) else { return nil }
        let document = try WebLoginDocument(record)
        guard !document.isLink, try await isCurrent(document) else { return nil }
        return WebIdentity(
            id: WebSessionID(rawValue: record.id.rawValue),
            name: document.name,
            csrfToken: document.csrfToken,
            expires: record.expires ?? document.created
        )
    }

    /// All valid logins.
    func sessions() async throws -> WebSessionPage {
        var sessions: [WebSessionSummary] = []
        for record in try await store.records(of: .webLogin) {
            let document = try WebLoginDocument(record)
            guard !document.isLink else { continue }
            sessions.append(
                WebSessionSummary(
                    id: WebSessionID(rawValue: record.id.rawValue),
                    name: document.name,
                    address: document.address,
                    created: document.created,
                    expires: record.expires ?? document.created,
                    userAgent: document.userAgent
                )
            )
        }
        return WebSessionPage(sessions: sessions)
    }

    /// Ends a login, and its open requests.
    ///
    /// - Throws: `object.not_found`.
    func end(_ id: WebSessionID, by administrator: Devices.Administrator, on channel: any Channel) async throws {
        let recordID = RecordID(rawValue: id.rawValue)
        guard try await store.record(recordID, of: .webLogin) != nil else { throw ProblemDetails.notFound }
        try await remove(recordID, by: administrator, on: channel)
    }

    /// Ends an operator's logins by earlier passwords, and their open requests.
    func endOutdated(of name: String, by administrator: Devices.Administrator, on channel: any Channel) async throws {
        for record in try await store.records(of: .webLogin) {
            let document = try WebLoginDocument(record)
            guard document.name == name, try await !isCurrent(document) else { continue }
            try await remove(record.id, by: administrator, on: channel)
        }
    }

    private func remove(
        _ id: RecordID,
        by administrator: Devices.Administrator,
        on channel: any Channel
    ) async throws {
        let session = WebSessionID(rawValue: id.rawValue)
        let audit = administrator.audit(.adminLogin, "login \(session) ended", nil)
        _ = try await store.updateRecord(id, of: .webLogin, closing: [.webSession(session)], audit: audit) { _ in nil }
        active.close(.webSession(session), except: channel)
    }

    /// Whether it was made by a link, or by the operator's present password.
    private func isCurrent(_ document: WebLoginDocument) async throws -> Bool {
        guard let used = document.passwordSalt else { return true }
        return try await passwords.salt(of: document.name) == used
    }

    /// The responses to a refused link, and to a refused name and password, whatever the cause.
    private static let refusedLink = ProblemDetails(
        .identityMissing,
        "The link was used or has expired: an operator can make another one with tintypectl web login."
    )
    private static let refusedPassword = ProblemDetails(.identityMissing, "The name or the password is wrong.")

    private func useLink(_ secret: String) async throws -> String {
        let digest = ContentHasher.digest(Array(secret.utf8))
        guard let found = try await store.record(of: .webLogin, withSecondary: digest) else { throw Self.refusedLink }
        let refusal = Self.refusedLink
        _ = try await store.updateRecord(found.id, of: .webLogin, audit: nil) { record in
            guard let record, try WebLoginDocument(record).isLink else { throw refusal }
            return nil
        }
        return try WebLoginDocument(found).name
    }

    private func keep(
        name: String,
        isLink: Bool,
        address: String?,
        userAgent: String?,
        passwordSalt: Base64Bytes? = nil,
        _ audit: AuditEntry.Content
    ) async throws -> (WebLoginDocument, secret: String, StoredRecord) {
        let time = now()
        let id = WebSessionID.version7(at: time)
        let secret = RandomSecret.text()
        let document = WebLoginDocument(
            name: name,
            isLink: isLink,
            csrfToken: RandomSecret.text(),
            address: address,
            created: time,
            userAgent: userAgent,
            passwordSalt: passwordSalt
        )
        let record = StoredRecord(
            id: RecordID(rawValue: id.rawValue),
            secondary: ContentHasher.digest(Array(secret.utf8)),
            expires: time.advanced(by: isLink ? Self.linkLifetime : Self.sessionLifetime),
            document: try document.text()
        )
        // Counted where it is written, so that simultaneous logins do not exceed the maximum together.
        try await store.updateRecords(of: .webLogin, ownedBy: nil) { records in
            guard records.count < Self.maximumCount else {
                throw ProblemDetails(.slowDown, "Too many logins are open: end some.", retryAfterSeconds: 600)
            }
            var changes = RecordChanges()
            changes.written = [record]
            changes.audit = audit
            return changes
        }
        return (document, secret, record)
    }
}

/// The identity of a login's cookie.
package struct WebIdentity: Hashable, Sendable {
    /// The login's identifier.
    package let id: WebSessionID
    /// The operator.
    package let name: String
    /// The token that unsafe calls must carry besides the cookie.
    package let csrfToken: String
    /// When the login expires.
    package let expires: WallTime
}

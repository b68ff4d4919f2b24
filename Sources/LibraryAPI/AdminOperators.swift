package import PhotoModel

/// Requests an operator's certificate; the key stays with the operator.
package struct OperatorRequest: Hashable, Sendable, Codable, ReasonedRequest {
    /// The operator's name: 1 to 64 lower-case letters, digits, dots, dashes and underscores.
    package var name: String
    /// A certificate signing request (PKCS #10, DER); only its key is used.
    package var certificateRequest: Base64Bytes
    /// The certificate's validity in days, 1 to 366; nil for 90.
    package var days: Int?
    /// Why, for the audit.
    package var reason: String?

    /// Describes the request.
    package init(name: String, certificateRequest: [UInt8], days: Int? = nil, reason: String? = nil) {
        self.name = name
        self.certificateRequest = Base64Bytes(certificateRequest)
        self.days = days
        self.reason = reason
    }
}

/// An operator's certificate, as operators list them.
package struct OperatorSummary: Hashable, Sendable, Codable {
    /// The certificate's identifier.
    package var id: OperatorCertificateID
    /// The operator's name.
    package var name: String
    /// SHA-256 of its key; settings identify a proxy by it.
    package var keyFingerprint: ContentDigest
    /// When the certificate expires.
    package var expires: WallTime
    /// Who issued it.
    package var createdBy: String
    /// When.
    package var created: WallTime

    package init(
        id: OperatorCertificateID,
        name: String,
        keyFingerprint: ContentDigest,
        expires: WallTime,
        createdBy: String,
        created: WallTime
    ) {
        self.id = id
        self.name = name
        self.keyFingerprint = keyFingerprint
        self.expires = expires
        self.createdBy = createdBy
        self.created = created
    }
}

/// A new operator's certificate.
package struct OperatorResponse: Hashable, Sendable, Codable {
    /// The certificates, PEM, the operator's own first.
    package var certificateChain: String
    /// Everything but the certificate.
    package var summary: OperatorSummary

    package init(certificateChain: String, summary: OperatorSummary) {
        self.certificateChain = certificateChain
        self.summary = summary
    }
}

/// All valid operator certificates.
package struct OperatorPage: Hashable, Sendable, Codable {
    /// By identifier.
    package var operators: [OperatorSummary]

    package init(operators: [OperatorSummary]) { self.operators = operators }
}

/// Sets the password of an operator's web login; nil removes it.
package struct OperatorPassword: Hashable, Sendable, Codable {
    /// The shortest password, in bytes.
    package static let minimumByteCount = 12
    /// The longest password, in bytes.
    package static let maximumByteCount = 1024

    /// The password.
    package var password: String?

    package init(password: String?) { self.password = password }
}

/// Requests a one-time login link for the web page.
package struct WebLinkRequest: Hashable, Sendable, Codable {
    /// The operator's name; nil for the caller's own.
    package var name: String?

    package init(name: String? = nil) { self.name = name }
}

/// A one-time link; its secret is returned only once.
package struct WebLinkResponse: Hashable, Sendable, Codable {
    /// The path of the page; the part after `#` is secret.
    package var uri: String
    /// When it expires.
    package var expires: WallTime

    package init(uri: String, expires: WallTime) {
        self.uri = uri
        self.expires = expires
    }
}

/// Logs in with a one-time link's secret, or with name and password.
package struct WebLoginRequest: Hashable, Sendable, Codable {
    /// The secret of a one-time link.
    package var secret: String?
    /// The operator's name, used with a password.
    package var name: String?
    /// The operator's password.
    package var password: String?
}

/// A successful login; the cookie is in the header.
package struct WebLoginResponse: Hashable, Sendable, Codable {
    /// The token to send as `Tintype-CSRF` with every state-changing call.
    package var csrfToken: String
    /// Who is logged in.
    package var name: String
    /// When the login expires.
    package var expires: WallTime

    package init(csrfToken: String, name: String, expires: WallTime) {
        self.csrfToken = csrfToken
        self.name = name
        self.expires = expires
    }
}

/// A login on the web page, as operators list them.
package struct WebSessionSummary: Hashable, Sendable, Codable {
    /// The login's identifier.
    package var id: WebSessionID
    /// Who is logged in.
    package var name: String
    /// The peer's address.
    package var address: String?
    /// When it started.
    package var created: WallTime
    /// When it expires.
    package var expires: WallTime
    /// What the browser called itself when it logged in: printable ASCII, at most 256 characters.
    package var userAgent: String?

    package init(
        id: WebSessionID,
        name: String,
        address: String?,
        created: WallTime,
        expires: WallTime,
        userAgent: String? = nil
    ) {
        self.id = id
        self.name = name
        self.address = address
        self.created = created
        self.expires = expires
        self.userAgent = userAgent
    }
}

/// All valid logins.
package struct WebSessionPage: Hashable, Sendable, Codable {
    /// By identifier.
    package var sessions: [WebSessionSummary]

    package init(sessions: [WebSessionSummary]) { self.sessions = sessions }
}

/// Identifies an operator's certificate.
package struct OperatorCertificateID: UniqueIdentifier {
    /// The 128 bits.
    package let rawValue: UInt128
    package init(rawValue: UInt128) { self.rawValue = rawValue }
}

/// Identifies a login on the web page; not a secret.
package struct WebSessionID: UniqueIdentifier {
    /// The 128 bits.
    package let rawValue: UInt128
    package init(rawValue: UInt128) { self.rawValue = rawValue }
}

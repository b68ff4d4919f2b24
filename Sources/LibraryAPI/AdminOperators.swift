package import PhotoModel

/// Asks for an operator's certificate; the key stays with the operator.
package struct OperatorRequest: Hashable, Sendable, Codable {
    /// What the operator is called: 1 to 64 lower-case letters, digits, dots, dashes and underscores.
    package var name: String
    /// A certificate signing request (PKCS #10, DER); of it only the key counts.
    package var certificateRequest: Base64Bytes
    /// Days until the certificate ends: 1 to 366; nil for 90.
    package var days: Int?
    /// Why, for the audit.
    package var reason: String?

    /// Takes the request as it is.
    package init(name: String, certificateRequest: [UInt8], days: Int? = nil, reason: String? = nil) {
        self.name = name
        self.certificateRequest = Base64Bytes(certificateRequest)
        self.days = days
        self.reason = reason
    }
}

/// An operator's certificate, as operators list them.
package struct OperatorSummary: Hashable, Sendable, Codable {
    /// Names the certificate.
    package var id: OperatorCertificateID
    /// What the operator is called.
    package var name: String
    /// SHA-256 of its key; settings name a proxy by it.
    package var keyFingerprint: ContentDigest
    /// When the certificate ends.
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
    /// The rest of it.
    package var summary: OperatorSummary

    package init(certificateChain: String, summary: OperatorSummary) {
        self.certificateChain = certificateChain
        self.summary = summary
    }
}

/// Every operator's certificate that is good.
package struct OperatorPage: Hashable, Sendable, Codable {
    /// By identifier.
    package var operators: [OperatorSummary]

    package init(operators: [OperatorSummary]) { self.operators = operators }
}

/// Sets the password of an operator's web login; nil takes it away.
package struct OperatorPassword: Hashable, Sendable, Codable {
    /// The shortest password, in bytes.
    package static let minimumByteCount = 12
    /// The longest password, in bytes.
    package static let maximumByteCount = 1024

    /// The password.
    package var password: String?

    package init(password: String?) { self.password = password }
}

/// Asks for a one-time link to log in on the web page.
package struct WebLinkRequest: Hashable, Sendable, Codable {
    /// What the operator is called; nil for the caller's own name.
    package var name: String?

    package init(name: String? = nil) { self.name = name }
}

/// A one-time link; its secret is told this once.
package struct WebLinkResponse: Hashable, Sendable, Codable {
    /// The path of the page; what stands behind `#` is a secret.
    package var uri: String
    /// When it is void.
    package var expires: WallTime

    package init(uri: String, expires: WallTime) {
        self.uri = uri
        self.expires = expires
    }
}

/// Logs in: by the secret of a one-time link, or by name and password.
package struct WebLoginRequest: Hashable, Sendable, Codable {
    /// The secret of a one-time link.
    package var secret: String?
    /// The operator's name, with a password.
    package var name: String?
    /// The operator's password.
    package var password: String?

    package init(secret: String? = nil, name: String? = nil, password: String? = nil) {
        self.secret = secret
        self.name = name
        self.password = password
    }
}

/// A login that was let in; the cookie comes in the header.
package struct WebLoginResponse: Hashable, Sendable, Codable {
    /// What the page sends as `Tintype-CSRF` with every call that changes something.
    package var csrfToken: String
    /// Who is logged in.
    package var name: String
    /// When the login ends.
    package var expires: WallTime

    package init(csrfToken: String, name: String, expires: WallTime) {
        self.csrfToken = csrfToken
        self.name = name
        self.expires = expires
    }
}

/// A login on the web page, as operators list them.
package struct WebSessionSummary: Hashable, Sendable, Codable {
    /// Names the login.
    package var id: WebSessionID
    /// Who is logged in.
    package var name: String
    /// Where from.
    package var address: String?
    /// Since when.
    package var created: WallTime
    /// Until when.
    package var expires: WallTime

    package init(id: WebSessionID, name: String, address: String?, created: WallTime, expires: WallTime) {
        self.id = id
        self.name = name
        self.address = address
        self.created = created
        self.expires = expires
    }
}

/// Every login that is good.
package struct WebSessionPage: Hashable, Sendable, Codable {
    /// By identifier.
    package var sessions: [WebSessionSummary]

    package init(sessions: [WebSessionSummary]) { self.sessions = sessions }
}

/// Names one operator's certificate.
package struct OperatorCertificateID: UniqueIdentifier {
    /// The 128 bits.
    package let rawValue: UInt128
    /// Wraps the bits as they are.
    package init(rawValue: UInt128) { self.rawValue = rawValue }
}

/// Names one login on the web page; it is no secret.
package struct WebSessionID: UniqueIdentifier {
    /// The 128 bits.
    package let rawValue: UInt128
    /// Wraps the bits as they are.
    package init(rawValue: UInt128) { self.rawValue = rawValue }
}

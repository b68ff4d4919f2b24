package import PhotoModel

/// Requests an enrolment token: what its devices may do, and how long it is valid.
package struct EnrollmentTokenRequest: Hashable, Sendable, Codable, ReasonedRequest {
    /// The most its devices may do, which is also granted to them: `addOnly`, `limited` or `readWrite`.
    package var maximum: String
    /// The title of the album their assets join.
    package var album: String?
    /// How many devices it admits.
    package var uses: Int
    /// Seconds until it expires.
    package var expiresSeconds: Int64
    /// Why, for the audit.
    package var reason: String?
    /// The tags its devices get, which determine their ceilings.
    package var tags: [String]?

    package init(
        maximum: String,
        album: String? = nil,
        uses: Int = 1,
        expiresSeconds: Int64 = 86_400,
        reason: String? = nil,
        tags: [String]? = nil
    ) {
        self.maximum = maximum
        self.album = album
        self.uses = uses
        self.expiresSeconds = expiresSeconds
        self.reason = reason
        self.tags = tags
    }
}

/// An enrolment token without its secret.
package struct EnrollmentTokenSummary: Hashable, Sendable, Codable {
    /// The token's identifier.
    package var id: EnrollmentTokenID
    /// The most its devices may do.
    package var maximum: String
    /// The title of the album their assets join.
    package var album: String?
    /// How many devices it admits.
    package var uses: Int
    /// How many devices it still admits.
    package var usesLeft: Int
    /// When it expires.
    package var expires: WallTime
    /// Who created it.
    package var createdBy: String
    /// When.
    package var created: WallTime
    /// Why.
    package var reason: String
    /// The tags its devices get.
    package var tags: [String]

    /// Takes the parts.
    package init(
        id: EnrollmentTokenID,
        request: EnrollmentTokenRequest,
        usesLeft: Int,
        expires: WallTime,
        createdBy: String,
        created: WallTime
    ) {
        self.id = id
        maximum = request.maximum
        album = request.album
        uses = request.uses
        self.usesLeft = usesLeft
        self.expires = expires
        self.createdBy = createdBy
        self.created = created
        reason = request.reason ?? ""
        tags = request.tags ?? []
    }
}

/// A new token; its secret is returned only once.
package struct EnrollmentTokenResponse: Hashable, Sendable, Codable {
    /// The text to give to the box: the authority to pin and the secret.
    package var token: String
    /// Everything but the secret.
    package var summary: EnrollmentTokenSummary
    /// The address by which boxes reach the server, if known.
    package var address: String?

    package init(token: String, summary: EnrollmentTokenSummary, address: String? = nil) {
        self.token = token
        self.summary = summary
        self.address = address
    }
}

/// All valid tokens.
package struct EnrollmentTokenPage: Hashable, Sendable, Codable {
    /// By identifier.
    package var tokens: [EnrollmentTokenSummary]

    package init(tokens: [EnrollmentTokenSummary]) { self.tokens = tokens }
}

/// Identifies an enrolment token; not a secret.
package struct EnrollmentTokenID: UniqueIdentifier {
    /// The 128 bits.
    package let rawValue: UInt128
    package init(rawValue: UInt128) { self.rawValue = rawValue }
}

package import PhotoModel

/// Asks for an enrolment token: what its devices may do, and for how long it is good.
package struct EnrollmentTokenRequest: Hashable, Sendable, Codable {
    /// The most that its devices may do, which is also decided for them: `addOnly`, `limited` or `readWrite`.
    package var maximum: String
    /// The title of the album that their assets go to.
    package var album: String?
    /// How many devices it admits.
    package var uses: Int
    /// Seconds until it is void.
    package var expiresSeconds: Int64
    /// Why, for the audit.
    package var reason: String?
    /// The tags that its devices get, by which ceilings hold for them.
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
    /// Names the token.
    package var id: EnrollmentTokenID
    /// The most that its devices may do.
    package var maximum: String
    /// The title of the album that their assets go to.
    package var album: String?
    /// How many devices it admits.
    package var uses: Int
    /// How many it still admits.
    package var usesLeft: Int
    /// When it is void.
    package var expires: WallTime
    /// Who made it.
    package var createdBy: String
    /// When.
    package var created: WallTime
    /// Why.
    package var reason: String
    /// The tags that its devices get.
    package var tags: [String]

    /// Takes the parts as they are.
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

/// A new token; its secret is told this once.
package struct EnrollmentTokenResponse: Hashable, Sendable, Codable {
    /// What the box is given: the authority to pin and the secret.
    package var token: String
    /// The rest of it.
    package var summary: EnrollmentTokenSummary
    /// How boxes reach the server, as far as it knows; nil where it does not.
    package var address: String?

    package init(token: String, summary: EnrollmentTokenSummary, address: String? = nil) {
        self.token = token
        self.summary = summary
        self.address = address
    }
}

/// Every token that is still good.
package struct EnrollmentTokenPage: Hashable, Sendable, Codable {
    /// By identifier.
    package var tokens: [EnrollmentTokenSummary]

    package init(tokens: [EnrollmentTokenSummary]) { self.tokens = tokens }
}

/// Names one enrolment token; it is no secret.
package struct EnrollmentTokenID: UniqueIdentifier {
    /// The 128 bits.
    package let rawValue: UInt128
    /// Wraps the bits as they are.
    package init(rawValue: UInt128) { self.rawValue = rawValue }
}

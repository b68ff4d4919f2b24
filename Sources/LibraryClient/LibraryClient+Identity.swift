package import LibraryAPI

extension LibraryClient {
    /// The authority's certificates and the keys that sign receipts; what is fetched from a server that is not pinned yet
    /// must be held against a fingerprint before it is believed.
    package func authority() async throws(LibraryClientError) -> AuthorityResponse {
        try await call(.authority)
    }

    /// Asks to become a device; sending the same request again gives the same answer.
    package func enroll(_ request: EnrollmentRequest) async throws(LibraryClientError) -> EnrollmentResponse {
        try await call(.enroll, body: request)
    }

    /// How an enrolment stands.
    package func enrollment(_ id: EnrollmentID) async throws(LibraryClientError) -> EnrollmentResponse {
        try await call(.enrollment, [id])
    }

    /// A new certificate for the same key.
    package func renew(_ renewal: CertificateRenewal) async throws(LibraryClientError) -> CertificateResponse {
        try await call(.renewIdentity, body: renewal)
    }

    /// A certificate for a new key, which the old one vouches for.
    package func rotate(_ renewal: CertificateRenewal) async throws(LibraryClientError) -> CertificateResponse {
        try await call(.rotateIdentity, body: renewal)
    }

    /// Says that the device has erased itself, as it was asked to.
    package func confirmWipe() async throws(LibraryClientError) {
        try await perform(.identityWiped)
    }

    /// Whether the device is wanted, revoked, or to be wiped.
    package func identityState() async throws(LibraryClientError) -> IdentityState {
        try await call(.identityState)
    }

    /// What the device may do.
    package func authorization() async throws(LibraryClientError) -> AuthorizationResponse {
        try await call(.authorization)
    }

    /// What the device may do, as soon as it is something else.
    ///
    /// - Parameters:
    ///   - version: the version of the grant that is known.
    ///   - waitSeconds: how long the server may wait for another one, 0 to `APILimits.changeWaitSeconds`.
    /// - Returns: the answer, with the known version when the time is over.
    /// - Throws: no answer, which is also how a decision ends the wait, or a refusal.
    package func authorization(
        after version: UInt64,
        waitSeconds: Int
    ) async throws(LibraryClientError) -> AuthorizationResponse {
        let query = [(name: "after", value: "\(version)"), (name: "wait", value: "\(waitSeconds)")]
        var request = try request(.authorization, [], query: query)
        request.timeout = timeout + .seconds(waitSeconds)
        return try decode(try await send(request), as: AuthorizationResponse.self)
    }

    /// Asks for a level; while a question is open no second one is opened.
    package func requestAuthorization(
        _ request: AuthorizationRequest
    ) async throws(LibraryClientError) -> AuthorizationResponse {
        try await call(.requestAuthorization, body: request)
    }

    /// The contact that opens every sync.
    package func heartbeat(_ request: HeartbeatRequest) async throws(LibraryClientError) -> HeartbeatResponse {
        try await call(.heartbeat, body: request)
    }
}

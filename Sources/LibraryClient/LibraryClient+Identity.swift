package import LibraryAPI

extension LibraryClient {
    /// The authority's certificates and the receipt keys; from a server not yet pinned, compare them with a fingerprint
    /// before trusting them.
    package func authority() async throws(LibraryClientError) -> AuthorityResponse {
        try await call(.authority)
    }

    /// Requests enrolment; repeating the same request returns the same response.
    package func enroll(_ request: EnrollmentRequest) async throws(LibraryClientError) -> EnrollmentResponse {
        try await call(.enroll, body: request)
    }

    /// The status of an enrolment.
    package func enrollment(_ id: EnrollmentID) async throws(LibraryClientError) -> EnrollmentResponse {
        try await call(.enrollment, [id])
    }

    /// A new certificate for the same key.
    package func renew(_ renewal: CertificateRenewal) async throws(LibraryClientError) -> CertificateResponse {
        try await call(.renewIdentity, body: renewal)
    }

    /// A certificate for a new key, vouched for by the old one.
    package func rotate(_ renewal: CertificateRenewal) async throws(LibraryClientError) -> CertificateResponse {
        try await call(.rotateIdentity, body: renewal)
    }

    /// Confirms that the device has erased itself, as told.
    package func confirmWipe() async throws(LibraryClientError) { try await perform(.identityWiped) }

    /// Whether the device is wanted, revoked, or to be wiped.
    package func identityState() async throws(LibraryClientError) -> IdentityState {
        try await call(.identityState)
    }

    /// The device's authorization.
    package func authorization() async throws(LibraryClientError) -> AuthorizationResponse {
        try await call(.authorization)
    }

    /// Long-polls for a change of the device's authorization.
    ///
    /// - Parameters:
    ///   - version: the known version of the grant.
    ///   - waitSeconds: how long the server may wait for another version, 0 to `APILimits.changeWaitSeconds`.
    /// - Returns: the response, with the known version on timeout.
    /// - Throws: no response, which is also how a decision ends the wait, or a refusal.
    package func authorization(
        after version: UInt64,
        waitSeconds: Int
    ) async throws(LibraryClientError) -> AuthorizationResponse {
        let query = AuthorizationQuery(after: version, wait: waitSeconds)
        var request = try request(.authorization, [], query: query.items)
        request.timeout = timeout + .seconds(waitSeconds)
        // A closed connection is news, which a wait on another one would miss.
        request.isSentOnce = waitSeconds > 0
        return try decode(try await send(request), as: AuthorizationResponse.self)
    }

    /// Requests a level; repeating it while a request is open does not open another one.
    package func requestAuthorization(
        _ request: AuthorizationRequest
    ) async throws(LibraryClientError) -> AuthorizationResponse {
        try await call(.requestAuthorization, body: request)
    }

    /// The contact that opens every sync.
    package func contact(_ request: ContactRequest) async throws(LibraryClientError) -> ContactResponse {
        try await call(.contact, body: request)
    }
}

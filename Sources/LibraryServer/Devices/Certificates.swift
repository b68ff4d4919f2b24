import Authorization
import DeviceIdentity
import LibraryAPI
import LibraryStore
import PhotoModel

/// Issues devices new certificates: for the same key, or for a new one vouched for by the old one.
struct Certificates: Sendable {
    /// How long after expiry a device may renew without approval: 365 days.
    static let offlineGrace = Duration.seconds(365 * 86_400)

    let store: any DeviceStore
    let authority: CertificateAuthority
    let now: @Sendable () -> WallTime

    /// Issues a certificate for the device's current key.
    ///
    /// - Throws: `request.malformed` if the request is for another key, `identity.missing` if the key was replaced since.
    func renew(
        _ renewal: CertificateRenewal,
        of device: DeviceID,
        showing certificate: IdentityCertificate
    ) async throws -> CertificateResponse {
        let request = try SigningRequest(der: renewal.certificateRequest.bytes)
        guard request.keyFingerprint == certificate.keyFingerprint else {
            throw ProblemDetails(.malformedRequest, "A renewal keeps the key: rotate to change it.")
        }
        try await noteLongAbsence(of: device, certificate)
        return try await issue(to: device, request, event: .renew, isCurrent: true, showing: certificate)
    }

    /// Issues a certificate for a new key; both keys are valid until the new one is first used.
    ///
    /// - Throws: `request.malformed` if the old key did not sign the request, `enroll.conflict` for a key in use,
    ///   `identity.missing` if the old key was replaced since.
    func rotate(
        _ renewal: CertificateRenewal,
        of device: DeviceID,
        showing certificate: IdentityCertificate
    ) async throws -> CertificateResponse {
        let request = try SigningRequest(der: renewal.certificateRequest.bytes)
        guard let proof = renewal.proof,
            certificate.isValidSignature(proof.bytes, for: renewal.certificateRequest.bytes)
        else {
            throw ProblemDetails(.malformedRequest, "The old key must sign the request: ECDSA over SHA-256, in DER.")
        }
        if let owner = try await store.device(withKey: request.keyFingerprint.digest),
            owner.record.device != device || owner.key.isCurrent
        {
            throw ProblemDetails(.enrollmentConflict, "The key is already in use: generate a new one.")
        }
        try await noteLongAbsence(of: device, certificate)
        return try await issue(to: device, request, event: .rotate, isCurrent: false, showing: certificate)
    }

    private func issue(
        to device: DeviceID,
        _ request: SigningRequest,
        event: AuditEvent,
        isCurrent: Bool,
        showing shown: IdentityCertificate
    ) async throws -> CertificateResponse {
        let certificate = try authority.certificate(for: request, identity: .device(device), at: now())
        try await store.setKey(
            of: device,
            to: DeviceKeyRecord(
                fingerprint: request.keyFingerprint.digest,
                certificateExpires: certificate.notAfter,
                isCurrent: isCurrent
            ),
            showing: shown.keyFingerprint.digest,
            audit: .init(event, of: device, AuditContext(fingerprint: request.keyFingerprint.description))
        )
        return CertificateResponse(certificateChain: authority.chain(of: certificate))
    }

    /// A device absent for longer than the grace period waits for an administrator again; its decisions are kept.
    private func noteLongAbsence(of device: DeviceID, _ certificate: IdentityCertificate) async throws {
        guard certificate.notAfter.advanced(by: Self.offlineGrace) < now() else { return }
        _ = try await store.decide(
            device,
            .state(.graceExpired),
            by: .device(device),
            reason: "away for longer than \(Self.offlineGrace)",
            audit: AuditContext(fingerprint: certificate.keyFingerprint.description)
        )
    }
}

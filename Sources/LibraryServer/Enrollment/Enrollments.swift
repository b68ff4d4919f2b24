import Authorization
import DeviceIdentity
import LibraryAPI
import LibraryStore
import PhotoModel

/// Turns signing requests into devices.
///
/// Every step finds the results of earlier steps, so that a request whose response was lost can be repeated: the
/// enrolment and the token know the signing request by its digest, the device its identifier through the enrolment.
struct Enrollments: Sendable {
    /// Seconds between a pending box's requests.
    static let pollSeconds = 10

    let store: any DeviceStore & RecordStore
    let authority: CertificateAuthority
    let settings: EnrollmentSettings
    let now: @Sendable () -> WallTime

    /// Handles a request.
    ///
    /// - Returns: a certificate at once if a token admits it, else the code to compare while it waits.
    /// - Throws: problems of the signing request, `enroll.token_invalid`, `enroll.conflict` for another device's key,
    ///   `usage.missing`, `slow_down`.
    func enroll(_ request: EnrollmentRequest, from origin: AuditContext) async throws -> EnrollmentResponse {
        let signingRequest = try SigningRequest(der: request.certificateRequest.bytes)
        try Self.checkTexts(of: request)
        let id = EnrollmentID.derived(from: signingRequest.fingerprint.digest)
        let forgotten = try await forgottenDevice(of: signingRequest, id)
        let known = try await enrollment(id)
        var device = forgotten
        if let known { device = try await store.device(known.deviceID) }
        // A token admits nobody about whom something is decided already: it keeps its use.
        let token = try await device?.record.isUndecided ?? true ? useToken(request.token, for: signingRequest) : nil
        guard token != nil || settings.isOpen || known != nil || forgotten != nil else {
            throw ProblemDetails(
                .enrollmentTokenInvalid,
                "This library admits devices by token only: tintypectl enrollment-token create."
            )
        }
        let document = try await keep(id, signingRequest, of: forgotten, using: token, from: origin)
        // Whom a token admits does not wait for a decision.
        let pendingLimit = token == nil ? settings.pendingDeviceCount : .max
        try await addDevice(for: request, id, document, signingRequest, pendingLimit: pendingLimit, origin)
        if let token { try await admit(document.deviceID, by: token, asking: request.levels, origin) }
        return try await answer(id, document)
    }

    /// The status of an enrolment.
    ///
    /// The identifier is derived from the signing request's digest, which only its sender and the server know. While a
    /// box waits and asks, its enrolment is kept.
    ///
    /// - Throws: `object.not_found`.
    func status(of id: EnrollmentID) async throws -> EnrollmentResponse {
        let record = try await store.record(RecordID(rawValue: id.rawValue), of: .enrollment).orNotFound()
        let answer = try await answer(id, EnrollmentDocument(record))
        let time = now()
        let due = time.advanced(by: EnrollmentDocument.lifetime / 2)
        if answer.state == .pending, record.expires.map({ $0 < due }) ?? false {
            _ = try await store.updateRecord(record.id, of: .enrollment, audit: nil) { known in
                var known = known
                known?.expires = time.advanced(by: EnrollmentDocument.lifetime)
                return known
            }
        }
        return answer
    }

    /// The device of a key whose enrolment has expired before it got a certificate: it waits, or was decided about
    /// meanwhile.
    ///
    /// The signing request proves that its sender has the key. A key that has had a certificate renews it instead: an
    /// old signing request brings nothing back.
    ///
    /// - Throws: `enroll.conflict` if the key belongs to a device that another signing request enrolled, or had a
    ///   certificate.
    private func forgottenDevice(of request: SigningRequest, _ id: EnrollmentID) async throws -> DeviceRow? {
        guard let owner = try await store.device(withKey: request.keyFingerprint.digest),
            let row = try await store.device(owner.record.device)
        else { return nil }
        let device = row.record.device
        let key = EnrollmentDocument.secondary(of: device)
        if let record = try await store.record(of: .enrollment, withSecondary: key) {
            guard record.id.rawValue == id.rawValue else { throw Self.keyTaken(by: device) }
            return nil
        }
        // Without a certificate the key has the time of the enrolment, which the profile may have rounded.
        guard owner.key.certificateExpires < row.profile.enrolled.advanced(by: .seconds(1)) else {
            throw Self.keyTaken(by: device)
        }
        return row
    }

    private func enrollment(_ id: EnrollmentID) async throws -> EnrollmentDocument? {
        guard let record = try await store.record(RecordID(rawValue: id.rawValue), of: .enrollment) else { return nil }
        return try EnrollmentDocument(record)
    }

    private static func checkTexts(of request: EnrollmentRequest) throws {
        guard request.name.utf8.count <= APILimits.deviceNameByteCount,
            request.build.utf8.count <= APILimits.deviceNameByteCount, request.hardwareHints?.count ?? 0 <= 16,
            request.hardwareHints?.allSatisfy({ $0.utf8.count <= 128 }) ?? true
        else {
            throw ProblemDetails(.tooLarge, "Name, build and hints have limits: see /v1/openapi.yaml.", field: "name")
        }
        let texts = [(AccessLevel.addOnly, request.usage.add), (.readWrite, request.usage.readWrite)]
        // Also a text for a level that is not asked for: operators are shown it.
        for (level, text) in texts where text != nil || request.levels.contains(level.rawValue) {
            do {
                _ = try UsageText(text ?? "")
            } catch {
                throw ProblemDetails(
                    .usageMissing,
                    "The usage text for \(level.rawValue) \(error.rawValue): say why the device needs it.",
                    field: level == .addOnly ? "usage.add" : "usage.readWrite"
                )
            }
        }
    }

    /// The enrolment of a signing request, stored if it is the first one.
    ///
    /// It outlives its token, which admits a signing request that it knows without counting it: forgotten earlier, the
    /// enrolment would become another device once its key was rotated, whatever was decided about the first one.
    private func keep(
        _ id: EnrollmentID,
        _ signingRequest: SigningRequest,
        of forgotten: DeviceRow?,
        using token: EnrollmentTokenDocument?,
        from origin: AuditContext
    ) async throws -> EnrollmentDocument {
        let time = now()
        let expires = max(time, token?.expires ?? time).advanced(by: EnrollmentDocument.lifetime)
        var generator = SystemRandomNumberGenerator()
        let fresh = EnrollmentDocument(
            signingRequest: Base64Bytes(signingRequest.der),
            deviceID: forgotten?.record.device ?? .random(using: &generator),
            nonce: Base64Bytes(RandomSecret.bytes()),
            address: origin.address
        )
        let text = try fresh.text()
        let kept = try await store.updateRecord(RecordID(rawValue: id.rawValue), of: .enrollment, audit: nil) { known in
            guard var known else {
                return StoredRecord(
                    id: RecordID(rawValue: id.rawValue),
                    secondary: EnrollmentDocument.secondary(of: fresh.deviceID),
                    expires: expires,
                    document: text
                )
            }
            if token != nil { known.expires = known.expires.map { max($0, expires) } }
            return known
        }
        return try kept.map(EnrollmentDocument.init) ?? fresh
    }

    private func addDevice(
        for request: EnrollmentRequest,
        _ id: EnrollmentID,
        _ document: EnrollmentDocument,
        _ signingRequest: SigningRequest,
        pendingLimit: Int,
        _ origin: AuditContext
    ) async throws {
        guard try await store.device(document.deviceID) == nil else { return }
        let time = now()
        var audit = AuditEntry.Content(.enrol, of: document.deviceID, origin)
        audit.fingerprint = signingRequest.keyFingerprint.description
        audit.new = request.name
        let addition = try await store.addDevice(
            document.deviceID,
            profile: DeviceProfile(
                name: request.name,
                build: request.build,
                hardwareHints: request.hardwareHints ?? [],
                usage: request.usage,
                enrolled: time
            ),
            key: DeviceKeyRecord(
                fingerprint: signingRequest.keyFingerprint.digest,
                certificateExpires: time,
                isCurrent: true
            ),
            ceiling: Ceilings.ceiling,
            pendingLimit: pendingLimit,
            audit: audit
        )
        let refusal: ProblemDetails
        switch addition {
        case .added, .known: return
        case .keyTaken(let owner): refusal = Self.keyTaken(by: owner)
        case .tooManyPending(let count):
            refusal = ProblemDetails(
                .slowDown,
                "\(count) devices are already waiting for a decision: an administrator can run tintypectl device list.",
                retryAfterSeconds: 3600
            )
        }
        // Strangers could fill the disk with enrolments that became no device.
        _ = try await store.updateRecord(RecordID(rawValue: id.rawValue), of: .enrollment, audit: nil) { _ in nil }
        throw refusal
    }

    private static func keyTaken(by owner: DeviceID) -> ProblemDetails {
        ProblemDetails(
            .enrollmentConflict,
            "The key belongs to device \(owner): renew its certificate, or generate a new key."
        )
    }

    /// Applies the token's decision once, with its tags and album; later decisions stand, whatever is repeated.
    private func admit(
        _ device: DeviceID,
        by token: EnrollmentTokenDocument,
        asking levels: [String],
        _ origin: AuditContext
    ) async throws {
        let decision = token.decision(for: Set(levels.compactMap(AccessLevel.init(rawValue:))))
        try await store.admit(
            device,
            DeviceAdmission(
                decision.answer,
                for: decision.levels,
                tags: token.request.tags ?? [],
                album: token.request.album
            ),
            ceiling: Ceilings.ceiling,
            by: .administrator(token.createdBy),
            reason: "enrolment token",
            audit: origin
        )
    }

    /// The enrolment's current status; an approved device gets its certificate here.
    private func answer(_ id: EnrollmentID, _ document: EnrollmentDocument) async throws -> EnrollmentResponse {
        let signingRequest = try SigningRequest(der: document.signingRequest.bytes)
        let code = document.verificationCode(of: signingRequest.keyFingerprint).description
        guard let row = try await store.device(document.deviceID) else {
            return EnrollmentResponse(id: id, state: .expired)
        }
        switch row.record.state {
        case .revoked: return EnrollmentResponse(id: id, state: .refused)
        case .pending:
            return EnrollmentResponse(
                id: id,
                state: .pending,
                verificationCode: code,
                intervalSeconds: Self.pollSeconds
            )
        case .active, .draining, .suspect:
            return EnrollmentResponse(
                id: id,
                state: .active,
                deviceID: document.deviceID,
                verificationCode: code,
                certificateChain: try await certificateChain(id, document, signingRequest)
            )
        }
    }

    /// The enrolment's certificate: issued once, and returned on every repetition.
    private func certificateChain(
        _ id: EnrollmentID,
        _ document: EnrollmentDocument,
        _ signingRequest: SigningRequest
    ) async throws -> String {
        if let chain = document.certificateChain { return chain }
        let certificate = try authority.certificate(
            for: signingRequest,
            identity: .device(document.deviceID),
            at: now()
        )
        let chain = authority.chain(of: certificate)
        let kept = try await store.updateRecord(RecordID(rawValue: id.rawValue), of: .enrollment, audit: nil) { known in
            guard var record = known else { return nil }
            var document = try EnrollmentDocument(record)
            if document.certificateChain == nil { document.certificateChain = chain }
            record.document = try document.text()
            return record
        }
        let final = try kept.map(EnrollmentDocument.init)?.certificateChain ?? chain
        try await store.setKey(
            of: document.deviceID,
            to: DeviceKeyRecord(
                fingerprint: signingRequest.keyFingerprint.digest,
                certificateExpires: try IdentityCertificate(pem: final).notAfter,
                isCurrent: true
            ),
            showing: signingRequest.keyFingerprint.digest,
            audit: .init(
                .renew,
                of: document.deviceID,
                AuditContext(fingerprint: signingRequest.keyFingerprint.description)
            )
        )
        return final
    }
}

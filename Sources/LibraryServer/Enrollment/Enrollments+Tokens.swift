import Authorization
import DeviceIdentity
import LibraryAPI
import LibraryStore
import PhotoModel

struct EnrollmentSettings: Sendable {
    /// Whether boxes without a token may enrol.
    let isOpen: Bool
    /// The most pending devices.
    let pendingDeviceCount: Int
}

extension Enrollments {
    /// The most devices per token.
    static let maximumTokenUses = 10_000
    /// The longest lifetime of a token: 90 days.
    static let maximumTokenSeconds: Int64 = 90 * 86_400

    /// Consumes one use of a token; repeating the same signing request consumes nothing.
    ///
    /// It happens in a single transaction, so that of two devices competing for a token's last use exactly one wins.
    ///
    /// - Parameters:
    ///   - text: a whole token, or just its secret; nil for none.
    ///   - request: the device's signing request.
    /// - Returns: the token; nil if none was presented.
    /// - Throws: `enroll.token_invalid`, the same for an unknown, exhausted or expired one.
    func useToken(_ text: String?, for request: SigningRequest) async throws -> EnrollmentTokenDocument? {
        guard let text else { return nil }
        let refusal = ProblemDetails(
            .enrollmentTokenInvalid,
            "The token is unknown, used up or expired: an administrator can create another with "
                + "tintypectl enrollment-token create."
        )
        guard let secret = EnrollmentToken(text)?.secret ?? EnrollmentToken.secret(text),
            let found = try await store.record(
                of: .enrollmentToken,
                withSecondary: EnrollmentToken.digest(of: secret).digest
            )
        else { throw refusal }
        let time = now()
        let used = try await store.updateRecord(found.id, of: .enrollmentToken, audit: nil) { record in
            guard var record else { throw refusal }
            var token = try EnrollmentTokenDocument(record)
            guard !token.usedBy.contains(request.fingerprint.digest) else { return record }
            guard let expires = record.expires, time < expires, token.usedBy.count < token.request.uses else {
                throw refusal
            }
            token.usedBy.insert(request.fingerprint.digest)
            record.document = try token.text()
            return record
        }
        return try used.map(EnrollmentTokenDocument.init)
    }

    /// Creates a token.
    ///
    /// - Throws: `request.malformed` for values out of range.
    func createToken(
        _ request: EnrollmentTokenRequest,
        by administrator: Devices.Administrator
    ) async throws -> EnrollmentTokenResponse {
        guard let maximum = Ceiling.Limit(rawValue: request.maximum), maximum != .none,
            1...Self.maximumTokenUses ~= request.uses, 1...Self.maximumTokenSeconds ~= request.expiresSeconds,
            request.album.map({ AlbumEdit(title: $0).problem == nil }) ?? true,
            Devices.areTags(request.tags ?? [])
        else {
            throw ProblemDetails(
                .malformedRequest,
                "A token has a maximum of addOnly, limited or readWrite, 1 to \(Self.maximumTokenUses) uses and "
                    + "1 to \(Self.maximumTokenSeconds) seconds."
            )
        }
        var generator = SystemRandomNumberGenerator()
        let token = EnrollmentToken(authority: authority.root.fingerprint, using: &generator)
        let time = now()
        let id = EnrollmentTokenID.version7(at: time)
        let document = EnrollmentTokenDocument(request: request, createdBy: administrator.name, created: time)
        let record = StoredRecord(
            id: RecordID(rawValue: id.rawValue),
            secondary: EnrollmentToken.digest(of: token.secret).digest,
            expires: time.advanced(by: .seconds(request.expiresSeconds)),
            document: try document.text()
        )
        let rights = "\(request.maximum), for \(request.uses) \(request.uses == 1 ? "device" : "devices")"
        let audit = administrator.audit(.policyChange, "enrolment token \(id): \(rights)", request.reason)
        _ = try await store.updateRecord(record.id, of: .enrollmentToken, audit: audit) { _ in record }
        return EnrollmentTokenResponse(
            token: token.description,
            summary: document.summary(id: id, expires: record.expires ?? time)
        )
    }

    /// All valid tokens.
    func tokens() async throws -> EnrollmentTokenPage {
        let records = try await store.records(of: .enrollmentToken)
        return EnrollmentTokenPage(
            tokens: try records.map { record in
                try EnrollmentTokenDocument(record).summary(
                    id: EnrollmentTokenID(rawValue: record.id.rawValue),
                    expires: record.expires ?? now()
                )
            }
        )
    }

    /// Withdraws a token; devices it admitted stay.
    ///
    /// - Throws: `object.not_found`.
    func withdrawToken(_ id: EnrollmentTokenID, by administrator: Devices.Administrator) async throws {
        let recordID = RecordID(rawValue: id.rawValue)
        guard try await store.record(recordID, of: .enrollmentToken) != nil else { throw ProblemDetails.notFound }
        let audit = administrator.audit(.policyChange, "enrolment token \(id): withdrawn", nil)
        _ = try await store.updateRecord(recordID, of: .enrollmentToken, audit: audit) { _ in nil }
    }
}

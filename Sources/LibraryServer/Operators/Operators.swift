import Authorization
import DeviceIdentity
import LibraryAPI
import LibraryStore
import NIOCore
import PhotoModel

/// A stored operator certificate; the secondary key of its record is the key's digest.
struct OperatorDocument: StoredDocument {
    static let kind = RecordKind.operatorAccount

    let name: String
    let keyFingerprint: ContentDigest
    let createdBy: String
    let created: WallTime
}

/// Issues and revokes operators' certificates.
struct Operators: Sendable {
    /// The longest validity of a certificate, in days.
    static let maximumDays = 366
    /// The default validity of a certificate, in days.
    static let standardDays = 90

    let store: any DeviceStore & RecordStore
    let authority: CertificateAuthority
    let active: ActiveRequests
    let now: @Sendable () -> WallTime

    /// Issues a certificate.
    ///
    /// - Throws: `request.malformed` for an invalid name or validity, `enroll.conflict` for a key in use.
    func issue(_ request: OperatorRequest, by administrator: Devices.Administrator) async throws -> OperatorResponse {
        let days = request.days ?? Self.standardDays
        guard let name = OperatorName(request.name), 1...Self.maximumDays ~= days else {
            throw ProblemDetails(
                .malformedRequest,
                "An operator's name has lower-case letters, digits, dots, dashes and underscores, and begins with a "
                    + "letter; the certificate lasts 1 to \(Self.maximumDays) days.",
                field: "name"
            )
        }
        let signingRequest = try SigningRequest(der: request.certificateRequest.bytes)
        let key = signingRequest.keyFingerprint.digest
        let isTaken = try await store.record(of: .operatorAccount, withSecondary: key) != nil
        let isDevice = try await store.device(withKey: key) != nil
        guard !isTaken, !isDevice else {
            throw ProblemDetails(.enrollmentConflict, "The key is already in use: generate a new one.")
        }
        let time = now()
        let certificate = try authority.certificate(
            for: signingRequest,
            identity: .operator(name),
            at: time,
            lifetime: .seconds(days * 86_400)
        )
        let id = OperatorCertificateID.version7(at: time)
        let document = OperatorDocument(
            name: name.description,
            keyFingerprint: key,
            createdBy: administrator.name,
            created: time
        )
        let record = StoredRecord(
            id: RecordID(rawValue: id.rawValue),
            secondary: key,
            expires: certificate.notAfter,
            document: try document.text()
        )
        let audit = administrator.audit(.policyChange, "operator \(name) gets a certificate", request.reason)
        _ = try await store.updateRecord(record.id, of: .operatorAccount, audit: audit) { _ in record }
        return OperatorResponse(
            certificateChain: authority.chain(of: certificate),
            summary: Self.summary(record, document)
        )
    }

    /// All valid certificates.
    func all() async throws -> OperatorPage {
        OperatorPage(
            operators: try await store.records(of: .operatorAccount).map { record in
                Self.summary(record, try OperatorDocument(record))
            }
        )
    }

    /// Revokes a certificate, and ends its open requests.
    ///
    /// - Throws: `object.not_found`.
    func revoke(
        _ id: OperatorCertificateID,
        by administrator: Devices.Administrator,
        on channel: any Channel
    ) async throws {
        let recordID = RecordID(rawValue: id.rawValue)
        let record = try await store.record(recordID, of: .operatorAccount).orNotFound()
        let document = try OperatorDocument(record)
        let audit = administrator.audit(.policyChange, "operator \(document.name) loses a certificate", nil)
        _ = try await store.updateRecord(
            recordID,
            of: .operatorAccount,
            closing: [.operatorKey(document.keyFingerprint)],
            audit: audit
        ) { _ in nil }
        active.close(.operatorKey(document.keyFingerprint), except: channel)
    }

    private static func summary(_ record: StoredRecord, _ document: OperatorDocument) -> OperatorSummary {
        OperatorSummary(
            id: OperatorCertificateID(rawValue: record.id.rawValue),
            name: document.name,
            keyFingerprint: document.keyFingerprint,
            expires: record.expires ?? document.created,
            createdBy: document.createdBy,
            created: document.created
        )
    }
}

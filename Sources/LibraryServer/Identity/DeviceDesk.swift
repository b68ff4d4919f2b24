import Authorization
import DeviceIdentity
import LibraryAPI
import LibraryStore
import PhotoModel

/// What administrators see of devices and decide about them.
struct DeviceDesk: Sendable {
    /// The most devices on one page.
    static let maximumPageCount = 500

    let store: any MetadataStore
    let active: ActiveRequests

    /// Who decides, and from where.
    struct Administrator: Sendable {
        let name: String
        let context: AuditContext
    }

    /// A page of devices, by identifier.
    func page(after last: DeviceID?, limit: Int) async throws -> DevicePage {
        let rows = try await store.devices().sorted { $0.record.device < $1.record.device }
        let rest = rows.filter { row in last.map { row.record.device > $0 } ?? true }
        let pending = try await store.openRequests()
        var devices: [DeviceSummary] = []
        for row in rest.prefix(limit) { devices.append(try await summary(of: row, among: rows, pending: pending)) }
        return DevicePage(devices: devices, next: rest.count > limit ? devices.last?.id : nil)
    }

    /// One device.
    ///
    /// - Throws: `object.not_found`.
    func summary(of id: DeviceID) async throws -> DeviceSummary {
        guard let row = try await store.device(id) else { throw ProblemDetails.notFound }
        return try await summary(of: row, among: store.devices(), pending: store.openRequests())
    }

    /// Every question that is open, oldest first.
    func requests() async throws -> AccessRequestPage {
        var requests: [AccessRequestSummary] = []
        for request in try await store.openRequests() {
            guard let row = try await store.device(request.device) else { continue }
            let summary = try await summary(of: row, among: [], pending: [])
            var entry = AccessRequestSummary(
                deviceID: request.device,
                deviceName: row.profile.name,
                keyFingerprint: summary.keyFingerprint,
                level: request.level.rawValue,
                usage: request.usage.text,
                openedAt: request.openedAt,
                expiresAt: request.expiresAt
            )
            entry.address = request.address
            requests.append(entry)
        }
        return AccessRequestPage(requests: requests)
    }

    /// Answers for a device, and lets it in if it waited.
    ///
    /// - Throws: `object.not_found`, `request.malformed` for an answer that there is not, `enroll.conflict` when the code
    ///   is another than the device shows.
    func decide(about id: DeviceID, _ request: DecisionRequest, by administrator: Administrator) async throws {
        let levels = request.levels?.map(AccessLevel.init(rawValue:)) ?? AccessLevel.allCases
        guard let answer = AccessDecision.Answer(rawValue: request.answer), !levels.isEmpty, !levels.contains(nil)
        else {
            throw ProblemDetails(
                .malformedRequest,
                "The answers are \(AccessDecision.Answer.allCases.map(\.rawValue).joined(separator: ", ")); the levels "
                    + "addOnly and readWrite."
            )
        }
        guard let row = try await store.device(id) else { throw ProblemDetails.notFound }
        if let expected = request.expectedCode {
            guard try await verificationCode(of: row)?.matches(typed: expected) == true else {
                throw ProblemDetails(.enrollmentConflict, "The device shows another code: do not approve it.")
            }
        }
        var changes: [DecisionRecord.Change] = [.answer(answer, for: Set(levels.compactMap(\.self)))]
        if row.record.state == .pending, answer != .none { changes.insert(.state(.approved), at: 0) }
        for change in changes { try await apply(to: id, change, by: administrator, request.reason) }
        _ = try await store.applyDeferredAlbums(of: id)
    }

    /// Changes what is recorded of a device, and ends what it has open.
    ///
    /// - Throws: `object.not_found`.
    func apply(
        to id: DeviceID,
        _ change: DecisionRecord.Change,
        by administrator: Administrator,
        _ reason: String?
    ) async throws {
        guard try await store.device(id) != nil else { throw ProblemDetails.notFound }
        _ = try await store.decide(
            id,
            change,
            by: .administrator(administrator.name),
            reason: reason ?? "",
            audit: administrator.context
        )
        active.close(id)
    }

    private func summary(
        of row: DeviceRow,
        among rows: [DeviceRow],
        pending: [AccessRequest]
    ) async throws -> DeviceSummary {
        let keys = try await store.keys(of: row.record.device).sorted { $0.certificateExpires < $1.certificateExpires }
        let newest = keys.last
        let record = row.record
        let enrollment = try await enrollment(of: row)
        var summary = DeviceSummary(
            id: record.device,
            name: row.profile.name,
            build: row.profile.build,
            state: IdentityState(record.state, certificateExpires: newest?.certificateExpires),
            keyFingerprint: newest?.fingerprint ?? Fingerprint(hashing: []).digest,
            firstSeen: row.profile.enrolled,
            usage: row.profile.usage,
            authorization: AuthorizationDesk.answer(
                for: record,
                pending: pending.filter { $0.device == record.device },
                selectedCount: nil
            ),
            change: (record.changedBy.description, record.changedAt, record.reason)
        )
        summary.lastSeen = row.profile.lastSeen
        summary.address = enrollment?.address
        summary.verificationCode = try await verificationCode(of: row)?.description
        let name = DeviceName(row.profile.name)
        summary.lookAlikes = rows.filter { other in
            other.record.device != record.device && name.looksLike(DeviceName(other.profile.name))
        }.map(\.record.device)
        return summary
    }

    /// The code that a pending device shows; nil for others.
    private func verificationCode(of row: DeviceRow) async throws -> VerificationCode? {
        guard row.record.state == .pending, let document = try await enrollment(of: row),
            let key = try await store.keys(of: row.record.device).first
        else { return nil }
        return document.verificationCode(of: Fingerprint(key.fingerprint))
    }

    private func enrollment(of row: DeviceRow) async throws -> EnrollmentDocument? {
        for record in try await store.records(of: .enrollment) {
            let document = try EnrollmentDocument(record)
            if document.deviceID == row.record.device { return document }
        }
        return nil
    }
}

extension IdentityState {
    /// A state in the words of the wire.
    init(_ state: DeviceState, certificateExpires: WallTime?) {
        switch state {
        case .pending: self.init(state: .pending, certificateExpires: certificateExpires)
        case .active: self.init(state: .active, certificateExpires: certificateExpires)
        case .draining: self.init(state: .draining, certificateExpires: certificateExpires)
        case .suspect: self.init(state: .suspect, certificateExpires: certificateExpires)
        case .revoked(let wipe): self.init(state: .revoked, wipe: wipe, certificateExpires: certificateExpires)
        }
    }
}

import Authorization
import DeviceIdentity
import LibraryAPI
import LibraryStore
import PhotoModel
import Replication

/// The administrators' view of devices, and their decisions.
struct Devices: Sendable {
    let store: any DeviceStore & RecordStore
    let active: ActiveRequests

    /// The deciding administrator, and the request's origin.
    struct Administrator: Sendable {
        let name: String
        let context: AuditContext
    }

    /// A page of devices, by identifier.
    func page(after last: DeviceID?, limit: Int) async throws -> DevicePage {
        let rows = try await store.devices().sorted { $0.record.device < $1.record.device }
        let rest = rows.filter { row in last.map { row.record.device > $0 } ?? true }
        let pending = try await store.openRequests()
        let names = Dictionary(grouping: rows) { DeviceName($0.profile.name).skeleton }
        var devices: [DeviceSummary] = []
        for row in rest.prefix(limit) { devices.append(try await summary(of: row, names, pending: pending)) }
        return DevicePage(devices: devices, next: rest.count > limit ? devices.last?.id : nil)
    }

    /// One device.
    ///
    /// - Throws: `object.not_found`.
    func summary(of id: DeviceID) async throws -> DeviceSummary {
        let row = try await store.device(id).orNotFound()
        let names = Dictionary(grouping: try await store.devices()) { DeviceName($0.profile.name).skeleton }
        var summary = try await summary(of: row, names, pending: store.openRequests())
        summary.instances = try await store.replicas(of: id).map { replica in
            DeviceInstance(
                incarnation: replica.incarnation.description,
                acknowledged: replica.acknowledged,
                lastContact: replica.lastContact,
                refusedCount: replica.refusedCount
            )
        }
        return summary
    }

    /// A device's uncommitted uploads, including a suspect one's quarantined ones.
    func uploads(of id: DeviceID) async throws -> PendingUploadPage {
        guard try await store.device(id) != nil else { throw ProblemDetails.notFound }
        return PendingUploadPage(assets: try await store.creations(of: id))
    }

    /// All open access requests, oldest first.
    func requests() async throws -> [AccessRequestSummary] {
        var requests: [AccessRequestSummary] = []
        for request in try await store.openRequests() {
            guard let row = try await store.device(request.device) else { continue }
            let summary = try await summary(of: row, [:], pending: [])
            requests.append(
                AccessRequestSummary(
                    deviceID: request.device,
                    deviceName: row.profile.name,
                    keyFingerprint: summary.keyFingerprint,
                    verificationCode: summary.verificationCode,
                    level: request.level.rawValue,
                    usage: request.usage.text,
                    address: request.address,
                    openedAt: request.openedAt,
                    expiresAt: request.expiresAt
                )
            )
        }
        return requests
    }

    /// Decides about a device, and approves it if it was pending.
    ///
    /// - Throws: `object.not_found`, `request.malformed` for an unknown answer, `enroll.conflict` if the code
    ///   differs from the device's.
    func decide(about id: DeviceID, _ request: DecisionRequest, by administrator: Administrator) async throws {
        let row = try await store.device(id).orNotFound()
        let asked = try await askedLevels(of: row)
        let levels = request.levels?.map(AccessLevel.init(rawValue:)) ?? asked
        guard let answer = AccessDecision.Answer(rawValue: request.answer), !levels.isEmpty, !levels.contains(nil)
        else {
            throw ProblemDetails(
                .malformedRequest,
                "The answers are \(AccessDecision.Answer.allCases.map(\.rawValue).joined(separator: ", ")); the levels "
                    + "addOnly and readWrite."
            )
        }
        if let expected = request.expectedCode {
            guard try await verificationCode(of: row)?.matches(typed: expected) == true else {
                throw ProblemDetails(.enrollmentConflict, "The device shows a different code: do not approve it.")
            }
        }
        var changes: [DecisionRecord.Change] = [.answer(answer, for: Set(levels.compactMap(\.self)))]
        if row.record.state == .pending, answer != .none { changes.insert(.state(.approved), at: 0) }
        for change in changes { try await apply(to: id, change, by: administrator, request.reason) }
        _ = try await store.applyDeferredAlbums(of: id)
    }

    /// The levels of an answer that names none: the open requests', else those a pending device wants, else both.
    ///
    /// So answering a read request with `none` never stops a camera from saving.
    private func askedLevels(of row: DeviceRow) async throws -> [AccessLevel] {
        let open = try await store.openRequests().filter { $0.device == row.record.device }.map(\.level)
        if !open.isEmpty { return open }
        guard row.record.state == .pending else { return AccessLevel.allCases }
        let usage = row.profile.usage
        let wanted: [AccessLevel] = [usage.add.map { _ in .addOnly }, usage.readWrite.map { _ in .readWrite }]
            .compactMap(\.self)
        return wanted.isEmpty ? AccessLevel.allCases : wanted
    }

    /// Changes a device's record, and ends its open requests.
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
        active.close(.device(id))
    }

    /// Chooses which of a suspect device's copies continues, and reactivates the device.
    ///
    /// The copy is identified by 32 hexadecimal digits; nil chooses the first one that makes contact.
    ///
    /// - Throws: `object.not_found` for an incarnation that the device does not have.
    func resolve(_ id: DeviceID, keeping keep: String?, by administrator: Administrator, _ reason: String?) async throws
    {
        var kept: [ReplicaID] = []
        if let keep {
            guard keep.utf8.count == 32, let bits = UInt128(keep, radix: 16) else {
                throw ProblemDetails(.malformedRequest, "An instance has 32 hexadecimal digits.", field: "keep")
            }
            kept = [ReplicaID(rawValue: bits)]
        }
        try await store.keepReplicas(of: id, kept)
        let words = keep.map { "keeps \($0)" } ?? "keeps whichever calls first"
        try await apply(
            to: id,
            .state(.resolved),
            by: administrator,
            [words, reason].compactMap(\.self).joined(separator: ": ")
        )
    }

    /// One device, with look-alikes found among all devices by the skeletons of their names.
    private func summary(
        of row: DeviceRow,
        _ names: [String: [DeviceRow]],
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
            authorization: Authorizations.answer(
                for: record,
                pending: pending.filter { $0.device == record.device },
                selectedCount: nil
            ),
            change: (record.changedBy.description, record.changedAt, record.reason)
        )
        summary.lastSeen = row.profile.lastSeen
        summary.lastAdded = row.profile.lastAdded
        summary.lastRead = row.profile.lastRead
        summary.usesNotedSince = row.profile.usesNotedSince
        summary.status = row.profile.status
        summary.consents = row.profile.consents
        summary.consentWithdrawals = row.profile.consentWithdrawals
        summary.address = enrollment?.address
        summary.verificationCode = try await verificationCode(of: row)?.description
        if record.state == .pending, record.decision.addOnly == .denied { summary.isRefused = true }
        if record.state == .draining { summary.drain = try await store.drainProgress(of: record.device) }
        summary.tags = row.profile.tags
        summary.album = row.profile.album
        summary.lookAlikes = names[DeviceName(row.profile.name).skeleton, default: []]
            .map(\.record.device).filter { $0 != record.device }
        return summary
    }

    /// The code shown by a pending device; nil for others.
    private func verificationCode(of row: DeviceRow) async throws -> VerificationCode? {
        guard row.record.state == .pending, let document = try await enrollment(of: row),
            let key = try await store.keys(of: row.record.device).first
        else { return nil }
        return document.verificationCode(of: Fingerprint(key.fingerprint))
    }

    private func enrollment(of row: DeviceRow) async throws -> EnrollmentDocument? {
        let key = EnrollmentDocument.secondary(of: row.record.device)
        return try await store.record(of: .enrollment, withSecondary: key).map(EnrollmentDocument.init)
    }
}

extension IdentityState {
    /// A state in wire form.
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

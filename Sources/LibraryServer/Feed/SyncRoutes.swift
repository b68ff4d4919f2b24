import Authorization
import Hummingbird
import LibraryAPI
import LibraryStore
import Persistence
import PhotoModel
import Replication

/// The contact that opens every sync, and a replica's own changes.
struct SyncRoutes {
    /// Seconds between contacts of an idle device.
    private static let contactSeconds = 900

    let store: any DeviceStore & ReadingStore
    let notifier: ChangeNotifier
    let active: ActiveRequests
    let pickers: Pickers
    let seal: ChangeTokenSeal
    let now: @Sendable () -> WallTime

    func register(in registry: inout RouteRegistry) throws {
        try registry.on(.contact) { [self] call, admitted in
            let record = try admitted.record.orNotFound()
            let request: ContactRequest = try await call.json()
            guard request.isConsentReportWithinLimits else {
                throw ProblemDetails(
                    .malformedRequest,
                    "A device reports at most \(APILimits.consentCount) cameras and microphones, with short names.",
                    field: "consents"
                )
            }
            return try .json(
                try await answer(
                    record,
                    request,
                    following: request.token.flatMap { seal.position($0, for: admitted.tokenBearer) },
                    call
                )
            )
        }
        try registry.on(.pushChanges) { [store, notifier] call, admitted in
            let push: ChangePush = try await call.json(limit: APILimits.pushByteCount)
            guard push.changes.count <= APILimits.pushCount else {
                throw ProblemDetails(.tooLarge, "Push at most \(APILimits.pushCount) changes at once.")
            }
            try call.count(changes: push.changes.count)
            let answer = try await store.push(push, by: admitted.storeCaller(for: call))
            notifier.notify()
            return try .json(answer)
        }
    }

    private func answer(
        _ record: DecisionRecord,
        _ request: ContactRequest,
        following position: ChangePosition?,
        _ call: Call
    ) async throws -> ContactResponse {
        // Its view is looked at, or its list counted; a contact that is refused has not happened.
        let isCounted = record.state == .draining || record.access.readWrite == .limited
        let place = isCounted ? try call.takePlace(.list) : nil
        defer { withExtendedLifetime(place) {} }
        let contact = try Self.contact(of: record.device, request.replica)
        let time = now()
        let contacted = try await store.contact(
            contact,
            ticket: request.replica.ticket,
            from: position,
            by: record.device
        ) { profile in
            profile.lastSeen = time
            profile.usesNotedSince = profile.usesNotedSince ?? time
            if let status = request.status { profile.status = status }
            profile.take(consentsOf: request)
        }
        let judgement = contacted.judgement
        if judgement.verdict.remedy == .becomeSuspect { try await suspect(record.device, contact, call) }
        let drain = try await drainProgress(of: contacted.record, request.drain, call)
        let standing = try await store.standing(of: record.device, missing: 100)
        let (current, identity) = (standing.record ?? contacted.record, standing.identity)
        return ContactResponse(
            time: now(),
            libraryID: identity.id,
            libraryEpoch: identity.epoch,
            continuity: .init(judgement.verdict.remedy, of: current.state),
            acknowledged: judgement.acknowledged,
            ticket: judgement.ticket,
            grantVersion: current.grantVersion,
            hasChanges: try await hasChanges(after: position, current, identity),
            backupWatermark: standing.backupWatermark,
            missing: standing.missing,
            intervalSeconds: Self.contactSeconds,
            drain: drain,
            consentWithdrawals: contacted.profile.consentWithdrawals
        )
    }

    /// A draining device's progress, including its current report; nil for any other device.
    private func drainProgress(
        of record: DecisionRecord,
        _ report: DrainReport?,
        _ call: Call
    ) async throws -> DrainProgress? {
        let device = record.device
        guard let report else { return record.state == .draining ? try await store.drainProgress(of: device) : nil }
        let progress = try await store.reportDraining(of: device, report, audit: call.auditContext)
        guard progress?.isEnded == true else { return progress }
        active.close(.device(device), except: call.channel)
        try await pickers.endAll(of: device, by: .init(actor: .device(device), context: call.auditContext))
        return progress
    }

    /// Two copies of a device were detected: its uploads are quarantined from now on, and its reads end.
    private func suspect(_ device: DeviceID, _ contact: Contact, _ call: Call) async throws {
        _ = try await store.decide(
            device,
            .state(.forkDetected),
            by: .device(device),
            reason: "two copies of instance \(contact.incarnation)",
            audit: call.auditContext
        )
        active.close(.device(device), except: call.channel)
    }

    /// Whether the feed has anything for a reading device; false for one that does not read.
    private func hasChanges(
        after position: ChangePosition?,
        _ record: DecisionRecord,
        _ identity: LibraryIdentity
    ) async throws -> Bool {
        // A suspect or draining device keeps its decision, and may not read.
        switch (record.state, record.access.readWrite) {
        case (.active, .authorized):
            if let position, position.isCurrent(record, identity) {
                position.number < identity.lastChange
            } else {
                try await store.hasChanges(after: position, for: .everything(grantVersion: record.grantVersion))
            }
        case (.active, .limited):
            try await store.hasChanges(
                after: position,
                for: .limited(record.device, record.selection, grantVersion: record.grantVersion)
            )
        default: false
        }
    }

    private static func contact(of device: DeviceID, _ replica: ContactRequest.Replica) throws -> Contact {
        guard replica.incarnation.utf8.count == 32, replica.incarnation.allSatisfy(\.isHexDigit),
            let incarnation = UInt128(replica.incarnation, radix: 16),
            let hash = HashValue(replica.chainHash.bytes),
            let host = HashValue(ContentHasher.digest(replica.hostFingerprint.utf8).bytes)
        else {
            throw ProblemDetails(
                .malformedRequest,
                "An incarnation has 32 hexadecimal digits.",
                field: "replica.incarnation"
            )
        }
        return Contact(
            device: device.rawValue,
            incarnation: ReplicaID(rawValue: incarnation),
            history: HistoryChain(counter: replica.counter, hash: hash),
            hostFingerprint: host,
            bootID: replica.bootID?.rawValue ?? 0
        )
    }
}

extension ContactResponse.Continuity {
    fileprivate init(_ remedy: ContactVerdict.Remedy, of state: DeviceState) {
        switch remedy {
        // The copy whose history continues is also reported as suspect, so that people on site notice.
        case .proceed: self = state == .suspect ? .suspect : .continued
        case .beginNewIncarnation: self = .rolledBack
        case .becomeSuspect: self = .suspect
        }
    }
}

extension ChangePosition {
    /// Whether the feed can be continued from here.
    fileprivate func isCurrent(_ record: DecisionRecord, _ identity: LibraryIdentity) -> Bool {
        epoch == identity.epoch && viewVersion == record.grantVersion
    }
}

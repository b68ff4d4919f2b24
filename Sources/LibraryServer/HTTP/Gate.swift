import Authorization
import DeviceIdentity
import LibraryAPI
import LibraryStore
import Logging
import PhotoModel

/// An admitted request: its caller, and what it may touch.
struct AuthorizedCall: Sendable {
    /// The caller, as judged.
    let caller: Caller
    /// The device's record; nil for others.
    let record: DecisionRecord?
    /// What the call may touch.
    let scope: Verdict.Scope
    /// Whether uploads are quarantined for an administrator.
    let isQuarantined: Bool
    /// The row of the endpoint table that admitted the call.
    let row: Authorization.Route
    /// The device whose reading is recorded, once a day; nil for other callers.
    let notedReader: DeviceID?
    /// Whether a consent of the device was withdrawn after its last contact.
    let hasNewWithdrawals: Bool
}

extension AuthorizedCall {
    /// The caller for the store, which checks its record again in its own transaction.
    ///
    /// If the grant has changed since admission, the call fails, so that nothing is written or returned under the old
    /// one.
    ///
    /// A suspect device's bytes are accepted only into quarantine; nothing enters the library before an operator has
    /// chosen which copy continues.
    ///
    /// - Throws: `identity.suspect` on routes that quarantine nothing; the device keeps its captures.
    func storeCaller(for call: Call, keepingApart keepsApart: Bool = false) throws -> StoreCaller {
        guard !isQuarantined || keepsApart else { throw ProblemDetails(Denial.identitySuspect) }
        guard let record else { return .administrator(call.credential.operatorName ?? "unknown") }
        let (row, version) = (row, record.grantVersion)
        return .device(record.device) { current in
            guard let current else { throw ProblemDetails(Denial.identityMissing) }
            let caller = Caller(device: current, isExpired: false)
            switch decide(route: row, caller: caller, object: .collection) {
            case .deny(let denial): throw ProblemDetails(denial)
            case .quarantine where !keepsApart: throw ProblemDetails(Denial.identitySuspect)
            case .quarantine, .allow: break
            }
            guard current.grantVersion == version else {
                throw ProblemDetails(.unavailable, "The grant has just changed: try again.", retryAfterSeconds: 1)
            }
        }
    }

    /// The part of the library that the call may see.
    var view: LibraryView {
        guard let record else { return .everything }
        switch scope {
        case .everything: return .everything
        case .own: return .own(record.device)
        case .view, .grantedAlbums: return .selection(record.selection, record.device)
        }
    }
}

/// Admits requests: identifies the caller and consults the endpoint table.
///
/// It judges the route before the object is known. Whether an object is the caller's own, or in its view, is judged by
/// the store in the transaction that touches it, with the same table.
struct Gate: Sendable {
    let store: any DeviceStore & RecordStore

    /// Decides a request.
    ///
    /// - Throws: the refusal as a problem.
    func admit(_ credential: Credential, to route: Authorization.Route, at now: WallTime) async throws -> AuthorizedCall
    {
        let (caller, owner) = try await caller(of: credential, at: now)
        let (scope, isQuarantined): (Verdict.Scope, Bool)
        switch decide(route: route, caller: caller, object: .collection) {
        case .allow(let allowed): (scope, isQuarantined) = (allowed, false)
        case .quarantine(let allowed): (scope, isQuarantined) = (allowed, true)
        case .deny(let denial): throw ProblemDetails(denial)
        }
        let isUse = route.isUseOfReading && owner != nil
        return AuthorizedCall(
            caller: caller,
            record: owner?.record,
            scope: scope,
            isQuarantined: isQuarantined,
            row: route,
            notedReader: isUse && DeviceProfile.isUseDue(at: now, lastNoted: owner?.lastRead)
                ? owner?.record.device : nil,
            hasNewWithdrawals: owner?.hasNewWithdrawals ?? false
        )
    }

    /// Records that a device read, at most once a day; a failure is only logged.
    func noteReading(by admitted: AuthorizedCall, _ call: Call) async {
        guard let reader = admitted.notedReader else { return }
        do {
            try await store.noteUse(of: .readWrite, by: reader)
        } catch {
            call.logger.error("a device's reading could not be recorded", metadata: ["error": "\(error)"])
        }
    }

    private func caller(of credential: Credential, at now: WallTime) async throws -> (Caller, KeyOwner?) {
        switch credential {
        case .none: return (.anonymous, nil)
        case .localUser: return (.administrator, nil)
        case .webSession(let session):
            // The login was looked up before the caller was recorded, so check again that it has not ended.
            let record = try await store.record(RecordID(rawValue: session.id.rawValue), of: .webLogin)
            return (record == nil ? .anonymous : .administrator, nil)
        case .operatorCertificate(let name, let certificate):
            // A revoked or foreign certificate counts as no certificate.
            let record = try await store.record(of: .operatorAccount, withSecondary: certificate.keyFingerprint.digest)
            let isGood = try certificate.isValid(at: now) && record.map(OperatorDocument.init)?.name == name.description
            return (isGood ? .administrator : .anonymous, nil)
        case .device(let device, let certificate):
            guard let owner = try await store.device(withKey: certificate.keyFingerprint.digest),
                owner.record.device == device
            else { return (.anonymous, nil) }
            if !owner.key.isCurrent {
                // The new key is in use, so the rotation is complete and the old key invalid.
                try await store.useOnlyKey(owner.key.fingerprint, of: device)
            }
            return (Caller(device: owner.record, isExpired: !certificate.isValid(at: now)), owner)
        }
    }
}

extension IdentityCertificate {
    /// Whether the certificate is currently valid, by the server's clock.
    func isValid(at now: WallTime) -> Bool { notBefore <= now && now <= notAfter }
}

extension ProblemDetails {
    /// A refusal for the caller: its cause and the next command, nothing about any object.
    init(_ denial: Denial) {
        self.init(denial.code, Explanation(denial).description)
        // Operators and devices share the code; the title says which of them the route admits.
        if denial == .devicesOnly { title = "authorization: devices only" }
    }

    /// A problem of identity or authorization.
    init(_ error: AuthorizationError) { self.init(ErrorCode(error.code), error.message) }
}

import Authorization
import DeviceIdentity
import LibraryAPI
import LibraryStore
import PhotoModel

/// What the store knows of the caller of one request.
struct AuthorizedCall: Sendable {
    /// Who calls, as the decision saw them.
    let caller: Caller
    /// What was decided about the device; nil for others.
    let record: DecisionRecord?
    /// What the call may touch.
    let scope: Verdict.Scope
    /// Whether what is sent is kept apart for an administrator.
    let isQuarantined: Bool
    /// The row of the endpoint table that let the call in.
    let row: Authorization.Route
}

extension AuthorizedCall {
    /// The caller for the store, judged once more by what is recorded in the store's own transaction.
    ///
    /// A grant that changed since the call was let in ends it, so that nothing is written or told by an older one.
    ///
    /// Where the bytes of a suspect device are kept apart they are taken; nothing of them gets into the library before an
    /// operator has said which copy goes on.
    ///
    /// - Throws: `identity.suspect` where nothing is kept apart; the device keeps its captures.
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
                throw ProblemDetails(.unavailable, "The grant has just changed: ask again.", retryAfterSeconds: 1)
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

/// Lets requests in: reads who calls and asks the endpoint table.
///
/// It judges the route with the object still unknown. Whether an object is the caller's own, or in its view, is judged by
/// the store in the transaction that touches it, by the same table.
struct Gate: Sendable {
    let store: any MetadataStore

    /// Decides a request.
    ///
    /// - Throws: the refusal as a problem.
    func admit(_ credential: Credential, to route: Authorization.Route, at now: WallTime) async throws -> AuthorizedCall
    {
        let (caller, record) = try await caller(of: credential, at: now)
        switch decide(route: route, caller: caller, object: .collection) {
        case .allow(let scope):
            return AuthorizedCall(caller: caller, record: record, scope: scope, isQuarantined: false, row: route)
        case .quarantine(let scope):
            return AuthorizedCall(caller: caller, record: record, scope: scope, isQuarantined: true, row: route)
        case .deny(let denial): throw ProblemDetails(denial)
        }
    }

    private func caller(of credential: Credential, at now: WallTime) async throws -> (Caller, DecisionRecord?) {
        switch credential {
        case .none: return (.anonymous, nil)
        case .localUser: return (.administrator, nil)
        case .webSession(let session):
            // It was found before the caller was noted: a login that has ended since is none.
            let record = try await store.record(RecordID(rawValue: session.id.rawValue), of: .webLogin)
            return (record == nil ? .anonymous : .administrator, nil)
        case .operatorCertificate(let name, let certificate):
            // A certificate that was taken back, or that nobody issued here, is none.
            let record = try await store.record(
                of: .operatorAccount,
                withSecondary: certificate.keyFingerprint.digest
            )
            let isGood = try certificate.isValid(at: now) && record.map(OperatorDocument.init)?.name == name.description
            return (isGood ? .administrator : .anonymous, nil)
        case .device(let device, let certificate):
            guard let (row, key) = try await store.device(withKey: certificate.keyFingerprint.digest),
                row.record.device == device
            else { return (.anonymous, nil) }
            if !key.isCurrent {
                // The new key is in use, so the rotation is over and the old key void.
                try await store.useOnlyKey(key.fingerprint, of: device)
            }
            let record = row.record
            return (Caller(device: record, isExpired: !certificate.isValid(at: now)), record)
        }
    }
}

extension IdentityCertificate {
    /// Whether the certificate's time has begun and not ended, by the server's clock.
    func isValid(at now: WallTime) -> Bool { notBefore <= now && now <= notAfter }
}

extension ProblemDetails {
    /// What a caller is told of a refusal: its cause and the next command, nothing of any object.
    init(_ denial: Denial) {
        self.init(denial.code, Explanation(denial).description)
    }

    /// A problem of identity and authorization.
    init(_ error: AuthorizationError) {
        self.init(error.code, error.message)
    }

    private init(_ code: ProblemCode, _ detail: String) {
        self.init(ErrorCode(code), detail)
        if code == .devicesOnly {
            // The interface has one name for "another kind of caller"; the detail says which.
            title = "authorization: devices only"
        }
    }
}

extension ErrorCode {
    /// The code on the wire of a problem of identity and authorization.
    init(_ code: ProblemCode) {
        self =
            switch code {
            case .devicesOnly: .operatorsOnly
            case .limit: .tooLarge
            case .storage: .storageFull
            default: ErrorCode(rawValue: code.rawValue) ?? .internalError
            }
    }
}

import Authorization
import DeviceIdentity
import LibraryAPI
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
}

/// Looks devices up for the gate.
protocol DeviceDirectory: Sendable {
    /// What was decided about a device; nil when the library does not know it, or not with this key.
    func record(of device: DeviceID, key: Fingerprint) async throws -> DecisionRecord?
}

/// Lets requests in: reads who calls and asks the endpoint table.
///
/// It judges the route with the object still unknown. Whether an object is the caller's own, or in its view, is judged by
/// the store in the transaction that touches it, by the same table.
struct Gate: Sendable {
    private let directory: any DeviceDirectory

    init(directory: any DeviceDirectory) {
        self.directory = directory
    }

    /// Decides a request.
    ///
    /// - Throws: the refusal as a problem.
    func admit(_ credential: Credential, to route: Authorization.Route, at now: WallTime) async throws -> AuthorizedCall
    {
        let (caller, record) = try await caller(of: credential, at: now)
        switch decide(route: route, caller: caller, object: .collection) {
        case .allow(let scope):
            return AuthorizedCall(caller: caller, record: record, scope: scope, isQuarantined: false)
        case .quarantine(let scope):
            return AuthorizedCall(caller: caller, record: record, scope: scope, isQuarantined: true)
        case .deny(let denial): throw ProblemDetails(denial)
        }
    }

    private func caller(of credential: Credential, at now: WallTime) async throws -> (Caller, DecisionRecord?) {
        switch credential {
        case .none: return (.anonymous, nil)
        case .localUser: return (.administrator, nil)
        case .operatorCertificate(_, let certificate):
            return (certificate.isValid(at: now) ? .administrator : .anonymous, nil)
        case .device(let device, let certificate):
            guard let record = try await directory.record(of: device, key: certificate.keyFingerprint) else {
                return (.anonymous, nil)
            }
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

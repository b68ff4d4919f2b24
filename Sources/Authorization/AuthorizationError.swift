/// An authorization failure, with the problem code to answer.
package struct AuthorizationError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The problem; determines status, type and retry.
    package let code: ProblemCode
    /// The problem in words.
    package let message: String
    /// What it is about, for example a device or a level; empty if obvious.
    package let subject: String

    /// Describes a failure.
    package init(_ code: ProblemCode, _ message: String, about subject: String = "") {
        self.code = code
        self.message = message
        self.subject = subject
    }

    /// For example `slow_down: too many open requests`.
    package var description: String {
        subject.isEmpty ? "\(code.rawValue): \(message)" : "\(code.rawValue): \(message) (\(subject))"
    }
}

/// The problems of identity and authorization; the raw value is the stable end of the problem's `type` (RFC 9457).
package enum ProblemCode: String, CaseIterable, Hashable, Sendable, Codable {
    /// No credential.
    case identityMissing = "identity.missing"
    /// The certificate has expired.
    case identityExpired = "identity.expired"
    /// The device was revoked.
    case identityRevoked = "identity.revoked"
    /// Two copies of the device were detected.
    case identitySuspect = "identity.suspect"
    /// Nobody decided yet.
    case notDetermined = "authorization.not_determined"
    /// An administrator said no.
    case denied = "authorization.denied"
    /// Policy forbids it.
    case restricted = "authorization.restricted"
    /// A higher level is needed.
    case scope = "authorization.scope"
    /// Only operators may call it.
    case operatorsOnly = "authorization.operators_only"
    /// Only devices may call it.
    case devicesOnly = "authorization.devices_only"
    /// There is no such object, or the caller may not know of it.
    case objectNotFound = "object.not_found"
    /// The person has not finished picking.
    case pickerNotDone = "picker.not_done"
    /// An earlier enrolment with this key has different content.
    case enrollConflict = "enroll.conflict"
    /// The change token is from an older view, or its history is gone.
    case changesTokenExpired = "changes.token_expired"
    /// The picker session has ended.
    case pickerEnded = "picker.ended"
    /// More than is allowed.
    case limit = "limits"
    /// A usage text is missing or says nothing.
    case usageMissing = "usage.missing"
    /// A resource does not match its description.
    case resourceInvalid = "resource.invalid"
    /// A resource of the manifest is missing.
    case resourceMissing = "resource.missing"
    /// Too many requests.
    case slowDown = "slow_down"
    /// Too many open picker sessions.
    case pickerExhausted = "picker.exhausted"
    /// The server cannot write.
    case storage = "storage"

    /// The HTTP status (RFC 9110, section 15).
    package var httpStatus: Int {
        switch self {
        case .identityMissing, .identityExpired, .identityRevoked, .identitySuspect: 401
        case .notDetermined, .denied, .restricted, .scope, .operatorsOnly, .devicesOnly: 403
        case .objectNotFound: 404
        case .pickerNotDone, .enrollConflict: 409
        case .changesTokenExpired, .pickerEnded: 410
        case .limit: 413
        case .usageMissing, .resourceInvalid, .resourceMissing: 422
        case .slowDown, .pickerExhausted: 429
        case .storage: 507
        }
    }

    /// When the same call may be repeated.
    package var retry: Retry {
        switch self {
        case .identityExpired: .now
        case .identitySuspect, .notDetermined, .denied, .restricted, .scope: .onDecision
        case .pickerNotDone, .slowDown, .pickerExhausted, .storage: .after
        case .identityMissing, .identityRevoked, .operatorsOnly, .devicesOnly, .objectNotFound, .enrollConflict,
            .changesTokenExpired, .pickerEnded, .limit, .usageMissing, .resourceInvalid, .resourceMissing:
            .never
        }
    }

    /// The exit status of a command that hits this problem: 77 (not allowed) or 1 (failed), never 0.
    package var exitCode: Int32 {
        switch httpStatus {
        case 401, 403: 77
        default: 1
        }
    }

    /// Why a capture is held when the server answers with this problem; nil if waiting does not help.
    package var holdReason: HoldReason? {
        switch self {
        case .identityExpired: .expired
        case .identityRevoked: .revoked
        case .identitySuspect: .suspect
        case .identityMissing, .notDetermined: .pending
        case .denied, .scope, .operatorsOnly: .denied
        case .restricted: .restricted
        case .slowDown: .throttled
        case .storage: .space
        case .devicesOnly, .objectNotFound, .pickerNotDone, .enrollConflict, .changesTokenExpired, .pickerEnded,
            .limit, .usageMissing, .resourceInvalid, .resourceMissing, .pickerExhausted:
            nil
        }
    }
}

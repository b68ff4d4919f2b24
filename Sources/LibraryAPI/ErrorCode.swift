/// What can go wrong, by its stable name; the HTTP status and whether to try again follow from it.
package enum ErrorCode: String, CaseIterable, Hashable, Sendable {
    /// The request cannot be read.
    case malformedRequest = "request.malformed"
    /// The route does not know the method.
    case methodNotAllowed = "request.method_not_allowed"
    /// The body is of a type that the route does not take.
    case unsupportedMediaType = "request.unsupported_media_type"
    /// A condition of the request does not hold.
    case preconditionFailed = "request.precondition_failed"
    /// The range lies outside the bytes.
    case rangeNotSatisfiable = "request.range_not_satisfiable"
    /// A body, a count or a depth is beyond its limit.
    case tooLarge = "limits.too_large"
    /// The body comes too slowly.
    case tooSlow = "request.too_slow"
    /// Too many requests.
    case slowDown = "slow_down"

    /// No credential.
    case identityMissing = "identity.missing"
    /// The certificate has expired; renewing still works.
    case identityExpired = "identity.expired"
    /// The device was revoked.
    case identityRevoked = "identity.revoked"
    /// The device's history has a twin; an operator has to say which goes on.
    case identitySuspect = "identity.suspect"

    /// Nobody has decided yet.
    case notDetermined = "authorization.not_determined"
    /// The decision was no.
    case denied = "authorization.denied"
    /// The policy forbids it.
    case restricted = "authorization.restricted"
    /// The level that was granted does not reach that far.
    case insufficientScope = "authorization.scope"
    /// Only operators may.
    case operatorsOnly = "authorization.operators_only"

    /// Not there, or not in the caller's view: the same answer for both.
    case notFound = "object.not_found"
    /// Another asset was described under the same identifier.
    case assetConflict = "asset.conflict"
    /// Bytes are still missing.
    case assetIncomplete = "asset.incomplete"
    /// The asset was purged; its identifier cannot come back.
    case assetPurged = "asset.purged"
    /// The offset is not where the upload stands.
    case offsetMismatch = "upload.offset_mismatch"
    /// The bytes would be more than were announced, or the announcements differ.
    case lengthInconsistent = "upload.length_inconsistent"
    /// The upload was completed before.
    case uploadCompleted = "upload.completed"
    /// The upload expired or was cancelled.
    case uploadGone = "upload.gone"
    /// A newer request took the upload over.
    case uploadSuperseded = "upload.superseded"
    /// The bytes are not the ones that were announced; nothing was kept.
    case digestMismatch = "resource.digest_mismatch"
    /// What was described makes no asset.
    case resourceInvalid = "resource.invalid"
    /// A resource that is needed was not described.
    case resourceMissing = "resource.missing"
    /// The usage text is missing.
    case usageMissing = "usage.missing"

    /// The change's stamp is too far ahead of the server's clock; stamp it again.
    case clockAhead = "changes.clock_ahead"
    /// A change that cannot be taken.
    case changeInvalid = "changes.invalid"
    /// Changes before this one are missing.
    case changeGap = "changes.gap"
    /// The library has other changes under the same names; write what waits once more under a new one.
    case changesForked = "changes.forked"
    /// The token cannot be continued from; enumerate again.
    case tokenExpired = "changes.token_expired"
    /// The changes exist but cannot be told any more; enumerate again.
    case detailsUnavailable = "changes.details_unavailable"
    /// The cursor belongs to another query.
    case cursorInvalid = "list.cursor_invalid"

    /// The key, or the name it claims, is taken.
    case enrollmentConflict = "enroll.conflict"
    /// The enrolment token is unknown, used up, or expired.
    case enrollmentTokenInvalid = "enroll.token_invalid"
    /// The picker is still open.
    case pickerNotDone = "picker.not_done"
    /// The picker session has ended.
    case pickerEnded = "picker.ended"
    /// Too many picker sessions.
    case pickerExhausted = "picker.exhausted"
    /// The choice was changed by somebody else meanwhile; look at it again.
    case pickerChanged = "picker.changed"
    /// The picker's caller does not offer that.
    case pickerCapabilityDisabled = "picker.capability_disabled"

    /// A picture that is made of an original is not there yet; ask again after `Retry-After`.
    case derivativePending = "derivative.pending"
    /// No such picture can be made of this original.
    case derivativeUnavailable = "derivative.unavailable"

    /// The store has no room.
    case storageFull = "storage.full"
    /// The device has saved as much as it may.
    case quotaExceeded = "storage.quota"
    /// The bytes are there but damaged; they are not served as good.
    case storageDamaged = "storage.damaged"
    /// The server cannot answer just now.
    case unavailable = "server.unavailable"
    /// The server failed.
    case internalError = "server.internal"
}

/// When asking again makes sense.
package enum RetryAdvice: String, CaseIterable, Hashable, Sendable, Codable {
    /// At once, with what the answer says.
    case now
    /// Later: after `Retry-After`, or with backoff.
    case after
    /// When an operator has decided.
    case onDecision
    /// Never as it is.
    case never
}

extension ErrorCode {
    /// The HTTP status (RFC 9110, section 15; 429: RFC 6585; 507: RFC 4918).
    package var status: Int {
        switch self {
        case .malformedRequest, .lengthInconsistent, .cursorInvalid: 400
        case .identityMissing, .identityExpired, .identityRevoked, .identitySuspect: 401
        case .notDetermined, .denied, .restricted, .insufficientScope, .operatorsOnly, .enrollmentTokenInvalid,
            .pickerCapabilityDisabled:
            403
        case .notFound, .derivativePending, .derivativeUnavailable: 404
        case .methodNotAllowed: 405
        case .tooSlow: 408
        case .assetConflict, .assetIncomplete, .offsetMismatch, .uploadSuperseded, .clockAhead, .changeGap,
            .changesForked, .enrollmentConflict, .pickerNotDone, .pickerChanged:
            409
        case .uploadCompleted, .uploadGone, .assetPurged, .tokenExpired, .detailsUnavailable, .pickerEnded: 410
        case .preconditionFailed: 412
        case .tooLarge: 413
        case .unsupportedMediaType: 415
        case .rangeNotSatisfiable: 416
        case .digestMismatch, .resourceInvalid, .resourceMissing, .usageMissing, .changeInvalid: 422
        case .slowDown, .pickerExhausted: 429
        case .internalError, .storageDamaged: 500
        case .unavailable: 503
        case .storageFull, .quotaExceeded: 507
        }
    }

    /// When asking again makes sense.
    package var retry: RetryAdvice {
        switch self {
        case .offsetMismatch, .uploadSuperseded, .digestMismatch, .assetIncomplete, .clockAhead, .changeGap,
            .changesForked, .identityExpired, .tokenExpired, .detailsUnavailable, .pickerChanged:
            .now
        case .slowDown, .pickerExhausted, .pickerNotDone, .unavailable, .internalError, .storageFull,
            .storageDamaged, .derivativePending, .tooSlow:
            .after
        case .identitySuspect, .notDetermined, .denied, .restricted, .insufficientScope, .quotaExceeded:
            .onDecision
        case .malformedRequest, .methodNotAllowed, .unsupportedMediaType, .preconditionFailed, .rangeNotSatisfiable,
            .tooLarge, .identityMissing, .identityRevoked, .operatorsOnly, .notFound, .assetConflict, .assetPurged,
            .lengthInconsistent, .uploadCompleted, .uploadGone, .resourceInvalid, .resourceMissing, .usageMissing,
            .changeInvalid, .cursorInvalid, .enrollmentConflict, .enrollmentTokenInvalid, .pickerEnded,
            .derivativeUnavailable, .pickerCapabilityDisabled:
            .never
        }
    }

    /// The `type` of problem details: a reference that stays the same in every version (RFC 9457, section 3.1.1).
    package var type: String { ProblemDetails.typePrefix + rawValue }

    /// A few words for people; the same for every occurrence.
    package var title: String {
        rawValue.split(separator: ".").joined(separator: ": ").split(separator: "_").joined(separator: " ")
    }
}

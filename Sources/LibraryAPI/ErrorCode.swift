/// The errors by their stable names, which determine the HTTP status and whether to retry.
package enum ErrorCode: String, CaseIterable, Hashable, Sendable {
    /// The request cannot be parsed.
    case malformedRequest = "request.malformed"
    /// The route does not support the method.
    case methodNotAllowed = "request.method_not_allowed"
    /// The route does not accept the body's type.
    case unsupportedMediaType = "request.unsupported_media_type"
    /// A condition of the request is not met.
    case preconditionFailed = "request.precondition_failed"
    /// The range is outside the bytes.
    case rangeNotSatisfiable = "request.range_not_satisfiable"
    /// A body, count or depth exceeds its limit.
    case tooLarge = "limits.too_large"
    /// The body arrives too slowly.
    case tooSlow = "request.too_slow"
    /// Too many requests.
    case slowDown = "slow_down"

    /// No credential.
    case identityMissing = "identity.missing"
    /// The certificate has expired; renewing still works.
    case identityExpired = "identity.expired"
    /// The device was revoked.
    case identityRevoked = "identity.revoked"
    /// The device's history has a twin; an operator must choose which one continues.
    case identitySuspect = "identity.suspect"

    /// Nobody has decided yet.
    case notDetermined = "authorization.not_determined"
    /// The decision was no.
    case denied = "authorization.denied"
    /// Policy forbids it.
    case restricted = "authorization.restricted"
    /// The granted level is not enough.
    case insufficientScope = "authorization.scope"
    /// The route is for the other kind of caller: operators, or devices.
    case operatorsOnly = "authorization.operators_only"

    /// It does not exist or is not in the caller's view: the same response for both.
    case notFound = "object.not_found"
    /// The identifier was used for a different asset.
    case assetConflict = "asset.conflict"
    /// Bytes are still missing.
    case assetIncomplete = "asset.incomplete"
    /// The asset was purged; its identifier cannot be reused.
    case assetPurged = "asset.purged"
    /// The offset does not match the upload's.
    case offsetMismatch = "upload.offset_mismatch"
    /// The bytes exceed the announced length, or the announcements differ.
    case lengthInconsistent = "upload.length_inconsistent"
    /// The upload is already complete.
    case uploadCompleted = "upload.completed"
    /// The upload expired or was cancelled.
    case uploadGone = "upload.gone"
    /// A newer request took the upload over.
    case uploadSuperseded = "upload.superseded"
    /// The bytes do not match the announced digest; nothing was kept.
    case digestMismatch = "resource.digest_mismatch"
    /// The description does not form an asset.
    case resourceInvalid = "resource.invalid"
    /// A required resource was not described.
    case resourceMissing = "resource.missing"
    /// The usage text is missing.
    case usageMissing = "usage.missing"

    /// The change's stamp is too far ahead of the server's clock; stamp it again.
    case clockAhead = "changes.clock_ahead"
    /// The change is not acceptable.
    case changeInvalid = "changes.invalid"
    /// Changes before this one are missing.
    case changeGap = "changes.gap"
    /// The library has other changes under the same counters; rewrite the pending ones under a new incarnation.
    case changesForked = "changes.forked"
    /// The token can no longer be continued; enumerate again.
    case tokenExpired = "changes.token_expired"
    /// The changes exist but can no longer be listed; enumerate again.
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
    /// The request's identifier was used for a different request.
    case pickerConflict = "picker.conflict"
    /// Somebody else changed the choice meanwhile; look at it again.
    case pickerChanged = "picker.changed"
    /// The picker's caller disabled this.
    case pickerCapabilityDisabled = "picker.capability_disabled"

    /// The derived picture does not exist yet; retry after `Retry-After`.
    case derivativePending = "derivative.pending"
    /// No such picture can be derived from this original.
    case derivativeUnavailable = "derivative.unavailable"

    /// The store has no room.
    case storageFull = "storage.full"
    /// The device has used up its quota.
    case quotaExceeded = "storage.quota"
    /// The bytes are damaged, and are not served.
    case storageDamaged = "storage.damaged"
    /// The server is temporarily unavailable.
    case unavailable = "server.unavailable"
    /// The server failed.
    case internalError = "server.internal"
}

/// When a retry makes sense.
package enum RetryAdvice: String, CaseIterable, Hashable, Sendable, Codable {
    /// At once, following the response.
    case now
    /// After the seconds in `Retry-After`; with exponential backoff without that header, as after a 500.
    case after
    /// After an operator's decision.
    case onDecision
    /// Never, unless the request is changed.
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
            .changesForked, .enrollmentConflict, .pickerNotDone, .pickerChanged, .pickerConflict:
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

    /// When a retry makes sense.
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
            .changeInvalid, .cursorInvalid, .enrollmentConflict, .enrollmentTokenInvalid, .pickerEnded, .pickerConflict,
            .derivativeUnavailable, .pickerCapabilityDisabled:
            .never
        }
    }

    /// The `type` of problem details: a reference that is stable across versions (RFC 9457, section 3.1.1).
    package var type: String { ProblemDetails.typePrefix + rawValue }

    /// A few words for people, the same for every occurrence.
    package var title: String {
        rawValue.split(separator: ".").joined(separator: ": ").split(separator: "_").joined(separator: " ")
    }
}

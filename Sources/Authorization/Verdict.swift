/// The answer for one call.
package enum Verdict: Hashable, Sendable {
    /// Allowed, within a scope.
    case allow(Scope)
    /// The bytes are accepted but quarantined for an administrator; nothing enters the library.
    case quarantine(Scope)
    /// Refused.
    case deny(Denial)

    /// What an allowed call may touch.
    package enum Scope: UInt8, Hashable, Sendable {
        /// Everything.
        case everything
        /// The caller's own objects.
        case own
        /// The caller's view.
        case view
        /// The granted albums.
        case grantedAlbums
    }

    /// The reason for a refusal; nil if not refused.
    package var denial: Denial? {
        guard case .deny(let denial) = self else { return nil }
        return denial
    }

    /// Whether the call may proceed on the library.
    package var isAllowed: Bool {
        guard case .allow = self else { return false }
        return true
    }
}

/// Why a call is refused.
///
/// Carries nothing about the object, so that the response is the same whatever the identifier.
package enum Denial: Hashable, Sendable {
    /// No credential.
    case identityMissing
    /// The certificate has expired.
    case identityExpired
    /// The device is revoked.
    case identityRevoked
    /// Two copies of the device were detected.
    case identitySuspect
    /// The device is being retired and may only deliver what it announced.
    case draining
    /// Not decided yet.
    case notDetermined(AccessLevel)
    /// An administrator denied it.
    case denied(AccessLevel)
    /// Policy forbids it.
    case restricted(AccessLevel)
    /// Policy forbids picking.
    case pickingRestricted
    /// A higher level is needed.
    case scope(needs: Requirement, readWrite: AuthorizationStatus)
    /// Only operators may call it.
    case operatorsOnly
    /// Only devices may call it.
    case devicesOnly
    /// There is no such object, or the caller may not know of it.
    case notFound
    /// No row of the table covers it.
    case unknownRoute

    /// What a call needs that the caller lacks.
    package enum Requirement: UInt8, Hashable, Sendable {
        /// `readWrite`, at least for a selection.
        case limited
        /// An album named in the grant, or `readWrite` for the whole library.
        case grantedAlbum
        /// `readWrite` for the whole library.
        case authorized
        /// An operator.
        case administrator
    }
}

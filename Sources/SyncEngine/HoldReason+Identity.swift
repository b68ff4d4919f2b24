package import Authorization
package import LibraryAPI

extension HoldReason {
    /// Why the library does not accept the box's identity; nil for any other refusal.
    package init?(refusing identity: ErrorCode?) {
        switch identity {
        case .identityMissing, .identityRevoked: self = .revoked
        case .identityExpired: self = .expired
        case .identitySuspect: self = .suspect
        default: return nil
        }
    }
}

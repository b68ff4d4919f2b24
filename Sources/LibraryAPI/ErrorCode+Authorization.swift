package import Authorization

extension Denial {
    /// The error code of the refusal.
    package var code: ErrorCode {
        switch self {
        case .identityMissing: .identityMissing
        case .identityExpired: .identityExpired
        case .identityRevoked: .identityRevoked
        case .identitySuspect: .identitySuspect
        case .draining, .denied: .denied
        case .notDetermined: .notDetermined
        case .restricted, .pickingRestricted: .restricted
        case .scope: .insufficientScope
        // The interface has one code for the wrong kind of caller.
        case .operatorsOnly, .devicesOnly: .operatorsOnly
        case .notFound, .unknownRoute: .notFound
        }
    }
}

extension ErrorCode {
    /// The error code of an authorization failure.
    package init(_ code: AuthorizationError.Code) {
        self =
            switch code {
            case .tooLarge: .tooLarge
            case .operatorsOnly: .operatorsOnly
            case .slowDown: .slowDown
            case .storageFull: .storageFull
            case .usageMissing: .usageMissing
            }
    }
}

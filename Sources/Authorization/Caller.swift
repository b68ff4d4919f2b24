/// The caller, with what a decision needs.
///
/// Read in the transaction of the operation that the decision allows.
package struct Caller: Hashable, Sendable {
    /// The credential the caller presented.
    package enum Credential: UInt8, CaseIterable, Hashable, Sendable {
        /// Nothing.
        case none
        /// An expired certificate of a known device.
        case expired
        /// A valid certificate of a known device.
        case device
        /// An operator's socket, certificate or login.
        case administrator
    }

    /// The credential the caller presented.
    package let credential: Credential
    /// The device's state; meaningless for other callers.
    package let state: DeviceState
    /// The device's effective statuses; meaningless for other callers.
    package let access: EffectiveAccess
    /// Whether a limited device was granted albums.
    package let hasGrantedAlbums: Bool

    package init(
        credential: Credential,
        state: DeviceState = .active,
        access: EffectiveAccess = EffectiveAccess(addOnly: .notDetermined, readWrite: .notDetermined),
        hasGrantedAlbums: Bool = false
    ) {
        self.credential = credential
        self.state = state
        self.access = access
        self.hasGrantedAlbums = hasGrantedAlbums
    }

    /// A device with its record.
    package init(device record: DecisionRecord, isExpired: Bool) {
        self.init(
            credential: isExpired ? .expired : .device,
            state: record.state,
            access: record.access,
            hasGrantedAlbums: !record.selection.grantedAlbums.isEmpty
        )
    }

    /// A caller without a credential.
    package static let anonymous = Caller(credential: .none)
    /// An operator.
    package static let administrator = Caller(credential: .administrator)

    /// The column of the endpoint table that applies for an aspect.
    package func kind(for aspect: RouteAspect) -> CallerKind {
        switch credential {
        case .none: return .none
        case .administrator: return .admin
        case .expired, .device: break
        }
        if case .revoked = state { return .revoked }
        if credential == .expired { return .expired }
        switch aspect {
        case .saving, .checking: return access.addOnly.grantsAccess ? grantedKind : refusedKind(access.addOnly)
        case .picking: return access.mayPick ? .undetermined : .restricted
        case .open, .identity, .reading:
            let mayRead = access.readWrite.grantsAccess || access.addOnly.grantsAccess
            return mayRead ? grantedKind : refusedKind(access.readWrite)
        }
    }

    /// The column of a device that may at least add.
    ///
    /// A draining device may no longer read.
    private var grantedKind: CallerKind {
        guard state != .draining else { return .add }
        switch access.readWrite {
        case .authorized: return .full
        case .limited: return hasGrantedAlbums ? .limitedAlbums : .limited
        case .notDetermined, .denied, .restricted: return .add
        }
    }

    private func refusedKind(_ status: AuthorizationStatus) -> CallerKind {
        switch status {
        case .notDetermined: .undetermined
        case .restricted: .restricted
        case .denied, .authorized, .limited: .denied
        }
    }
}

/// The relation of a call's object to its caller.
package enum ObjectRelation: UInt8, CaseIterable, Hashable, Sendable {
    /// The call names no object, for example a list: the verdict's scope narrows it.
    case collection
    /// The caller made it: an asset, upload, receipt, enrolment or picker session; while draining, one it announced.
    case own
    /// An asset in the caller's view.
    case inView
    /// An album that was granted.
    case inGrantedAlbum
    /// It exists, but the caller may not know that.
    case outside
    /// There is no such object.
    case nonexistent
}

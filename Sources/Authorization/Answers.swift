/// One cell of the endpoint table: the answer for one kind of caller on a route.
package enum Cell: UInt8, CaseIterable, Hashable, Sendable {
    /// Allowed.
    case ok
    /// Only the caller's own objects; anything else is not found.
    case own
    /// Only objects in the caller's view; anything else is not found.
    case view
    /// Only granted albums; any other is not found.
    case album
    /// 401: no credential.
    case missing
    /// 401: the certificate has expired.
    case expired
    /// 401: the device is revoked.
    case revoked
    /// 403: not decided yet.
    case notDetermined
    /// 403: an administrator denied it.
    case denied
    /// 403: policy forbids it.
    case restricted
    /// 403: the level is too low.
    case scope
    /// 403: the route is for the other kind of caller, operators or devices.
    case otherCallers
}

/// The columns of the endpoint table.
package enum CallerKind: Int, CaseIterable, Hashable, Sendable {
    /// No credential.
    case none
    /// The certificate has expired, and the device is not revoked.
    case expired
    /// The device is revoked.
    case revoked
    /// Nothing is decided yet.
    case undetermined
    /// May add, may not read.
    case add
    /// May read a selection.
    case limited
    /// May read a selection and was granted albums.
    case limitedAlbums
    /// May read and write all.
    case full
    /// Was denied.
    case denied
    /// Is forbidden by policy.
    case restricted
    /// An operator.
    case admin
}

/// Which of a caller's statuses a route is judged by, and how mixed states are resolved.
package enum RouteAspect: UInt8, Hashable, Sendable {
    /// For everyone, or for operators: no status is checked.
    case open
    /// Upkeep of a device's identity and status: no status is checked.
    case identity
    /// Saving: by the `addOnly` status; a suspect's uploads are quarantined.
    case saving
    /// Checking what the library already has: by the `addOnly` status; refused to a suspect.
    case checking
    /// Reading and editing: by the `readWrite` status; refused to a suspect.
    case reading
    /// Picking: only a policy against it is checked; refused to a suspect.
    case picking
}

/// The answers of one route to every kind of caller.
///
/// Many routes share the same answers, which are named by meaning.
package struct Answers: Hashable, Sendable {
    /// Which status the route is judged by.
    package let aspect: RouteAspect
    /// One cell per column, in the order of `CallerKind`.
    package let cells: [Cell]

    private init(_ aspect: RouteAspect, _ cells: [Cell]) {
        self.aspect = aspect
        self.cells = cells
    }

    /// Allowed for everyone, even without a credential.
    static let anyone = Answers(.open, CallerKind.allCases.map { _ in .ok })

    /// Allowed for operators only.
    static let operators = Answers(
        .open,
        CallerKind.allCases.map { $0 == .admin ? .ok : $0 == .none ? .missing : .otherCallers }
    )

    /// Upkeep of an identity: the same for every device with a valid certificate.
    static func identity(
        none: Cell = .missing,
        expired: Cell = .expired,
        revoked: Cell = .revoked,
        device: Cell = .ok,
        admin: Cell = .otherCallers
    ) -> Answers {
        Answers(.identity, [none, expired, revoked] + Array(repeating: device, count: 7) + [admin])
    }

    /// A call on the library: refused while undecided, denied or restricted.
    static func library(
        _ aspect: RouteAspect = .reading,
        add: Cell = .scope,
        limited: Cell,
        limitedAlbums: Cell? = nil,
        full: Cell = .ok,
        admin: Cell = .ok
    ) -> Answers {
        let granted = [add, limited, limitedAlbums ?? limited, full]
        return Answers(
            aspect,
            [.missing, .expired, .revoked, .notDetermined] + granted + [.denied, .restricted, admin]
        )
    }

    /// Picking, which requires no access at all.
    static func picking(_ device: Cell, admin: Cell) -> Answers {
        Answers(
            .picking,
            [.missing, .expired, .revoked] + Array(repeating: device, count: 6) + [.restricted, admin]
        )
    }

    /// Creating assets.
    static let creating = library(.saving, add: .ok, limited: .ok)
    /// The bytes of the caller's own uploads.
    static let ownUpload = library(.saving, add: .own, limited: .own, full: .own, admin: .own)
    /// Reading and editing assets in the view.
    static let viewing = library(limited: .view)
    /// The granted albums.
    static let grantedAlbums = library(limited: .scope, limitedAlbums: .album)
    /// Changing albums themselves.
    static let managingAlbums = library(limited: .scope)
}

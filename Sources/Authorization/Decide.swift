/// Decides one call: the only place where a call is allowed.
///
/// Total, without I/O or allocation: the caller's column for the route's aspect, one cell of the table, then the
/// object. A nil route is covered by no row of the table, the caller is as read in the call's transaction, and the
/// verdict's scope narrows calls on a collection.
package func decide(route: Route?, caller: Caller, object: ObjectRelation) -> Verdict {
    guard let route else { return .deny(.unknownRoute) }
    let aspect = DecisionTable.aspects[route.rawValue]
    let kind = caller.kind(for: aspect)
    let cell = DecisionTable.cells[route.rawValue * DecisionTable.columnCount + kind.rawValue]
    let verdict = DecisionTable.verdict(cell, object: object) {
        denial(cell, on: route, aspect: aspect, kind: kind, caller: caller)
    }
    return judgeState(verdict, on: route, aspect: aspect, kind: kind, caller: caller, object: object)
}

/// The restrictions of a suspect or draining device.
///
/// They only ever remove rights.
private func judgeState(
    _ verdict: Verdict,
    on route: Route,
    aspect: RouteAspect,
    kind: CallerKind,
    caller: Caller,
    object: ObjectRelation
) -> Verdict {
    guard caller.credential == .device else { return verdict }
    switch (caller.state, aspect) {
    case (.suspect, .checking), (.suspect, .reading), (.suspect, .picking):
        return .deny(.identitySuspect)
    case (.suspect, .saving):
        guard case .allow(let scope) = verdict else { return verdict }
        return .quarantine(scope)
    case (.draining, .saving) where verdict.isAllowed && route.createsAssets && object != .own:
        return object == .collection ? .allow(.own) : .deny(.draining)
    default:
        return verdict
    }
}

/// The refusal that a cell stands for.
private func denial(_ cell: Cell, on route: Route, aspect: RouteAspect, kind: CallerKind, caller: Caller) -> Denial {
    let level: AccessLevel = aspect == .saving || aspect == .checking ? .addOnly : .readWrite
    switch cell {
    case .missing: return .identityMissing
    case .expired: return .identityExpired
    case .revoked: return .identityRevoked
    case .notDetermined: return .notDetermined(level)
    case .denied: return .denied(level)
    case .restricted: return aspect == .picking ? .pickingRestricted : .restricted(level)
    case .scope:
        return .scope(needs: DecisionTable.requirements[route.rawValue], readWrite: caller.access.readWrite)
    case .otherCallers: return kind == .admin ? .devicesOnly : .operatorsOnly
    case .ok, .own, .view, .album: return .notFound
    }
}

/// The endpoint table flattened for speed: one byte per cell, no text.
enum DecisionTable {
    static let columnCount = CallerKind.allCases.count

    static let cells: [Cell] = rows.flatMap(\.cells)
    static let aspects: [RouteAspect] = rows.map(\.aspect)

    /// The requirement to report for a cell that refuses a level as too low.
    static let requirements: [Denial.Requirement] = rows.map { answers in
        if answers.cells[CallerKind.limited.rawValue] != .scope { return .limited }
        if answers.cells[CallerKind.limitedAlbums.rawValue] != .scope { return .grantedAlbum }
        return answers.cells[CallerKind.full.rawValue] != .scope ? .authorized : .administrator
    }

    /// The answers by route; a route missing from the table is operators-only until the tests find it.
    private static let rows: [Answers] = Route.allCases.map { route in
        RouteTable.entries.first { $0.route == route }?.answers ?? .operators
    }

    /// Applies a cell to an object.
    static func verdict(_ cell: Cell, object: ObjectRelation, denial: () -> Denial) -> Verdict {
        switch (cell, object) {
        case (.ok, _): .allow(.everything)
        case (.own, .own), (.own, .collection): .allow(.own)
        case (.view, .own), (.view, .inView), (.view, .collection): .allow(.view)
        case (.album, .inGrantedAlbum), (.album, .collection): .allow(.grantedAlbums)
        default: .deny(denial())
        }
    }
}

extension Route {
    /// Whether the call creates assets.
    var createsAssets: Bool { self == .createAsset || self == .createBatch }
}

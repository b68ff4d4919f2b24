import Replication

/// The change number that every live replica has acknowledged: older tombstones may go.
struct StabilityFrontier {
    private var acknowledged: [ReplicaID: UInt64] = [:]

    /// Records the last change number that a replica holds durably; a new one joins the live ones and holds the
    /// frontier back.
    mutating func acknowledge(_ number: UInt64, by replica: ReplicaID) {
        acknowledged[replica] = max(acknowledged[replica] ?? number, number)
    }

    /// Stops counting a replica that was revoked or replaced by a new incarnation.
    mutating func retire(_ replica: ReplicaID) {
        acknowledged[replica] = nil
    }

    /// The last change number acknowledged by every live replica; 0 if there is none.
    var stableThrough: UInt64 { acknowledged.values.min() ?? 0 }
}

extension ReplicaState {
    /// Forgets tombstones that every live replica has acknowledged, and returns them for the feed to announce.
    ///
    /// A repeated old write cannot revive them: its counter is below the incarnation's acknowledged one
    /// (`IncarnationRecord`), so it is not admitted twice. `version` numbers the library's changes.
    mutating func collectTombstones(_ frontier: StabilityFrontier) -> [EntityID] {
        let tombstones = identifiers.filter { entityView($0)?.isTombstone == true }
        guard !tombstones.isEmpty else { return [] }
        let later = Set(delta(since: frontier.stableThrough).identifiers)
        let collected = tombstones.filter { !later.contains($0) }
        for id in collected { forget(id) }
        return collected
    }
}

extension EntityView {
    /// Whether the entity is only the memory of a deletion.
    var isTombstone: Bool {
        switch id.kind {
        case .album: isPurged || albumPresence == .deleted
        case .membership: isPurged || !isPresent(MembershipField.presence)
        default: isPurged
        }
    }
}

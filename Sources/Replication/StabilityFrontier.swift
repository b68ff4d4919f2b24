/// The change number that every live replica has acknowledged: older tombstones may go.
package struct StabilityFrontier: Hashable, Sendable {
    /// The progress of one replica.
    package struct Progress: Hashable, Sendable {
        /// The last change number it acknowledged; never decreases.
        package fileprivate(set) var acknowledged: UInt64
        /// Its last contact, in milliseconds since 1970 by the server's clock.
        package fileprivate(set) var lastContact: UInt64
    }

    private var live: [ReplicaID: Progress] = [:]

    /// Starts without replicas; nothing is stable.
    package init() {}

    /// The live replicas.
    package var replicas: [ReplicaID] { live.keys.sorted() }

    /// A replica's progress; nil if it is unknown or expired.
    package func progress(of replica: ReplicaID) -> Progress? { live[replica] }

    /// Records the last change number that a replica holds durably; a new one joins the live ones and holds the
    /// frontier back.
    package mutating func acknowledge(_ number: UInt64, by replica: ReplicaID, at milliseconds: UInt64) {
        let known = live[replica] ?? Progress(acknowledged: number, lastContact: milliseconds)
        live[replica] = Progress(
            acknowledged: max(known.acknowledged, number),
            lastContact: max(known.lastContact, milliseconds)
        )
    }

    /// The last change number acknowledged by every live replica; 0 if there is none.
    package var stableThrough: UInt64 { live.values.map(\.acknowledged).min() ?? 0 }

    /// Expires replicas that were silent for 180 days, and returns them for the audit.
    ///
    /// They no longer hold the frontier back and their tokens die, but their captures are still accepted as new assets.
    package mutating func expireSilent(at milliseconds: UInt64) -> [ReplicaID] {
        guard milliseconds >= Limits.silenceMilliseconds else { return [] }
        let latest = milliseconds - Limits.silenceMilliseconds
        let expired = live.filter { $0.value.lastContact <= latest }.keys.sorted()
        for replica in expired { live[replica] = nil }
        return expired
    }

    /// Stops counting a replica that was revoked or replaced by a new incarnation.
    package mutating func retire(_ replica: ReplicaID) {
        live[replica] = nil
    }
}

extension ReplicaState {
    /// Forgets tombstones that every live replica has acknowledged, and returns them for the feed to announce.
    ///
    /// A repeated old write cannot revive them: its counter is below the incarnation's acknowledged one
    /// (`IncarnationRecord`), so it is not admitted twice. Only the server calls this, where `version` numbers the
    /// library's changes.
    package mutating func collectTombstones(_ frontier: StabilityFrontier) -> [EntityID] {
        let stable = frontier.stableThrough
        let collected = entities.filter { entity in
            entity.changedAt <= stable
                && EntityView(entity, replicas: replicas, arena: arena).isTombstone
        }
        .map(\.id).sorted()
        for id in collected { forget(id) }
        return collected
    }
}

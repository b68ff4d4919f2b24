/// Up to where every live replica has acknowledged the library's changes: tombstones older than that may go.
package struct StabilityFrontier: Hashable, Sendable {
    /// What is known of one replica.
    package struct Progress: Hashable, Sendable {
        /// The last change number it has acknowledged; it never goes back.
        package fileprivate(set) var acknowledged: UInt64
        /// When it last made contact, in milliseconds since 1970 by the server's clock.
        package fileprivate(set) var lastContact: UInt64
    }

    private var live: [ReplicaID: Progress] = [:]

    /// No replica is known, and nothing is stable.
    package init() {}

    /// The replicas that count.
    package var replicas: [ReplicaID] { live.keys.sorted() }

    /// What is known of a replica; nil when it is unknown or expired.
    package func progress(of replica: ReplicaID) -> Progress? { live[replica] }

    /// Notes what a replica acknowledged; one that is not known begins to count, and holds the frontier back.
    ///
    /// - Parameters:
    ///   - number: the last change number it holds durably.
    ///   - replica: who.
    ///   - milliseconds: the server's time.
    package mutating func acknowledge(_ number: UInt64, by replica: ReplicaID, at milliseconds: UInt64) {
        let known = live[replica] ?? Progress(acknowledged: number, lastContact: milliseconds)
        live[replica] = Progress(
            acknowledged: max(known.acknowledged, number),
            lastContact: max(known.lastContact, milliseconds)
        )
    }

    /// The last change number that every live replica has acknowledged; 0 when there is none.
    package var stableThrough: UInt64 { live.values.map(\.acknowledged).min() ?? 0 }

    /// Expires the replicas that have been silent for 180 days: they no longer hold the frontier back, their tokens die,
    /// and what they captured is still accepted as new assets.
    ///
    /// - Parameter milliseconds: the server's time.
    /// - Returns: the expired replicas, for the audit.
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
    /// Forgets the tombstones that every live replica has acknowledged.
    ///
    /// An old write that comes again cannot revive them: its counter is below the incarnation's acknowledged one
    /// (`IncarnationRecord`), so it is not admitted twice.
    ///
    /// - Parameter frontier: of a replica whose `version` numbers the library's changes: the server.
    /// - Returns: what was forgotten, which the feed tells the others.
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

/// Rewrites changes that nobody else has seen, under another replica or with other stamps.
package enum Reauthoring {
    /// Transfers unacknowledged changes of a rolled-back incarnation, in counter order, to a new one, which supplies
    /// the dots.
    ///
    /// Stamps are kept: the writes win and lose as they would have. References between the changes are renamed;
    /// references to others' writes are kept. The result is to be applied to a freshly fetched state, and sent.
    package static func reauthor(_ changes: [Change], as incarnation: inout Incarnation) -> [Change] {
        var renamed: [Dot: Dot] = [:]
        var lastWrites: [EntityID: UInt64] = [:]
        return changes.map { change in
            let dot = incarnation.nextDot()
            renamed[change.dot] = dot
            defer { lastWrites[change.entity] = dot.counter }
            return Change(
                entity: change.entity,
                field: change.field,
                dot: dot,
                after: lastWrites[change.entity] ?? incarnation.forgottenThrough,
                stamp: change.stamp,
                value: change.value,
                superseded: change.superseded.map { renamed[$0] ?? $0 }.sorted()
            )
        }
    }
}

extension ReplicaState {
    /// Restamps one replica's unacknowledged changes, in counter order, after the server refused their stamps, here and
    /// in the journal: none is dropped, and stamps ascend from the server's time.
    ///
    /// The clock is rewound, and continues from the new stamps.
    ///
    /// - Throws: `.stampExhausted`.
    package mutating func restamp(
        _ changes: [Change],
        clock: inout HybridLogicalClock,
        milliseconds: UInt64
    ) throws(ReplicationError) -> [Change] {
        clock.rewind(to: HybridTimestamp(rawValue: 0))
        var restamped = changes
        for (index, change) in changes.enumerated() {
            let stamp = try clock.next(at: milliseconds, after: lastStamp(of: change.entity, except: changes))
            restamp(change.entity, counter: change.dot.counter, of: change.dot.replica, to: stamp)
            restamped[index].stamp = stamp
        }
        return restamped
    }

    /// The newest stamp that other replicas gave an entity.
    private func lastStamp(of id: EntityID, except changes: [Change]) -> HybridTimestamp {
        guard let entity = entity(id), let first = changes.first, let last = changes.last,
            let author = replicas.index(of: first.dot.replica)
        else { return HybridTimestamp(rawValue: 0) }
        let own = first.dot.counter...max(first.dot.counter, last.dot.counter)
        return entity.entries.reduce(HybridTimestamp(rawValue: 0)) { newest, entry in
            entry.replica == author && own.contains(entry.counter) ? newest : max(newest, entry.stamp)
        }
    }

    /// Checks that a change, received in counter order, does not skip earlier writes of its replica on the same entity.
    ///
    /// - Throws: `.historyForked` if it claims fewer writes than there are.
    package func checkFollows(_ change: Change) throws(ReplicationError) {
        guard let replica = replicas.index(of: change.dot.replica), let entity = entity(change.entity) else { return }
        guard change.after >= entity.context.newest(of: replica) else {
            throw ReplicationError(.historyForked, "A change skips an earlier one", subject: "\(change.dot.replica)")
        }
    }
}

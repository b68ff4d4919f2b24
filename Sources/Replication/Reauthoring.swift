/// Writes changes that nobody else has seen once more, under another name or with other stamps.
package enum Reauthoring {
    /// Gives changes of a rolled-back incarnation to a new one.
    ///
    /// The stamps stay: the writes lose and win as they would have. References between the changes follow to the new
    /// names; references to what others wrote stay.
    ///
    /// - Parameters:
    ///   - changes: those never acknowledged, in the order of their counters.
    ///   - incarnation: the new one, from which the dots are taken.
    /// - Returns: the changes to apply, on a state fetched anew, and to send.
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
    /// Gives unacknowledged changes new stamps after the server refused theirs, here and in the journal.
    ///
    /// - Parameters:
    ///   - changes: those never acknowledged, of one replica, in the order of their counters.
    ///   - clock: told to start over; it goes on from the new stamps.
    ///   - milliseconds: the server's time.
    /// - Returns: the same changes with stamps that ascend from the server's time, none of them dropped.
    /// - Throws: `.stampExhausted`.
    package mutating func restamp(
        _ changes: [Change],
        clock: inout HybridLogicalClock,
        milliseconds: UInt64
    ) throws(ReplicationError) -> [Change] {
        clock.rewind(to: HybridTimestamp(rawValue: 0))
        var restamped: [Change] = []
        for change in changes {
            let stamp = try clock.next(at: milliseconds, after: lastStamp(of: change.entity, except: changes))
            restamp(change.entity, counter: change.dot.counter, of: change.dot.replica, to: stamp)
            restamped.append(
                Change(
                    entity: change.entity,
                    field: change.field,
                    dot: change.dot,
                    after: change.after,
                    stamp: stamp,
                    value: change.value,
                    superseded: change.superseded
                )
            )
        }
        return restamped
    }

    /// The newest stamp that others gave an entity.
    private func lastStamp(of id: EntityID, except changes: [Change]) -> HybridTimestamp {
        guard let entity = entity(id), let first = changes.first, let last = changes.last,
            let author = replicas.index(of: first.dot.replica)
        else { return HybridTimestamp(rawValue: 0) }
        let own = first.dot.counter...max(first.dot.counter, last.dot.counter)
        return entity.entries.reduce(HybridTimestamp(rawValue: 0)) { newest, entry in
            entry.replica == author && own.contains(entry.counter) ? newest : max(newest, entry.stamp)
        }
    }

    /// Checks that a change does not pass over earlier writes of its replica on the same entity.
    ///
    /// - Parameter change: one that came in the order of its replica's counters.
    /// - Throws: `.historyForked` when it claims that there are fewer than there are.
    package func checkFollows(_ change: Change) throws(ReplicationError) {
        guard let replica = replicas.index(of: change.dot.replica), let entity = entity(change.entity) else { return }
        guard change.after >= entity.context.newest(of: replica) else {
            throw ReplicationError(
                .historyForked,
                "A change passes over an earlier one",
                subject: "\(change.dot.replica)"
            )
        }
    }
}

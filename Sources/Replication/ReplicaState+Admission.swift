// The server's checks of a replica's change before it merges it. Merging itself accepts everything: a context that
// covers a future write swallows that write when it arrives, and unbounded state burdens everyone who loads it. Neither
// can be repaired afterwards, so neither is admitted.

/// The size of one entity's state.
package struct EntitySize: Equatable, Sendable {
    /// Live writes.
    package var writes = 0
    /// Runs in the causal context.
    package var runs = 0
    /// Encoded bytes of the live writes' values.
    package var valueBytes = 0

    /// Whether a limit is exceeded by more than before the change, which must then be refused; an oversized entity may
    /// still shrink.
    package func isTooLarge(after earlier: EntitySize) -> Bool {
        writes > max(Limits.entityWrites, earlier.writes)
            || runs > max(Limits.entityRuns, earlier.runs)
            || valueBytes > max(Limits.entityValueBytes, earlier.valueBytes)
    }
}

extension ReplicaState {
    /// The size of an entity's state; zero if it does not exist.
    package func size(of id: EntityID) -> EntitySize {
        guard let entity = entity(id) else { return EntitySize() }
        return EntitySize(
            writes: entity.entries.count,
            runs: entity.context.runs.count,
            valueBytes: entity.entries.reduce(0) { $0 + $1.value.count }
        )
    }

    /// Merges another replica's next change, also given as a single-change delta, or leaves everything unchanged.
    ///
    /// `mayBeWritten` returns whether an unseen write may have been made to the same entity; it is called for other
    /// authors' writes only.
    ///
    /// - Throws: `.unknownWrite` or `.limitExceeded`, and anything `mayBeWritten` throws.
    package mutating func admit(
        _ change: Change,
        as delta: Delta,
        schema: Schema = .library,
        mayBeWritten: (Dot) throws -> Bool
    ) throws {
        let entity = entity(change.entity)
        let author = replicas.index(of: change.dot.replica)
        if let author, entity?.context.covers(author, change.dot.counter) == true {
            throw ReplicationError(
                .unknownWrite,
                "The library already counts this change as overwritten: make it again",
                subject: "\(change.entity)"
            )
        }
        for dot in change.superseded {
            try check(dot, supersededBy: change, in: entity, schema: schema, mayBeWritten)
        }
        let before = size(of: change.entity)
        let mayPass = EntitySize(
            writes: before.writes + 1,
            runs: before.runs + 1 + change.superseded.count,
            valueBytes: before.valueBytes + delta.valueByteCount
        )
        guard mayPass.isTooLarge(after: before) else {
            apply(delta)
            return
        }
        var changed = self
        changed.apply(delta)
        guard !changed.size(of: change.entity).isTooLarge(after: before) else {
            throw ReplicationError(
                .limitExceeded,
                "There are too many edits here that nothing has overwritten: overwrite or remove some first",
                subject: "\(change.entity)"
            )
        }
        self = changed
    }

    private func check(
        _ dot: Dot,
        supersededBy change: Change,
        in entity: Entity?,
        schema: Schema,
        _ mayBeWritten: (Dot) throws -> Bool
    ) throws {
        if let entity, let replica = replicas.index(of: dot.replica), entity.context.covers(replica, dot.counter) {
            guard let live = entity.entries.first(where: { $0.hasDot(replica, dot.counter) }) else { return }
            guard schema.mayOverwrite(live.field, by: change.field, of: change.entity.kind) else {
                throw ReplicationError(
                    .unknownWrite,
                    "The change supersedes a write of a field that it may not overwrite",
                    subject: "\(change.entity)"
                )
            }
            return
        }
        let isKnown =
            dot.replica == change.dot.replica ? dot.counter < change.dot.counter : try mayBeWritten(dot)
        guard isKnown else {
            throw ReplicationError(
                .unknownWrite,
                "The change supersedes a write that this object has never had",
                subject: "\(change.entity)"
            )
        }
    }
}

extension Schema {
    /// Whether a write of one field may supersede those of another: only its own, except that presence and deletion
    /// supersede each other.
    func mayOverwrite(_ field: FieldID, by other: FieldID, of kind: EntityKind) -> Bool {
        if field == other { return true }
        guard self.field(other, of: kind).map({ [.presence, .tombstone].contains($0.rule) }) == true else {
            return false
        }
        return kind == .membership
            || self.field(field, of: kind).map { [.presence, .tombstone].contains($0.rule) } == true
    }
}

extension Delta {
    /// Encoded bytes of the values.
    fileprivate var valueByteCount: Int { operations.reduce(0) { $0 + $1.value.count } }
}

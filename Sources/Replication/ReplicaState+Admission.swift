// What the server holds a replica's change against before it merges it. Merging itself takes everything: a context that
// covers a write which is still to be made swallows that write when it comes, and a state without a bound costs whoever
// loads it. Neither can be mended afterwards, so neither is let in.

/// How much the state of one entity holds.
package struct EntitySize: Equatable, Sendable {
    /// Live writes.
    package var writes = 0
    /// Runs in the causal context.
    package var runs = 0
    /// Bytes of the live writes' values, encoded.
    package var valueBytes = 0

    /// Whether a limit is passed, and by more than before; what grew too large earlier may still shrink.
    ///
    /// - Parameter earlier: the size before the change.
    /// - Returns: whether the change has to be refused.
    package func isTooLarge(after earlier: EntitySize) -> Bool {
        writes > max(Limits.entityWrites, earlier.writes)
            || runs > max(Limits.entityRuns, earlier.runs)
            || valueBytes > max(Limits.entityValueBytes, earlier.valueBytes)
    }
}

extension ReplicaState {
    /// How much an entity's state holds; nothing where there is no such entity.
    package func size(of id: EntityID) -> EntitySize {
        guard let entity = entity(id) else { return EntitySize() }
        return EntitySize(
            writes: entity.entries.count,
            runs: entity.context.runs.count,
            valueBytes: entity.entries.reduce(0) { $0 + $1.value.count }
        )
    }

    /// Merges a change of another replica whose counter comes next, or leaves everything as it was.
    ///
    /// - Parameters:
    ///   - change: the change.
    ///   - delta: the same as a delta of its own.
    ///   - schema: tells which fields overwrite each other.
    ///   - isWritten: whether a write was made that this entity has not seen; asked for other authors' writes only.
    /// - Throws: `.unknownWrite` or `.limitExceeded`, and what `isWritten` throws.
    package mutating func admit(
        _ change: Change,
        as delta: Delta,
        schema: Schema = .library,
        isWritten: (Dot) throws -> Bool
    ) throws {
        let entity = entity(change.entity)
        let author = replicas.index(of: change.dot.replica)
        if let author, entity?.context.covers(author, change.dot.counter) == true {
            throw ReplicationError(
                .unknownWrite,
                "The library counts this change as overwritten already: make it again",
                subject: "\(change.entity)"
            )
        }
        for dot in change.superseded {
            try check(dot, supersededBy: change, in: entity, schema: schema, isWritten)
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
        _ isWritten: (Dot) throws -> Bool
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
            dot.replica == change.dot.replica ? dot.counter < change.dot.counter : try isWritten(dot)
        guard isKnown else {
            throw ReplicationError(
                .unknownWrite,
                "The change supersedes a write that this library has never seen",
                subject: "\(change.entity)"
            )
        }
    }
}

extension Schema {
    /// Whether a write of one field may supersede those of another: its own, and where an entity's being there and its
    /// deletion answer each other.
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
    /// Bytes of the values, encoded.
    fileprivate var valueByteCount: Int { operations.reduce(0) { $0 + $1.value.count } }
}

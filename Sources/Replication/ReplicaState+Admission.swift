// The server's checks of a replica's change before it merges it. Merging itself accepts everything: a context that
// covers a future write swallows that write when it arrives, and unbounded state burdens everyone who loads it. Neither
// can be repaired afterwards, so neither is admitted.

/// The size of one entity's state, in parts by how live writes are removed.
///
/// Each part has its own limit, so that filling one does not block writes to the others.
package struct EntitySize: Equatable, Sendable {
    /// Live writes of some fields.
    package struct Part: Equatable, Sendable {
        /// Their number.
        package var writes = 0
        /// Encoded bytes of their values.
        package var valueBytes = 0

        fileprivate func isTooLarge(_ writeLimit: Int, _ byteLimit: Int, after earlier: Self) -> Bool {
            writes > max(writeLimit, earlier.writes) || valueBytes > max(byteLimit, earlier.valueBytes)
        }
    }

    /// Registers: the next write overwrites those before, and the server retires surplus.
    package var registers = Part()
    /// Sets, presences and deletions: their elements can be removed.
    package var elements = Part()
    /// Maps that only grow, and fields that this version does not know: no edit overwrites them.
    package var lasting = Part()
    /// Gaps between the seen writes of each replica.
    ///
    /// A replica's first run does not count, so that its first write is always admitted.
    package var gaps = 0

    /// Whether a limit is exceeded by more than before the change, which must then be refused; an oversized entity may
    /// still shrink.
    ///
    /// - Parameters:
    ///   - earlier: the size before the change.
    ///   - share: a factor on the limits; the server's own edits have more room, which devices cannot use up.
    /// - Returns: whether a part, or the gaps, are beyond their limit and more than before.
    package func isTooLarge(after earlier: EntitySize, share: Int = 1) -> Bool {
        gaps > max(Limits.entityGaps, earlier.gaps)
            || registers.isTooLarge(
                Limits.registerWrites * share,
                Limits.registerValueBytes * share,
                after: earlier.registers
            )
            || elements.isTooLarge(
                Limits.elementWrites * share,
                Limits.elementValueBytes * share,
                after: earlier.elements
            )
            || lasting.isTooLarge(
                Limits.lastingWrites * share,
                Limits.lastingValueBytes * share,
                after: earlier.lasting
            )
    }

    /// The part that a field belongs to.
    fileprivate static func part(
        of field: FieldID,
        _ kind: EntityKind,
        _ schema: Schema
    ) -> WritableKeyPath<Self, Part> {
        switch schema.field(field, of: kind)?.rule {
        case .latest, .purge: \.registers
        case .addWinsSet, .presence, .tombstone: \.elements
        case .growOnlyMap, nil: \.lasting
        }
    }
}

extension ReplicaState {
    /// The size of an entity's state; zero if it does not exist.
    package func size(of id: EntityID, schema: Schema = .library) -> EntitySize {
        guard let entity = entity(id) else { return EntitySize() }
        var size = EntitySize()
        size.gaps = entity.context.gapCount
        // Sorted by field: the schema is asked once for each.
        var field: FieldID?
        var part: WritableKeyPath<EntitySize, EntitySize.Part> = \.registers
        for entry in entity.entries {
            if entry.field != field {
                field = entry.field
                part = EntitySize.part(of: entry.field, id.kind, schema)
            }
            size[keyPath: part].writes += 1
            size[keyPath: part].valueBytes += entry.value.count
        }
        return size
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
        let before = size(of: change.entity, schema: schema)
        var mayPass = before
        let part = EntitySize.part(of: change.field, change.entity.kind, schema)
        mayPass[keyPath: part].writes += 1
        mayPass[keyPath: part].valueBytes += delta.valueByteCount
        mayPass.gaps += 1 + change.superseded.count
        guard mayPass.isTooLarge(after: before) else {
            apply(delta)
            return
        }
        var changed = self
        changed.apply(delta)
        guard !changed.size(of: change.entity, schema: schema).isTooLarge(after: before) else {
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

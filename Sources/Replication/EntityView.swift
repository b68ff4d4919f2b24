/// One live write, as read.
package struct FieldWrite: Hashable, Sendable {
    /// Its identity.
    package let dot: Dot
    /// The timestamp, used only to break ties.
    package let stamp: HybridTimestamp
    /// The written value.
    package let value: FieldValue

    /// Whether it loses to a concurrent write: the lower (stamp, replica) loses.
    func loses(to other: Self) -> Bool {
        stamp == other.stamp ? dot < other.dot : stamp < other.stamp
    }
}

/// A readable entity: the reading half of the merge rules.
package struct EntityView: Sendable {
    private let entity: Entity
    private let replicas: ReplicaTable
    private let arena: ValueArena

    init(_ entity: Entity, replicas: ReplicaTable, arena: ValueArena) {
        self.entity = entity
        self.replicas = replicas
        self.arena = arena
    }

    /// Which entity it is.
    package var id: EntityID { entity.id }

    /// Whether the server has purged it: nothing else of it exists, or ever will.
    package var isPurged: Bool { entity.purge != nil }

    /// The fields that hold something, including ones this version does not know.
    package var fields: [FieldID] {
        entity.entries.map(\.field).reduce(into: []) { if $0.last != $1 { $0.append($1) } }
    }

    /// The live writes of a field, by dot.
    package func writes(_ field: FieldID) -> [FieldWrite] {
        entity.entries.filter { $0.field == field }.map { entry in
            FieldWrite(
                dot: Dot(replica: replicas[entry.replica], counter: entry.counter),
                stamp: entry.stamp,
                value: FieldValue(encoded: arena.encoded(entry.value))
            )
        }
        .sorted { $0.dot < $1.dot }
    }

    /// Whether a write has been seen, live or overwritten.
    package func hasSeen(_ dot: Dot) -> Bool {
        guard let replica = replicas.index(of: dot.replica) else { return false }
        return entity.context.covers(replica, dot.counter)
    }

    /// A register; nil if empty.
    package func register(_ field: FieldID) -> LatestRegister? { LatestRegister(writes(field)) }

    /// The current value of a register; its default if nothing was written.
    package func value(_ field: FieldID, schema: Schema = .library) -> FieldValue {
        register(field)?.value ?? schema.field(field, of: id.kind)?.defaultValue ?? .nothing
    }

    /// A set.
    package func set(_ field: FieldID) -> AddWinsSet { AddWinsSet(writes(field)) }

    /// A grow-only map.
    package func map(_ field: FieldID) -> GrowOnlyMap { GrowOnlyMap(writes(field)) }

    /// Whether a `.presence` field marks the entity as present.
    package func isPresent(_ field: FieldID) -> Bool { entity.entries.contains { $0.field == field } }

    /// Whether an album exists.
    package var albumPresence: AlbumPresence {
        switch (isPresent(AlbumField.presence), isPresent(AlbumField.tombstone)) {
        case (true, false): .present
        case (true, true): .revived
        case (false, true): .deleted
        case (false, false): .absent
        }
    }

    /// An asset's place in an album; nil if it is not in the album, or its key cannot be read.
    package var position: PositionKey? {
        guard isPresent(MembershipField.presence), case .bytes(let bytes) = value(MembershipField.position) else {
            return nil
        }
        return PositionKey(bytes: bytes)
    }
}

/// Whether an album exists.
package enum AlbumPresence: Hashable, Sendable {
    /// Nothing of it has arrived.
    case absent
    /// It is there.
    case present
    /// It was deleted, but somebody who did not know that added to it: it exists, and people should be told.
    case revived
    /// It was deleted.
    case deleted
}

extension ReplicaState {
    /// Reads an entity; nil if unknown.
    package func entityView(_ id: EntityID) -> EntityView? {
        entity(id).map { EntityView($0, replicas: replicas, arena: arena) }
    }
}

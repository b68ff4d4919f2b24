/// A replica's copy of a library, or of part of one: a mergeable value.
///
/// Entities lie in one flat array, found through a table keyed by identifier; their writes are plain 40-byte entries,
/// and long values share one arena. Copying the state is cheap until it is written.
///
/// Every mutating call raises `version`, which the changed entities remember: the local change feed.
package struct ReplicaState: Sendable {
    var replicas = ReplicaTable()
    var arena = ValueArena()
    private(set) var entities: [Entity] = []
    private var indices: [EntityID: UInt32] = [:]

    /// Counts the mutating calls; not part of the merged state.
    package private(set) var version: UInt64 = 0

    /// An empty replica.
    package init() {}

    /// The number of entities, tombstones included.
    package var count: Int { entities.count }

    /// The identifiers of all entities, in ascending order.
    package var identifiers: [EntityID] { entities.map(\.id).sorted() }

    /// Joins a delta of any replicas' changes, in any order, any number of times, and returns whether anything was new.
    @discardableResult
    package mutating func apply(_ delta: Delta) -> Bool {
        let replicaIndices = delta.replicas.ids.map { replicas.intern($0) }
        let entityIndices = delta.entities.map { slot(of: $0) }
        var dots: [PackedDot] = []
        var hasChanged = false
        for operation in delta.operations {
            dots.removeAll(keepingCapacity: true)
            for dot in delta.superseded[operation.supersededRange] {
                dots.append(PackedDot(replica: replicaIndices[Int(dot.replica)], counter: dot.counter))
            }
            let author = replicaIndices[Int(operation.author)]
            let entry =
                operation.hasValue
                ? Entry(
                    field: operation.field,
                    replica: author,
                    counter: operation.counter,
                    stamp: operation.stamp,
                    value: arena.adopt(operation.value, from: delta.arena)
                ) : nil
            let dot = PackedDot(replica: author, counter: operation.counter)
            let index = entityIndices[Int(operation.entity)]
            if join(dot, after: operation.after, entry: entry, superseded: dots[...], at: index) {
                entities[index].changedAt = version + 1
                hasChanged = true
            }
        }
        finish(hasChanged)
        return hasChanged
    }

    /// Joins one change; see `apply(_: Delta)`.
    @discardableResult
    package mutating func apply(_ change: Change) -> Bool {
        apply(Delta(CollectionOfOne(change)))
    }

    private mutating func join(
        _ dot: PackedDot,
        after: UInt64,
        entry: Entry?,
        superseded: ArraySlice<PackedDot>,
        at index: Int
    ) -> Bool {
        if let entry, entry.field == .purge {
            return entities[index].joinPurge(entry, replicas: replicas, arena: &arena)
        }
        if entities[index].purge != nil {
            if let entry { arena.discard(entry.value) }
            return false
        }
        return entities[index].join(dot, after: after, entry: entry, superseded: superseded, arena: &arena)
    }

    /// Joins another replica's state, or a part of one, and returns whether anything was new; entities it lacks are
    /// left alone.
    @discardableResult
    package mutating func merge(_ other: ReplicaState) -> Bool {
        let replicaIndices = other.replicas.ids.map { replicas.intern($0) }
        var hasChanged = false
        for entity in other.entities {
            let translated = entity.translated(by: replicaIndices, from: other.arena, into: &arena)
            let index = slot(of: entity.id)
            if entities[index].join(translated, replicas: replicas, arena: &arena) {
                entities[index].changedAt = version + 1
                hasChanged = true
            }
        }
        finish(hasChanged)
        return hasChanged
    }

    private mutating func finish(_ hasChanged: Bool) {
        if hasChanged { version += 1 }
        if arena.wantsCompacting { compact() }
    }

    /// Rewrites the arena without its garbage.
    private mutating func compact() {
        var compacted = ValueArena()
        for index in entities.indices {
            for position in entities[index].entries.indices {
                let value = entities[index].entries[position].value
                entities[index].entries[position].value = compacted.adopt(value, from: arena)
            }
        }
        arena = compacted
    }
}

extension ReplicaState {
    /// Finds an entity.
    func entity(_ id: EntityID) -> Entity? {
        indices[id].map { entities[Int($0)] }
    }

    /// The index of an entity; an empty one is created if needed.
    private mutating func slot(of id: EntityID) -> Int {
        if let index = indices[id] { return Int(index) }
        indices[id] = UInt32(entities.count)
        entities.append(Entity(id: id))
        return entities.count - 1
    }

    mutating func reserve(_ count: Int) {
        entities.reserveCapacity(count)
        indices.reserveCapacity(count)
    }

    /// Appends an entity known to be new, while reading a state.
    mutating func append(_ entity: Entity) {
        indices[entity.id] = UInt32(entities.count)
        entities.append(entity)
    }

    /// Removes an entity without a trace.
    ///
    /// It left the view, or its tombstone is stable; this is not a deletion.
    package mutating func forget(_ id: EntityID) {
        guard let index = indices.removeValue(forKey: id) else { return }
        entities[Int(index)].entries.forEach { arena.discard($0.value) }
        let last = entities.removeLast()
        if Int(index) < entities.count {
            entities[Int(index)] = last
            indices[last.id] = index
        }
        finish(true)
    }

    /// The entities that changed after a version of this state, whole: merging them updates a replica that held that
    /// version.
    package func delta(since version: UInt64) -> ReplicaState {
        self.version == version ? ReplicaState() : part { $0.changedAt > version }
    }

    /// Some of the entities, whole.
    package func part(_ ids: some Sequence<EntityID>) -> ReplicaState {
        var part = ReplicaState()
        part.merge(entities: ids.compactMap { entity($0) }, of: self)
        return part
    }

    private func part(where isIncluded: (Entity) -> Bool) -> ReplicaState {
        var part = ReplicaState()
        part.merge(entities: entities.filter(isIncluded), of: self)
        return part
    }

    private mutating func merge(entities chosen: [Entity], of other: ReplicaState) {
        replicas = other.replicas
        let indices = other.replicas.ids.indices.map { UInt32($0) }
        for entity in chosen {
            append(entity.translated(by: indices, from: other.arena, into: &arena))
        }
    }

    /// A copy without a field's live writes, which still count as seen.
    package func omitting(_ field: FieldID, of id: EntityID) -> ReplicaState {
        var copy = self
        guard let index = indices[id].map({ Int($0) }) else { return copy }
        for entry in copy.entities[index].entries where entry.field == field { copy.arena.discard(entry.value) }
        copy.entities[index].entries.removeAll { $0.field == field }
        return copy
    }

    /// Restamps live writes of one replica.
    mutating func restamp(_ id: EntityID, counter: UInt64, of replica: ReplicaID, to stamp: HybridTimestamp) {
        guard let index = indices[id].map({ Int($0) }), let author = replicas.index(of: replica) else { return }
        for position in entities[index].entries.indices
        where entities[index].entries[position].hasDot(author, counter) {
            entities[index].entries[position].stamp = stamp
        }
    }
}

extension Entity {
    /// A copy translated to another state's replica table and arena.
    func translated(by indices: [UInt32], from source: ValueArena, into arena: inout ValueArena) -> Self {
        var copy = Self(id: id)
        copy.entries.reserveCapacity(entries.count)
        for entry in entries {
            copy.entries.append(
                Entry(
                    field: entry.field,
                    replica: indices[Int(entry.replica)],
                    counter: entry.counter,
                    stamp: entry.stamp,
                    value: arena.adopt(entry.value, from: source)
                )
            )
        }
        copy.entries.sort { $0.precedes($1) }
        for run in context.runs {
            copy.context.cover(indices[Int(run.replica)], after: run.after, through: run.through)
        }
        return copy
    }
}

/// One live write of a field: 40 bytes, no references.
struct Entry: Equatable {
    let field: FieldID
    let replica: UInt32
    let counter: UInt64
    var stamp: HybridTimestamp
    var value: PackedValue

    @inline(__always)
    func precedes(_ other: Self) -> Bool {
        if field != other.field { return field < other.field }
        return replica == other.replica ? counter < other.counter : replica < other.replica
    }

    @inline(__always)
    func hasDot(_ replica: UInt32, _ counter: UInt64) -> Bool {
        self.counter == counter && self.replica == replica
    }
}

/// A dot with the replica as an index.
struct PackedDot: Equatable {
    let replica: UInt32
    let counter: UInt64
}

/// The state of one entity: its live writes and the context of all writes seen.
///
/// Every field joins the same way, known or not: a live write stays unless the other side has seen it and no longer has
/// it. A rule only determines which writes a new one supersedes (`ReplicaState+Writing.swift`) and how the live ones
/// are read (`EntityView.swift`).
///
/// The exception is the purge: it replaces the whole entity and swallows later arrivals.
struct Entity {
    let id: EntityID
    /// Sorted by field, replica index and counter, without duplicates.
    var entries: [Entry] = []
    var context = CausalContext()
    /// The version of the owning state in which this entity last changed.
    var changedAt: UInt64 = 0

    /// The purge, which sorts first because its field is 0.
    var purge: Entry? {
        guard let first = entries.first, first.field == .purge else { return nil }
        return first
    }

    /// The newest stamp of a live write.
    var lastStamp: HybridTimestamp {
        entries.reduce(HybridTimestamp(rawValue: 0)) { max($0, $1.stamp) }
    }

    /// Joins one write, and returns false if all of it was known.
    ///
    /// The write follows the replica's previous one on this entity, or 0, leaves an entry unless it only removes, and
    /// overwrites the superseded ones. The arena holds this entity's longer values, the entry's among them.
    @inline(__always)
    mutating func join(
        _ dot: PackedDot,
        after: UInt64,
        entry: Entry?,
        superseded: ArraySlice<PackedDot>,
        arena: inout ValueArena
    ) -> Bool {
        let isKnown = context.covers(dot.replica, dot.counter)
        var hasChanged = context.cover(dot.replica, after: after, through: dot.counter)
        for other in superseded {
            if context.cover(other.replica, after: other.counter - 1, through: other.counter) {
                hasChanged = true
            } else if remove(other, arena: &arena) {
                hasChanged = true
            }
        }
        guard !isKnown, let entry else {
            if let entry { arena.discard(entry.value) }
            return hasChanged
        }
        insert(entry)
        return true
    }

    /// Joins a purge: of two, the one with the greater dot stays.
    mutating func joinPurge(_ purge: Entry, replicas: ReplicaTable, arena: inout ValueArena) -> Bool {
        if let mine = self.purge {
            let isNewer =
                (mine.stamp, replicas[mine.replica], mine.counter)
                < (purge.stamp, replicas[purge.replica], purge.counter)
            guard isNewer else {
                arena.discard(purge.value)
                return false
            }
        }
        entries.forEach { arena.discard($0.value) }
        entries = [purge]
        context.removeAll()
        return true
    }

    /// Joins another state of the same entity, already translated to this one's replica indices and arena.
    mutating func join(_ other: Self, replicas: ReplicaTable, arena: inout ValueArena) -> Bool {
        if let purge = other.purge { return joinPurge(purge, replicas: replicas, arena: &arena) }
        guard purge == nil else { return false }
        var hasChanged = false
        let kept = entries.filter { entry in
            if !other.context.covers(entry.replica, entry.counter) || other.contains(entry) { return true }
            arena.discard(entry.value)
            return false
        }
        if kept.count != entries.count {
            entries = kept
            hasChanged = true
        }
        for entry in other.entries {
            if context.covers(entry.replica, entry.counter) {
                arena.discard(entry.value)
            } else {
                insert(entry)
                hasChanged = true
            }
        }
        for run in other.context.runs where context.cover(run.replica, after: run.after, through: run.through) {
            hasChanged = true
        }
        return hasChanged
    }

    private func contains(_ entry: Entry) -> Bool {
        let index = position(of: entry)
        return index < entries.count && !entry.precedes(entries[index])
    }

    @inline(__always)
    private mutating func insert(_ entry: Entry) {
        entries.insert(entry, at: position(of: entry))
    }

    @inline(__always)
    private mutating func remove(_ dot: PackedDot, arena: inout ValueArena) -> Bool {
        guard let index = entries.firstIndex(where: { $0.hasDot(dot.replica, dot.counter) }) else { return false }
        arena.discard(entries[index].value)
        entries.remove(at: index)
        return true
    }

    /// The index at which the entry is, or would be inserted.
    @inline(__always)
    private func position(of entry: Entry) -> Int {
        var low = 0
        var high = entries.count
        while low < high {
            let middle = (low + high) >> 1
            if entries[middle].precedes(entry) {
                low = middle + 1
            } else {
                high = middle
            }
        }
        return low
    }
}

// The canonical bytes of a state, version 1: the same state has exactly one encoding, on every replica. They are also
// the snapshot that a replica is loaded from, and the form in which whole entities travel. Numbers are varints.
//
//     0x51
//     count of replicas, then 16 bytes each, ascending; only such as occur below
//     base: the smallest stamp's milliseconds, 0 if there is no write
//     count of entities, then each of them, ascending:
//         kind, 16 bytes, or two times 16 where the kind is a pair
//         count of runs, then each, ascending: replica index, after, through - after
//         count of writes, then each, ascending by (field, replica, counter):
//             field, replica index, counter, milliseconds - base, 16-bit counter of the stamp,
//             length of the value and its bytes
//
// Reading refuses anything that writing would not have produced: wrong order, touching runs, an unused replica, a
// number not in its shortest form.

extension ReplicaState {
    private static let formatByte: UInt8 = 0x51

    /// The canonical encoding: equal for two states if and only if the states are equal.
    package var canonicalBytes: [UInt8] {
        var used = [Bool](repeating: false, count: replicas.ids.count)
        var base = HybridTimestamp.maximumMilliseconds
        for entity in entities {
            for run in entity.context.runs { used[Int(run.replica)] = true }
            for entry in entity.entries {
                used[Int(entry.replica)] = true
                base = min(base, entry.stamp.milliseconds)
            }
        }
        if entities.allSatisfy(\.entries.isEmpty) { base = 0 }
        let sorted = used.indices.filter { used[$0] }.sorted { replicas.ids[$0] < replicas.ids[$1] }
        var indices = [UInt32](repeating: 0, count: used.count)
        for (rank, index) in sorted.enumerated() { indices[index] = UInt32(rank) }

        var writer = VarintWriter()
        writer.reserve(64 + 160 * entities.count)
        writer.byte(Self.formatByte)
        writer.varint(sorted.count)
        for index in sorted { writer.wide(replicas.ids[index].rawValue) }
        writer.varint(base)
        writer.varint(entities.count)
        let isInOrder = sorted.enumerated().allSatisfy { $0.offset == $0.element }
        for index in entities.indices.sorted(by: { entities[$0].id < entities[$1].id }) {
            write(entities[index], indices: isInOrder ? nil : indices, base: base, to: &writer)
        }
        return writer.bytes
    }

    private func write(_ entity: Entity, indices: [UInt32]?, base: UInt64, to writer: inout VarintWriter) {
        var runs = entity.context.runs
        var entries = entity.entries
        let rank = { (replica: UInt32) in indices.map { $0[Int(replica)] } ?? replica }
        if indices != nil {
            runs.sort { (rank($0.replica), $0.after) < (rank($1.replica), $1.after) }
            entries.sort {
                ($0.field, rank($0.replica), $0.counter) < ($1.field, rank($1.replica), $1.counter)
            }
        }
        writer.varint(UInt64(entity.id.kind.rawValue))
        writer.wide(entity.id.first)
        if entity.id.kind.isPair { writer.wide(entity.id.second) }
        writer.varint(runs.count)
        for run in runs {
            writer.varint(UInt64(rank(run.replica)))
            writer.varint(run.after)
            writer.varint(run.through - run.after)
        }
        writer.varint(entries.count)
        for entry in entries {
            writer.varint(UInt64(entry.field.rawValue))
            writer.varint(UInt64(rank(entry.replica)))
            writer.varint(entry.counter)
            writer.varint(entry.stamp.milliseconds - base)
            writer.varint(UInt64(entry.stamp.counter))
            writer.varint(entry.value.count)
            arena.write(entry.value, to: &writer)
        }
    }

    /// Reads the canonical bytes of a state from untrusted ones.
    ///
    /// - Throws: `.malformedBytes` for anything else, `.limitExceeded` for a value that is too long.
    package init(canonicalBytes: [UInt8]) throws(ReplicationError) {
        self.init()
        var reader = VarintReader(canonicalBytes)
        guard try reader.byte() == Self.formatByte else { throw .malformed("This is not a replica state", at: 0) }
        let replicaCount = try reader.count(itemBytes: 16)
        for _ in 0..<replicaCount {
            let id = ReplicaID(rawValue: try reader.wide())
            guard replicas.ids.last.map({ $0 < id }) ?? true else {
                throw .malformed("Replicas are not in order", at: reader.position)
            }
            _ = replicas.intern(id)
        }
        var stateReader = StateReader(replicaCount: UInt64(replicaCount), base: try reader.varint())
        let count = try reader.count(itemBytes: 19)
        reserve(count)
        var last: EntityID?
        for _ in 0..<count {
            let entity = try stateReader.entity(from: &reader, into: &arena)
            guard last.map({ $0 < entity.id }) ?? true else {
                throw .malformed("Entities are not in order", at: reader.position)
            }
            last = entity.id
            append(entity)
        }
        try stateReader.finish(reader)
    }
}

/// Reads entities in canonical form and checks that the form is canonical.
private struct StateReader {
    let replicaCount: UInt64
    let base: UInt64
    var isUsed: [Bool]
    var smallest: UInt64?

    init(replicaCount: UInt64, base: UInt64) {
        self.replicaCount = replicaCount
        self.base = base
        isUsed = Array(repeating: false, count: Int(replicaCount))
    }

    mutating func entity(
        from reader: inout VarintReader,
        into arena: inout ValueArena
    ) throws(ReplicationError) -> Entity {
        let kind = EntityKind(rawValue: UInt16(truncatingIfNeeded: try reader.varint(upTo: UInt64(UInt16.max))))
        let first = try reader.wide()
        var entity = Entity(id: EntityID(kind: kind, first, kind.isPair ? try reader.wide() : 0))
        let runCount = try reader.count(itemBytes: 3)
        entity.context.reserve(runCount)
        for index in 0..<runCount {
            let run = try run(from: &reader)
            entity.context.cover(run.replica, after: run.after, through: run.through)
            // A run that is out of order or touches another changes the count.
            guard entity.context.runs.count == index + 1, entity.context.runs[index] == run else {
                throw .malformed("Runs are not in order", at: reader.position)
            }
        }
        let entryCount = try reader.count(itemBytes: 6)
        entity.entries.reserveCapacity(entryCount)
        for _ in 0..<entryCount {
            let entry = try entry(from: &reader, into: &arena)
            guard entity.entries.last.map({ $0.precedes(entry) }) ?? true else {
                throw .malformed("Writes are not in order", at: reader.position)
            }
            guard entry.field == .purge || entity.context.covers(entry.replica, entry.counter) else {
                throw .malformed("A write is outside its context", at: reader.position)
            }
            entity.entries.append(entry)
        }
        let isWellFormed = entity.purge == nil ? runCount > 0 : runCount == 0 && entryCount == 1
        guard isWellFormed else {
            throw .malformed("An entity is empty, or holds more than its purge", at: reader.position)
        }
        return entity
    }

    private mutating func replica(from reader: inout VarintReader) throws(ReplicationError) -> UInt32 {
        let index = try reader.varint()
        guard index < replicaCount else { throw .malformed("No such replica", at: reader.position) }
        isUsed[Int(index)] = true
        return UInt32(index)
    }

    private mutating func run(from reader: inout VarintReader) throws(ReplicationError) -> CausalContext.Run {
        let replica = try replica(from: &reader)
        let after = try reader.varint(upTo: Limits.counter)
        let length = try reader.varint(upTo: Limits.counter - after)
        guard length > 0 else { throw .malformed("An empty run", at: reader.position) }
        return CausalContext.Run(replica: replica, after: after, through: after + length)
    }

    private mutating func entry(
        from reader: inout VarintReader,
        into arena: inout ValueArena
    ) throws(ReplicationError) -> Entry {
        let field = FieldID(rawValue: UInt16(truncatingIfNeeded: try reader.varint(upTo: UInt64(UInt16.max))))
        let replica = try replica(from: &reader)
        let counter = try reader.varint(upTo: Limits.counter)
        let (milliseconds, overflow) = base.addingReportingOverflow(try reader.varint())
        guard !overflow, milliseconds <= HybridTimestamp.maximumMilliseconds, counter > 0 else {
            throw .malformed("A stamp or a counter does not fit", at: reader.position)
        }
        smallest = min(smallest ?? milliseconds, milliseconds)
        let tick = UInt16(truncatingIfNeeded: try reader.varint(upTo: UInt64(UInt16.max)))
        let length = try reader.count(itemBytes: 1, upTo: Limits.valueBytes)
        return Entry(
            field: field,
            replica: replica,
            counter: counter,
            stamp: HybridTimestamp(milliseconds: milliseconds, counter: tick),
            value: arena.pack(try reader.skip(length), of: reader.bytes)
        )
    }

    func finish(_ reader: VarintReader) throws(ReplicationError) {
        guard isUsed.allSatisfy({ $0 }), base == smallest ?? 0 else {
            throw .malformed("The tables are not minimal", at: reader.position)
        }
        try reader.expectEnd()
    }
}

/// A batch of changes in the order their authors made them, stored flat without an object per change.
///
/// `Delta+Encoding.swift` describes its bytes.
package struct Delta: Sendable {
    /// One change; replicas and entities are indices into the delta's tables.
    struct Operation {
        let entity: UInt32
        let author: UInt32
        let field: FieldID
        let hasValue: Bool
        let counter: UInt64
        let after: UInt64
        let stamp: HybridTimestamp
        let value: PackedValue
        let supersededStart: UInt32
        let supersededCount: UInt32

        var supersededRange: Range<Int> {
            Int(supersededStart)..<Int(supersededStart) + Int(supersededCount)
        }
    }

    var replicas = ReplicaTable()
    private(set) var entities: [EntityID] = []
    private var entityIndices: [EntityID: UInt32] = [:]
    var operations: [Operation] = []
    var superseded: [PackedDot] = []
    var arena = ValueArena()

    /// An empty delta.
    package init() {}

    /// The changes, in order.
    package init(_ changes: some Sequence<Change>) {
        for change in changes { append(change) }
    }

    /// Appends a change.
    package mutating func append(_ change: Change) {
        let start = superseded.count
        for dot in change.superseded {
            superseded.append(PackedDot(replica: replicas.intern(dot.replica), counter: dot.counter))
        }
        operations.append(
            Operation(
                entity: intern(change.entity),
                author: replicas.intern(change.dot.replica),
                field: change.field,
                hasValue: change.value != nil,
                counter: change.dot.counter,
                after: change.after,
                stamp: change.stamp,
                value: arena.pack(change.value?.encoded ?? []),
                supersededStart: UInt32(start),
                supersededCount: UInt32(change.superseded.count)
            )
        )
    }

    /// The changes one by one; for judging and for tests, because it allocates an object for each.
    package var changes: [Change] {
        operations.map { operation in
            Change(
                entity: entities[Int(operation.entity)],
                field: operation.field,
                dot: Dot(replica: replicas[operation.author], counter: operation.counter),
                after: operation.after,
                stamp: operation.stamp,
                value: operation.hasValue ? FieldValue(encoded: arena.encoded(operation.value)) : nil,
                superseded: superseded[operation.supersededRange]
                    .map { Dot(replica: replicas[$0.replica], counter: $0.counter) }
            )
        }
    }

    /// Adds an entity without looking it up; the caller knows that it is new, or does not care.
    mutating func appendEntity(_ id: EntityID) {
        entities.append(id)
    }

    private mutating func intern(_ id: EntityID) -> UInt32 {
        if let known = entityIndices[id] { return known }
        let index = UInt32(entities.count)
        entities.append(id)
        entityIndices[id] = index
        return index
    }
}

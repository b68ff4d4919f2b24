extension Delta {
    /// Reads a delta from untrusted bytes, as described in `Delta+Encoding.swift`: all of it or nothing.
    ///
    /// - Throws: `.malformedBytes` or `.limitExceeded`; memory is bounded by a multiple of the input.
    package init(encoded bytes: [UInt8]) throws(ReplicationError) {
        guard bytes.count <= Limits.deltaBytes else {
            throw ReplicationError(.limitExceeded, "A delta is larger than \(Limits.deltaBytes) bytes")
        }
        var decoder = DeltaDecoder(bytes)
        self = try decoder.decode()
    }
}

/// Reads a delta.
struct DeltaDecoder {
    private var reader: VarintReader
    private var delta = Delta()
    private var cursor = DeltaCursor()
    private var identifiers: [UInt128] = []
    private var rememberedValues: [PackedValue] = []

    init(_ bytes: [UInt8]) {
        reader = VarintReader(bytes)
    }

    mutating func decode() throws(ReplicationError) -> Delta {
        guard try reader.byte() == DeltaCursor.formatByte else { throw .malformed("This is not a delta", at: 0) }
        let replicaCount = try reader.count(itemBytes: 16)
        for index in 0..<replicaCount {
            guard delta.replicas.intern(ReplicaID(rawValue: try reader.wide())) == UInt32(index) else {
                throw .malformed("A replica is listed twice", at: reader.position)
            }
        }
        let count = try reader.count(itemBytes: 2, upTo: Limits.operations)
        delta.operations.reserveCapacity(count)
        for _ in 0..<count {
            let operation = try operation()
            cursor.advance(past: operation)
            delta.operations.append(operation)
        }
        try reader.expectEnd()
        return delta
    }

    private mutating func operation() throws(ReplicationError) -> Delta.Operation {
        let flags = OperationFlags(rawValue: try reader.byte())
        guard flags.rawValue < 0x80, !flags.isSuperset(of: [.newEntity, .sameEntity]) else {
            throw .malformed("Unknown flags", at: reader.position)
        }
        let dot = try dot(flags)
        let entity = try entity(flags)
        let stamp = try stamp(flags)
        var after = cursor.expectedAfter(of: entity, author: dot.replica)
        if flags.contains(.after) {
            let distance = try reader.varint()
            guard distance > 0, distance <= dot.counter else {
                throw .malformed("A write does not follow the one before it", at: reader.position)
            }
            after = dot.counter - distance
        }
        guard after < dot.counter else {
            throw .malformed("A write does not follow the one before it", at: reader.position)
        }
        let field = FieldID(rawValue: UInt16(truncatingIfNeeded: try reader.varint(upTo: UInt64(UInt16.max))))
        let start = delta.superseded.count
        if flags.contains(.superseded) { try superseded(by: dot) }
        let value = flags.contains(.value) ? try value() : PackedValue(inline: 0..<0, of: [])
        return Delta.Operation(
            entity: entity,
            author: dot.replica,
            field: field,
            hasValue: flags.contains(.value),
            counter: dot.counter,
            after: after,
            stamp: stamp,
            value: value,
            supersededStart: UInt32(start),
            supersededCount: UInt32(delta.superseded.count - start)
        )
    }

    private mutating func dot(_ flags: OperationFlags) throws(ReplicationError) -> PackedDot {
        if flags.contains(.author) { return try dot() }
        guard cursor.author < delta.replicas.ids.count, cursor.counter < Limits.counter else {
            throw .malformed("A write has no replica, or no counter", at: reader.position)
        }
        return PackedDot(replica: cursor.author, counter: cursor.counter + 1)
    }

    private mutating func dot() throws(ReplicationError) -> PackedDot {
        let replica = try reader.varint()
        let counter = try reader.varint(upTo: Limits.counter)
        guard replica < delta.replicas.ids.count, counter > 0 else {
            throw .malformed("A write has no replica, or no counter", at: reader.position)
        }
        return PackedDot(replica: UInt32(replica), counter: counter)
    }

    private mutating func entity(_ flags: OperationFlags) throws(ReplicationError) -> UInt32 {
        if flags.contains(.newEntity) {
            delta.appendEntity(try newEntity())
            return UInt32(delta.entities.count - 1)
        }
        let index = flags.contains(.sameEntity) ? UInt64(cursor.entity) : try reader.varint()
        guard index < delta.entities.count else { throw .malformed("No such entity", at: reader.position) }
        return UInt32(index)
    }

    private mutating func newEntity() throws(ReplicationError) -> EntityID {
        let header = try reader.varint(upTo: UInt64(UInt16.max) << 2 | 3)
        let kind = EntityKind(rawValue: UInt16(truncatingIfNeeded: header >> 2))
        guard kind.isPair || header & 2 == 0 else { throw .malformed("No such identifier", at: reader.position) }
        let first = try identifier(isKnown: header & 1 != 0)
        let second = kind.isPair ? try identifier(isKnown: header & 2 != 0) : 0
        return EntityID(kind: kind, first, second)
    }

    private mutating func identifier(isKnown: Bool) throws(ReplicationError) -> UInt128 {
        if isKnown {
            let index = try reader.varint()
            guard index < identifiers.count else { throw .malformed("No such identifier", at: reader.position) }
            return identifiers[Int(index)]
        }
        let identifier = try reader.wide()
        identifiers.append(identifier)
        return identifier
    }

    private mutating func stamp(_ flags: OperationFlags) throws(ReplicationError) -> HybridTimestamp {
        if flags.contains(.stamp) {
            let (sum, overflow) = Int64(cursor.stamp.milliseconds).addingReportingOverflow(try reader.signed())
            guard !overflow, sum >= 0, sum <= Int64(HybridTimestamp.maximumMilliseconds) else {
                throw .malformed("A stamp does not fit", at: reader.position)
            }
            let counter = try reader.varint(upTo: UInt64(UInt16.max))
            return HybridTimestamp(milliseconds: UInt64(sum), counter: UInt16(truncatingIfNeeded: counter))
        }
        guard let next = cursor.stamp.successor else { throw .malformed("A stamp does not fit", at: reader.position) }
        return next
    }

    private mutating func superseded(by dot: PackedDot) throws(ReplicationError) {
        for _ in 0..<(try reader.count(itemBytes: 2, upTo: Limits.superseded)) {
            let other = try self.dot()
            guard other != dot else { throw .malformed("A write supersedes itself", at: reader.position) }
            delta.superseded.append(other)
        }
        guard delta.superseded.count <= Limits.operations else {
            throw ReplicationError(.limitExceeded, "A delta supersedes more than \(Limits.operations) writes")
        }
    }

    private mutating func value() throws(ReplicationError) -> PackedValue {
        let header = try reader.varint()
        switch header & 3 {
        case ValueMode.reference:
            guard header >> 2 < rememberedValues.count else { throw .malformed("No such value", at: reader.position) }
            return rememberedValues[Int(header >> 2)]
        case let mode where mode <= ValueMode.remembered:
            guard header >> 2 <= Limits.valueBytes else {
                throw ReplicationError(.limitExceeded, "A value is longer than \(Limits.valueBytes) bytes")
            }
            guard mode == ValueMode.plain || header >> 2 <= Limits.rememberedValueBytes else {
                throw ReplicationError(.limitExceeded, "A remembered value is too long")
            }
            let range = try reader.skip(Int(header >> 2))
            let value = delta.arena.pack(range, of: reader.bytes)
            if mode == ValueMode.remembered { rememberedValues.append(value) }
            return value
        default:
            throw .malformed("An unknown value mode", at: reader.position)
        }
    }
}

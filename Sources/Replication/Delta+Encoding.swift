// The bytes of a delta, version 1. Numbers are varints (`VarintWriter`) unless it says otherwise.
//
//     0xD1
//     count of replicas, then 16 bytes each: the replica table
//     count of operations, then each of them; the one before the first counts as by replica 0, counter 0, stamp 0:
//         flags, one byte:
//             0x01 author and counter follow; otherwise the author of the operation before, and its counter + 1
//             0x02 a new entity follows
//             0x04 the entity of the operation before (0x02 and 0x04 exclude each other; neither: an index follows)
//             0x08 a stamp follows; otherwise the stamp of the operation before, plus 1
//             0x10 `after` follows; otherwise the counter of the entity's operation before it in this delta, where
//                  that is by the same author, or 0
//             0x20 superseded dots follow
//             0x40 a value follows
//         [author: index in the replica table, counter]
//         [new entity: kind << 2 | second known << 1 | first known, then one identifier, or two where the kind is a
//             pair: 16 bytes, or, where known, its index among the identifiers that came as 16 bytes before]
//         [index of an entity, in the order of their first use]
//         [stamp: difference of milliseconds to the operation before as zigzag, 16-bit counter]
//         [after: counter - after, above 0]
//         field
//         [superseded: count, then replica index and counter each]
//         [value: length << 2 | mode, then, unless the mode is 2, the bytes as `FieldValue` encodes them.
//             Mode 0: plain. 1: plain, and remembered, if not longer than 256 bytes. 2: instead of the length the index
//             among those remembered]
//
// Invariants: counters are in 1...2^56, `after` is below the counter, and no operation supersedes itself. Identifiers and
// repeated values are so amortised over a batch; a sequence of edits by one replica costs no counter and no stamp.

/// The flags of one operation.
struct OperationFlags: OptionSet {
    let rawValue: UInt8

    static let author = Self(rawValue: 0x01)
    static let newEntity = Self(rawValue: 0x02)
    static let sameEntity = Self(rawValue: 0x04)
    static let stamp = Self(rawValue: 0x08)
    static let after = Self(rawValue: 0x10)
    static let superseded = Self(rawValue: 0x20)
    static let value = Self(rawValue: 0x40)
}

/// How a value is encoded.
enum ValueMode {
    static let plain: UInt64 = 0
    static let remembered: UInt64 = 1
    static let reference: UInt64 = 2
}

/// The state that both sides of the encoding carry from one operation to the next.
struct DeltaCursor {
    static let formatByte: UInt8 = 0xD1

    var author: UInt32 = 0
    var counter: UInt64 = 0
    var entity: UInt32 = 0
    var stamp = HybridTimestamp(rawValue: 0)
    /// For each entity so far, the author and counter of its last operation.
    var lastWrites: [PackedDot] = []

    /// The value of `after` if it is omitted.
    func expectedAfter(of entity: UInt32, author: UInt32) -> UInt64 {
        guard Int(entity) < lastWrites.count, lastWrites[Int(entity)].replica == author else { return 0 }
        return lastWrites[Int(entity)].counter
    }

    mutating func advance(past operation: Delta.Operation) {
        author = operation.author
        counter = operation.counter
        entity = operation.entity
        stamp = operation.stamp
        let dot = PackedDot(replica: operation.author, counter: operation.counter)
        if Int(entity) < lastWrites.count {
            lastWrites[Int(entity)] = dot
        } else {
            lastWrites.append(dot)
        }
    }
}

extension Delta {
    /// The encoded bytes.
    package var encoded: [UInt8] {
        var encoder = DeltaEncoder(self)
        return encoder.encode()
    }
}

/// Writes a delta.
struct DeltaEncoder {
    private let delta: Delta
    private var writer = VarintWriter()
    private var cursor = DeltaCursor()
    private var identifiers: [UInt128: Int] = [:]
    private var identifierCount = 0
    private var repeatedValues: Set<[UInt8]> = []
    private var rememberedValues: [[UInt8]: Int] = [:]

    init(_ delta: Delta) {
        self.delta = delta
    }

    mutating func encode() -> [UInt8] {
        findRepeatedValues()
        writer.reserve(32 + delta.operations.count * 32)
        writer.byte(DeltaCursor.formatByte)
        writer.varint(delta.replicas.ids.count)
        for id in delta.replicas.ids { writer.wide(id.rawValue) }
        writer.varint(delta.operations.count)
        for operation in delta.operations {
            write(operation)
            cursor.advance(past: operation)
        }
        return writer.bytes
    }

    private mutating func findRepeatedValues() {
        guard delta.operations.count > 1 else { return }
        let worthwhile = 4...Limits.rememberedValueBytes
        var seen: Set<[UInt8]> = []
        for operation in delta.operations where operation.hasValue && worthwhile.contains(operation.value.count) {
            let bytes = delta.arena.encoded(operation.value)
            if !seen.insert(bytes).inserted { repeatedValues.insert(bytes) }
        }
    }

    private func flags(of operation: Delta.Operation) -> OperationFlags {
        var flags: OperationFlags = []
        if operation.author != cursor.author || operation.counter != cursor.counter + 1 { flags.insert(.author) }
        if Int(operation.entity) == cursor.lastWrites.count {
            flags.insert(.newEntity)
        } else if operation.entity == cursor.entity {
            flags.insert(.sameEntity)
        }
        if operation.stamp != cursor.stamp.successor { flags.insert(.stamp) }
        if operation.after != cursor.expectedAfter(of: operation.entity, author: operation.author) {
            flags.insert(.after)
        }
        if operation.supersededCount > 0 { flags.insert(.superseded) }
        if operation.hasValue { flags.insert(.value) }
        return flags
    }

    private mutating func write(_ operation: Delta.Operation) {
        let flags = flags(of: operation)
        writer.byte(flags.rawValue)
        if flags.contains(.author) {
            writer.varint(UInt64(operation.author))
            writer.varint(operation.counter)
        }
        if flags.contains(.newEntity) {
            writeNew(delta.entities[Int(operation.entity)])
        } else if !flags.contains(.sameEntity) {
            writer.varint(UInt64(operation.entity))
        }
        if flags.contains(.stamp) {
            writer.signed(Int64(operation.stamp.milliseconds) - Int64(cursor.stamp.milliseconds))
            writer.varint(UInt64(operation.stamp.counter))
        }
        if flags.contains(.after) { writer.varint(operation.counter - operation.after) }
        writer.varint(UInt64(operation.field.rawValue))
        if flags.contains(.superseded) {
            writer.varint(UInt64(operation.supersededCount))
            for dot in delta.superseded[operation.supersededRange] {
                writer.varint(UInt64(dot.replica))
                writer.varint(dot.counter)
            }
        }
        if flags.contains(.value) { write(operation.value) }
    }

    private mutating func writeNew(_ id: EntityID) {
        let first = identifiers[id.first]
        let second = id.kind.isPair ? identifiers[id.second] : nil
        writer.varint(UInt64(id.kind.rawValue) << 2 | (second == nil ? 0 : 2) | (first == nil ? 0 : 1))
        write(identifier: id.first, known: first)
        if id.kind.isPair { write(identifier: id.second, known: second) }
    }

    private mutating func write(identifier: UInt128, known: Int?) {
        if let known {
            writer.varint(known)
        } else {
            writer.wide(identifier)
            identifiers[identifier] = identifierCount
            // A pair of the same identifier counts twice.
            identifierCount += 1
        }
    }

    private mutating func write(_ value: PackedValue) {
        if !repeatedValues.isEmpty {
            let bytes = delta.arena.encoded(value)
            if let known = rememberedValues[bytes] {
                return writer.varint(UInt64(known) << 2 | ValueMode.reference)
            }
            if repeatedValues.contains(bytes) {
                rememberedValues[bytes] = rememberedValues.count
                writer.varint(UInt64(bytes.count) << 2 | ValueMode.remembered)
                return writer.raw(bytes)
            }
        }
        writer.varint(UInt64(value.count) << 2 | ValueMode.plain)
        delta.arena.write(value, to: &writer)
    }
}

import Replication
import TestSupport
import Testing

/// The bytes of deltas, states and values, honest and hostile.
struct EncodingTests {
    @Test("a delta reads back as it was written")
    func deltaRoundTrip() {
        checkProperty("delta round trip", cases: 150, maximumSize: 40) { generator, size in
            let fleet = try Fleet.history(steps: size, using: &generator)
            let changes = fleet.changes.scrambled(using: &generator)
            let delta = Delta(changes)
            guard delta.changes == changes else { return "the delta holds other changes" }
            let decoded = try Delta(encoded: delta.encoded)
            guard decoded.changes == changes else { return "other changes came back" }
            let isSame = decoded.encoded == Delta(changes).encoded
            return isSame ? nil : "encoding again gives other bytes"
        }
    }

    @Test("a state reads back as it was written, and its bytes are the same exactly when it is the same")
    func stateRoundTrip() {
        checkProperty("state round trip", cases: 150, maximumSize: 40) { generator, size in
            let fleet = try Fleet.history(steps: size, using: &generator)
            let state = ReplicaState(applying: fleet.changes.shuffled(using: &generator))
            let decoded = try ReplicaState(canonicalBytes: state.canonicalBytes)
            guard decoded.canonicalBytes == state.canonicalBytes else { return "the bytes changed" }
            if let reason = ReferenceModel(changes: Set(fleet.changes)).difference(from: decoded) { return reason }
            guard let last = fleet.changes.last else { return nil }
            let shorter = Set(fleet.changes.dropLast())
            let before = ReplicaState(applying: shorter)
            let isSame = ReferenceModel(changes: shorter.union([last])).difference(from: before) == nil
            return isSame == (before.canonicalBytes == state.canonicalBytes) ? nil : "different states, same bytes"
        }
    }

    @Test("a part of a state, sent whole, joins like its changes")
    func partJoins() throws {
        var generator = SeededGenerator(seed: 3)
        let fleet = try Fleet.history(steps: 60, using: &generator)
        let state = ReplicaState(applying: fleet.changes)
        var other = ReplicaState()
        for id in state.identifiers {
            other.merge(try ReplicaState(canonicalBytes: state.part([id]).canonicalBytes))
        }
        #expect(other.canonicalBytes == state.canonicalBytes)
    }

    @Test(
        "every kind of value reads back as it was written",
        arguments: [
            FieldValue.nothing, .bool(true), .bool(false), .integer(0), .integer(.min), .integer(.max), .double(-0.0),
            .double(.nan), .text(""), .text("é"), .text("e\u{301}"), .bytes([]), .identifier(.max), .group([]),
            .group([.group([.group([.text("deep")])]), .nothing]), .unrecognized([]), .unrecognized([99, 1]),
        ]
    )
    func values(_ value: FieldValue) {
        #expect(FieldValue(encoded: value.encoded) == value)
        #expect(FieldValue(encoded: value.encoded).encoded == value.encoded)
    }

    @Test(
        "a value that cannot be read is kept as it came",
        arguments: [
            [5, 0xFF], [3], [3, 0x80, 0x00], [4, 1], [7, 1], [2, 2], [8, 5, 1], [8, 2, 8, 2, 8],
            [8, 9, 8, 7, 8, 5, 8, 3, 8, 1, 0], [42],
        ] as [[UInt8]]
    )
    func unreadableValues(_ bytes: [UInt8]) {
        #expect(FieldValue(encoded: bytes).encoded == bytes)
    }

    @Test("a value of any length comes through a state and its bytes unchanged")
    func lengths() throws {
        var author = Author(incarnation: Incarnation(replica: ReplicaID(rawValue: 1)), milliseconds: 1)
        for length in 0..<40 {
            var state = ReplicaState()
            let value = FieldValue.bytes((0..<length).map { UInt8(0xFF - $0) })
            _ = try state.set(value, field: AssetField.caption, of: .asset(1), by: &author)
            let copy = try ReplicaState(canonicalBytes: state.canonicalBytes)
            #expect(state.entityView(.asset(1))?.value(AssetField.caption) == value)
            #expect(copy.entityView(.asset(1))?.value(AssetField.caption) == value)
        }
    }

    @Test("texts that look the same and are different bytes stay two values")
    func normalisation() {
        #expect(FieldValue.text("é") != .text("e\u{301}"))
    }

    @Test("no truncation, no flipped bit and no random bytes make a decoder trap; what it accepts is canonical")
    func hostileBytes() throws {
        var generator = SeededGenerator(seed: 11)
        for _ in 0..<4 {
            let fleet = try Fleet.history(steps: 25, using: &generator)
            let delta = Delta(fleet.changes).encoded
            let state = ReplicaState(applying: fleet.changes).canonicalBytes
            for count in 0..<delta.count {
                #expect(throws: ReplicationError.self) { try decode(delta: delta.prefix(count)) }
            }
            for count in 0..<state.count {
                #expect(throws: ReplicationError.self) { try decode(state: state.prefix(count)) }
            }
            for position in delta.indices {
                for mask: UInt8 in [0x01, 0x80, 0xFF] {
                    var bytes = delta
                    bytes[position] ^= mask
                    try? decode(delta: bytes[...])
                }
            }
            for position in state.indices {
                for mask: UInt8 in [0x01, 0x80, 0xFF] {
                    var bytes = state
                    bytes[position] ^= mask
                    try? decode(state: bytes[...])
                }
            }
        }
        for _ in 0..<3000 {
            let bytes = generator.bytes(generator.below(80))
            try? decode(delta: ([0xD1] + bytes)[...])
            try? decode(state: ([0x51] + bytes)[...])
        }
    }

    @Test(
        "bytes that writing would not produce are refused",
        arguments: [
            // Nothing; another format; one byte too many; a count beyond the bytes; a number not in its shortest form.
            [], [0x52, 0, 0, 0], [0x51, 0, 0, 0, 0], [0x51, 0, 0, 9], [0x51, 0x80, 0x00, 0, 0],
            // A number of more than 64 bits.
            [0x51, 0] + [UInt8](repeating: 0x80, count: 9) + [2, 0],
            // An unused replica; a base without a write.
            [0x51, 1] + [UInt8](repeating: 7, count: 16) + [0, 0], [0x51, 0, 5, 0],
            // An entity without a trace.
            [0x51, 0, 0, 1, 2] + [UInt8](repeating: 0, count: 16) + [0, 0],
        ] as [[UInt8]]
    )
    func uncanonicalStates(_ bytes: [UInt8]) {
        #expect(throws: ReplicationError.self) { try ReplicaState(canonicalBytes: bytes) }
    }

    @Test(
        "a delta that breaks an invariant is refused",
        arguments: [
            // Unknown flag; new and same entity at once; no such entity; counter 0; `after` not below; two of one replica.
            [1, 0x80, 1], [1, 0x06, 1, 0], [1, 0x00, 5, 0], [1, 0x03, 0, 0, 8], [1, 0x12, 8],
            // It supersedes itself; a stamp below zero; a reference to no value; a value mode that is none.
            [1, 0x22, 8, 2, 1, 0, 1], [1, 0x0A, 8, 1, 0], [1, 0x42, 8, 2, 2], [1, 0x42, 8, 2, 3],
            // Superseding a dot without counter; a known identifier before any came; a pair's flag on what is no pair.
            [1, 0x22, 8, 2, 1, 0, 0], [1, 0x02, 9], [1, 0x02, 10],
        ] as [[UInt8]]
    )
    func brokenDeltas(_ operation: [UInt8]) {
        // Where a new plain entity begins (kind 2, so 8), its identifier is put in.
        var bytes: [UInt8] = [0xD1, 1] + [UInt8](repeating: 7, count: 16)
        for (index, byte) in operation.enumerated() {
            bytes.append(byte)
            if byte == 8, index > 1 { bytes += [UInt8](repeating: 3, count: 16) }
        }
        bytes += [UInt8](repeating: 0, count: operation.contains(0x80) ? 40 : 0)
        #expect(throws: ReplicationError.self) { try Delta(encoded: bytes) }
    }

    @Test("the smallest delta, byte by byte")
    func smallestDelta() throws {
        let change = Change(
            entity: .asset(UInt128(0x0303_0303_0303_0303) << 64 | 0x0303_0303_0303_0303),
            field: AssetField.favorite,
            dot: Dot(replica: ReplicaID(rawValue: 7), counter: 1),
            after: 0,
            stamp: HybridTimestamp(milliseconds: 1, counter: 2),
            value: .bool(true),
            superseded: []
        )
        let head: [UInt8] = [0xD1, 1] + [UInt8](repeating: 0, count: 15) + [7, 1]
        let body: [UInt8] = [0x4A, 8] + [UInt8](repeating: 3, count: 16) + [2, 2, 2, 4, 2]
        #expect(Delta([change]).encoded == head + body)
        #expect(try Delta(encoded: head + body).changes == [change])
    }

    @Test("a value longer than the limit is refused, one at the limit is not")
    func valueLimit() throws {
        var author = Author(incarnation: Incarnation(replica: ReplicaID(rawValue: 1)), milliseconds: 1)
        for (length, isAccepted) in [(Limits.valueBytes - 1, true), (Limits.valueBytes, false)] {
            var state = ReplicaState()
            let value = FieldValue.bytes(Array(repeating: 1, count: length))
            let change = try #require(try state.set(value, field: AssetField.caption, of: .asset(1), by: &author))
            let bytes = Delta([change]).encoded
            #expect(((try? Delta(encoded: bytes)) != nil) == isAccepted)
            #expect(((try? ReplicaState(canonicalBytes: state.canonicalBytes)) != nil) == isAccepted)
        }
    }

    @Test("a short delta cannot grow: only short values may be referred back to, and counts are bounded")
    func amplification() throws {
        var author = Author(incarnation: Incarnation(replica: ReplicaID(rawValue: 1)), milliseconds: 1)
        for (length, isShared) in [(Limits.rememberedValueBytes - 1, true), (Limits.rememberedValueBytes, false)] {
            var state = ReplicaState()
            let value = FieldValue.bytes(Array(repeating: 1, count: length))
            let changes = try (1...3).compactMap { index in
                try state.set(value, field: AssetField.caption, of: .asset(UInt128(index)), by: &author)
            }
            let bytes = Delta(changes).encoded
            #expect((bytes.count < 2 * length) == isShared)
            #expect(try Delta(encoded: bytes).changes == changes)
        }
        let id = [UInt8](repeating: 3, count: 16)
        let long = [0xD1, 1] + id + [1, 0x42, 8] + id + [2, 0x85, 0x08] + [UInt8](repeating: 6, count: 257)
        #expect(throws: ReplicationError.self) { try Delta(encoded: long) }
        // One operation more than the limit: flags that say "same entity", and field 2.
        let many = Limits.operations + 1
        let count = [UInt8(many & 0x7F | 0x80), UInt8(many >> 7 & 0x7F | 0x80), UInt8(many >> 14)]
        let operations = [0x02, 8] + id + [2] + [UInt8]((1..<many).flatMap { _ in [0x04, 2] as [UInt8] })
        let error = #expect(throws: ReplicationError.self) {
            try Delta(encoded: [0xD1, 1] + id + count + operations)
        }
        #expect(error?.code == .limitExceeded)
    }

    /// A change that supersedes every other of its author's earlier writes.
    private func superseding(_ count: UInt64) -> Change {
        let replica = ReplicaID(rawValue: 7)
        return Change(
            entity: .asset(1),
            field: AssetField.caption,
            dot: Dot(replica: replica, counter: 2 * count + 2),
            after: 2 * count + 1,
            stamp: HybridTimestamp(milliseconds: 1),
            value: .text("x"),
            superseded: (0..<count).map { Dot(replica: replica, counter: 2 * $0 + 2) }
        )
    }

    @Test("T49: a change supersedes 1024 writes at most")
    func supersededLimit() throws {
        #expect(try Delta(encoded: Delta([superseding(1024)]).encoded).changes == [superseding(1024)])
        let error = #expect(throws: ReplicationError.self) { try Delta(encoded: Delta([superseding(1025)]).encoded) }
        #expect(error?.code == .limitExceeded)
    }

    @Test("T49: changes leave at most 1024 gaps between a replica's writes in an entity, however few of them live")
    func gapLimit() throws {
        for (count, isAccepted) in [(1024, true), (1025, false)] as [(UInt64, Bool)] {
            var state = ReplicaState()
            let change = superseding(count)
            do {
                try state.admit(change, as: Delta([change])) { _ in true }
                #expect(isAccepted)
            } catch let error as ReplicationError {
                #expect(!isAccepted && error.code == .limitExceeded)
            }
            #expect(state.size(of: change.entity).gaps == (isAccepted ? 1024 : 0))
        }
    }

    private func decode(delta bytes: ArraySlice<UInt8>) throws {
        let delta = try Delta(encoded: Array(bytes))
        var state = ReplicaState()
        state.apply(delta)
        #expect(try ReplicaState(canonicalBytes: state.canonicalBytes).canonicalBytes == state.canonicalBytes)
        #expect(try Delta(encoded: delta.encoded).changes == delta.changes)
    }

    private func decode(state bytes: ArraySlice<UInt8>) throws {
        let state = try ReplicaState(canonicalBytes: Array(bytes))
        #expect(state.canonicalBytes == Array(bytes))
    }
}

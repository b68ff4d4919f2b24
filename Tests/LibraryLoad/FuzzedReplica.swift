import LibraryAPI
import Persistence
import PhotoModel
import Replication
import TestSupport

/// A replica that keeps to the form of the protocol, and to nothing else: its changes are made up.
struct FuzzedReplica {
    private static let hash = HashFunction { bytes in
        guard let value = HashValue(ContentHasher.digest(bytes).bytes) else { preconditionFailure("32 bytes") }
        return value
    }

    private let replica: ReplicaID
    private var history: HistoryChain
    /// What its last contact got.
    var ticket: String?

    init(_ generator: inout SeededGenerator) {
        replica = ReplicaID(using: &generator)
        history = HistoryChain(of: replica, hash: Self.hash)
    }

    /// What it says at a contact.
    func contact(at time: WallTime) throws -> ContactRequest {
        guard let hash = ContentDigest(bytes: history.hash.bytes) else { throw LoadError("a hash has 32 bytes") }
        return ContactRequest(
            replica: .init(
                incarnation: replica.description,
                counter: history.counter,
                chainHash: hash,
                hostFingerprint: "fuzz",
                ticket: ticket
            ),
            time: time
        )
    }

    /// Made-up changes of objects that it heard of.
    mutating func push(
        of objects: [UInt128],
        others: [ReplicaID],
        at time: WallTime,
        _ generator: inout SeededGenerator
    ) throws -> ChangePush {
        let prior = ContentDigest(bytes: history.hash.bytes)
        var changes: [ChangePush.Change] = []
        for _ in 0...generator.below(20) {
            let change = change(of: objects, others: others, at: time, &generator)
            try history.append(change, hash: Self.hash)
            let delta = Delta(CollectionOfOne(change)).encoded
            changes.append(.init(counter: change.dot.counter, delta: Base64Bytes(Self.damaged(delta, &generator))))
        }
        return ChangePush(incarnation: replica.description, priorHash: prior, changes: changes)
    }

    /// The name that others may claim to have seen.
    var name: ReplicaID { replica }

    private func change(
        of objects: [UInt128],
        others: [ReplicaID],
        at time: WallTime,
        _ generator: inout SeededGenerator
    ) -> Change {
        let counter = history.counter + 1
        let milliseconds = UInt64(max(time.millisecondsSince1970, 0)) + UInt64(generator.below(3)) * 30_000
        return Change(
            entity: Self.entity(of: objects, &generator),
            field: FieldID(
                rawValue: generator.oneIn(10)
                    ? UInt16.random(in: 0...999, using: &generator) : UInt16(generator.below(14))
            ),
            dot: Dot(replica: replica, counter: counter),
            after: UInt64.random(in: 0..<counter, using: &generator),
            stamp: HybridTimestamp(milliseconds: milliseconds),
            value: generator.oneIn(4) ? nil : Self.value(&generator),
            superseded: generator.oneIn(2) ? [] : superseded(others, below: counter, &generator)
        )
    }

    private func superseded(
        _ others: [ReplicaID],
        below counter: UInt64,
        _ generator: inout SeededGenerator
    ) -> [Dot] {
        let count = generator.oneIn(20) ? 1000 : generator.below(4)
        let dots = (0..<count).map { _ in
            generator.oneIn(2) || others.isEmpty
                ? Dot(replica: replica, counter: UInt64.random(in: 1...max(counter - 1, 1), using: &generator))
                : Dot(replica: generator.pick(others), counter: 1 << UInt64(generator.below(57)))
        }
        return Set(dots).filter { $0.replica != replica || $0.counter < counter }.sorted()
    }

    private static func entity(of objects: [UInt128], _ generator: inout SeededGenerator) -> EntityID {
        let first = objects.isEmpty || generator.oneIn(10) ? UInt128(generator.next()) : generator.pick(objects)
        let second = objects.isEmpty ? 0 : generator.pick(objects)
        return switch generator.below(5) {
        case 0: .album(first)
        case 1: .membership(album: first, asset: second)
        default: .asset(first)
        }
    }

    private static func value(_ generator: inout SeededGenerator) -> FieldValue {
        switch generator.below(8) {
        case 0: .nothing
        case 1: .bool(generator.oneIn(2))
        case 2: .integer(Int64(bitPattern: generator.next()))
        case 3: .integer(generator.pick([.min, -1, 0, 1, .max]))
        case 4: .text(generator.pick(FuzzedJSON.texts))
        case 5: .bytes(generator.bytes(generator.below(200)))
        case 6: .group((0..<generator.below(5)).map { _ in value(&generator) })
        default: .text("word \(generator.below(50))")
        }
    }

    private static func damaged(_ bytes: [UInt8], _ generator: inout SeededGenerator) -> [UInt8] {
        guard generator.oneIn(12), !bytes.isEmpty else { return bytes }
        var bytes = bytes
        bytes[generator.below(bytes.count)] ^= 1 << UInt8(generator.below(8))
        return bytes
    }
}

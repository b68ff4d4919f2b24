import Replication
import TestSupport
import Testing

/// The laws of fractional positions.
struct PositionKeyTests {
    @Test("a key lies between its neighbours, keeps to 64 bytes, and never ends in a zero")
    func between() {
        checkProperty("positions", cases: 100, maximumSize: 60) { generator, size in
            var keys: [PositionKey] = []
            let replicas = (0..<3).map { _ in ReplicaID(using: &generator) }
            for _ in 0..<size {
                let index = generator.below(keys.count + 1)
                let lower = index > 0 ? keys[index - 1] : nil
                let upper = index < keys.count ? keys[index] : nil
                let count = 1 + generator.below(4)
                do throws(ReplicationError) {
                    let run = try PositionKey.run(of: count, between: lower, upper, by: generator.pick(replicas))
                    keys.insert(contentsOf: run, at: index)
                } catch {
                    guard error.code == .positionsExhausted, keys.count > 20 else {
                        return "\(error), \(keys.count) keys"
                    }
                    keys = try PositionKey.run(of: keys.count + count, between: nil, nil, by: replicas[0])
                }
            }
            for (left, right) in zip(keys, keys.dropFirst()) where left >= right { return "the order is not kept" }
            for key in keys where PositionKey(bytes: key.bytes) != key { return "a key does not read back" }
            return nil
        }
    }

    @Test("concurrent runs at the same place do not mix, and have no key in common")
    func concurrentRuns() throws {
        var generator = SeededGenerator(seed: 1)
        let ends = try PositionKey.run(of: 2, between: nil, nil, by: ReplicaID(using: &generator))
        let runs = try (0..<3).map { _ in
            try PositionKey.run(of: 300, between: ends[0], ends[1], by: ReplicaID(using: &generator))
        }
        let owners = runs.enumerated().flatMap { run in run.element.map { ($0, run.offset) } }.sorted { $0.0 < $1.0 }
        let changes = zip(owners, owners.dropFirst()).filter { $0.1 != $1.1 }.count
        #expect(changes == 2)
        #expect(Set(runs.joined()).count == 900)
    }

    @Test("ten thousand appends and as many prepends do not grow the key")
    func appends() throws {
        let replica = ReplicaID(rawValue: .max)
        var last = try PositionKey.between(nil, nil, by: replica)
        var first = last
        for _ in 0..<3000 {
            let next = try PositionKey.between(last, nil, by: replica)
            let previous = try PositionKey.between(nil, first, by: replica)
            guard last < next, previous < first else { return #expect(Bool(false), "the order is not kept") }
            (last, first) = (next, previous)
        }
        #expect(last.bytes.count == 9)
        #expect(first.bytes.count == 9)
    }

    @Test("when 64 bytes are used up it says so, and the album's positions written anew have room again")
    func exhaustion() throws {
        var generator = SeededGenerator(seed: 2)
        let replicas = [ReplicaID(using: &generator), ReplicaID(using: &generator)]
        var lower = try PositionKey.between(nil, nil, by: replicas[0])
        let upper = try PositionKey.between(lower, nil, by: replicas[0])
        var error: ReplicationError?
        for index in 0..<2000 {
            do {
                let next = try PositionKey.between(lower, upper, by: replicas[index % 2])
                #expect(lower < next && next < upper && next.bytes.count <= 64)
                lower = next
            } catch {
                #expect(index > 40, "after \(index) insertions at one place")
                return try checkExhausted(error)
            }
        }
        error = nil
        #expect(error != nil, "two thousand insertions at one place fit in 64 bytes")
    }

    private func checkExhausted(_ error: ReplicationError) throws {
        #expect(error.code == .positionsExhausted)
        let anew = try PositionKey.run(of: 70_000, between: nil, nil, by: ReplicaID(rawValue: 5))
        #expect(zip(anew, anew.dropFirst()).allSatisfy { $0 < $1 })
        #expect(anew.allSatisfy { $0.bytes.count == 12 })
    }

    @Test("neighbours in the wrong order are refused")
    func unordered() throws {
        let keys = try PositionKey.run(of: 2, between: nil, nil, by: ReplicaID(rawValue: 5))
        for (lower, upper) in [(keys[1], keys[0]), (keys[0], keys[0])] {
            let error = #expect(throws: ReplicationError.self) {
                try PositionKey.between(lower, upper, by: ReplicaID(rawValue: 5))
            }
            #expect(error?.code == .positionsUnordered)
        }
    }

    @Test(
        "what is no key is refused, and between hostile neighbours there is still a key",
        arguments: [[], [0], [1, 0], Array(repeating: 1, count: 65)] as [[UInt8]]
    )
    func reading(_ bytes: [UInt8]) throws {
        #expect(PositionKey(bytes: bytes) == nil)
        let replica = ReplicaID(rawValue: 1 << 88)
        let pairs: [([UInt8], [UInt8]?)] = [
            ([255, 255, 255, 255], nil), ([255, 255, 255, 255, 255], nil), ([1], [1, 0, 0, 1]), ([1, 255], [2]),
            ([1], [2]), ([254, 255, 255, 255], [255]),
        ]
        for (low, high) in pairs {
            let lower = try #require(PositionKey(bytes: low))
            let upper = high.flatMap { PositionKey(bytes: $0) }
            let key = try PositionKey.between(lower, upper, by: replica)
            #expect(lower < key)
            #expect(upper.map { key < $0 } ?? true)
        }
        for high in [[1], [0, 0, 0, 1], [0, 0, 0, 0, 0, 1], [0, 0, 0, 2]] as [[UInt8]] {
            let upper = try #require(PositionKey(bytes: high))
            #expect(try PositionKey.between(nil, upper, by: replica) < upper)
        }
    }
}

import Replication
import TestSupport
import Testing

/// Finding a difference without sending everything.
struct RangeFingerprintTests {
    @Test("two replicas find and repair a few differences among many entities with few fingerprints")
    func repair() throws {
        var author = Author(incarnation: Incarnation(replica: ReplicaID(rawValue: 1)), milliseconds: 1)
        var generator = SeededGenerator(seed: 4)
        var left = ReplicaState()
        for index in 0..<600 {
            _ = try left.set(
                .integer(Int64(index + 1)),
                field: AssetField.rating,
                of: .asset(UInt128(generator.next())),
                by: &author
            )
        }
        var right = left
        for index in [5, 77, 400] {
            _ = try left.set(.integer(-1), field: AssetField.rating, of: right.identifiers[index], by: &author)
        }
        var other = Author(incarnation: Incarnation(replica: ReplicaID(rawValue: 2)), milliseconds: 1)
        _ = try right.set(.text("new"), field: AssetField.title, of: .asset(1), by: &other)
        let lost = right.identifiers[300]
        right.forget(lost)

        let cost = try repair(&left, &right)
        let isSame = left.canonicalBytes == right.canonicalBytes
        #expect(isSame)
        #expect(left.entityView(.asset(1)) != nil)
        #expect(right.entityView(lost) != nil)
        #expect(cost.fingerprints < 200)
        #expect(cost.entities < 300)
        #expect(try repair(&left, &right).entities == 0)
    }

    private func repair(
        _ left: inout ReplicaState,
        _ right: inout ReplicaState
    ) throws -> (fingerprints: Int, entities: Int) {
        let near = RangeIndex(left, hash: .sha256)
        let far = RangeIndex(right, hash: .sha256)
        var open = [near.whole]
        var cost = (fingerprints: 0, entities: 0)
        while let range = open.popLast() {
            cost.fingerprints += 1
            switch far.compare(range) {
            case .same:
                continue
            case .split(let parts):
                open += parts.filter { near.compare($0) != .same }
                    .map { near.fingerprint(from: $0.lower, to: $0.upper) }
                cost.fingerprints += parts.count
            case .exchange(let ids):
                let mine = near.identifiers(from: range.lower, to: range.upper)
                cost.entities += ids.count + mine.count
                let sent = left.part(mine)
                left.merge(right.part(ids))
                right.merge(sent)
            }
        }
        return cost
    }

    @Test("a fingerprint covers its lower bound and not its upper one")
    func bounds() throws {
        var author = Author(incarnation: Incarnation(replica: ReplicaID(rawValue: 1)), milliseconds: 1)
        var state = ReplicaState()
        for index in 1...5 {
            _ = try state.set(.integer(1), field: AssetField.rating, of: .asset(UInt128(index)), by: &author)
        }
        let index = RangeIndex(state, hash: .sha256)
        #expect(index.identifiers(from: .asset(2), to: .asset(4)) == [.asset(2), .asset(3)])
        #expect(index.identifiers(from: .asset(4), to: .asset(2)) == [])
        #expect(index.fingerprint(from: .asset(2), to: .asset(4)).count == 2)
        #expect(index.whole.count == 5)
        #expect(index.compare(index.whole) == .same)
    }
}

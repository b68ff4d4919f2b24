import Replication
import Testing

@testable import SyncSimulation

/// When tombstones may go.
struct StabilityTests {
    @Test("the frontier is the least acknowledged number; a silent replica holds it until it is retired")
    func frontier() {
        let (first, second) = (ReplicaID(rawValue: 1), ReplicaID(rawValue: 2))
        var frontier = StabilityFrontier()
        #expect(frontier.stableThrough == 0)
        frontier.acknowledge(10, by: first)
        frontier.acknowledge(4, by: second)
        #expect(frontier.stableThrough == 4)
        frontier.acknowledge(7, by: first)
        frontier.retire(second)
        #expect(frontier.stableThrough == 10, "an acknowledgement does not go back")
        frontier.retire(first)
        #expect(frontier.stableThrough == 0)
    }

    /// `#expect` cannot call what mutates.
    private func check<Value: Equatable>(_ value: Value, _ expected: Value) {
        #expect(value == expected)
    }

    @Test("a tombstone goes when everyone has it, not before; what is alive stays")
    func collection() throws {
        var author = Author(incarnation: Incarnation(replica: ReplicaID(rawValue: 1)), milliseconds: 1)
        var state = ReplicaState()
        let position = try PositionKey.between(nil, nil, by: author.replica)
        _ = try state.place(asset: 1, in: 9, at: position, by: &author)
        _ = try state.place(asset: 2, in: 9, at: position, by: &author)
        _ = try state.takeOut(asset: 1, of: 9, by: &author)
        let removed = state.version
        _ = try state.purge(.asset(3), by: &author)
        var frontier = StabilityFrontier()
        frontier.acknowledge(removed - 1, by: ReplicaID(rawValue: 1))
        frontier.acknowledge(removed + 9, by: ReplicaID(rawValue: 2))
        check(state.collectTombstones(frontier), [])
        frontier.acknowledge(removed, by: ReplicaID(rawValue: 1))
        check(state.collectTombstones(frontier), [.membership(album: 9, asset: 1)])
        frontier.acknowledge(removed + 1, by: ReplicaID(rawValue: 1))
        check(state.collectTombstones(frontier), [.asset(3)])
        _ = try state.deleteAlbum(9, by: &author)
        frontier.acknowledge(state.version, by: ReplicaID(rawValue: 1))
        frontier.acknowledge(state.version, by: ReplicaID(rawValue: 2))
        check(state.collectTombstones(frontier), [.album(9)])
        #expect(state.identifiers == [.membership(album: 9, asset: 2)])
    }
}

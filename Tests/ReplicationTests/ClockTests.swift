import Replication
import TestSupport
import Testing

/// Stamps, clocks and what becomes of wrong ones.
struct ClockTests {
    @Test(
        "a new stamp is above the clock's last, the entity's last, and not below the time",
        arguments: [
            (last: 0, entity: 0, time: 5, expected: 5 << 16),
            (last: 5 << 16, entity: 0, time: 5, expected: 5 << 16 | 1),
            (last: 5 << 16, entity: 9 << 16 | 3, time: 5, expected: 9 << 16 | 4),
            (last: 9 << 16, entity: 5 << 16, time: 0, expected: 9 << 16 | 1),
            (last: 0, entity: 0, time: .max, expected: UInt64.max << 16),
        ] as [(last: UInt64, entity: UInt64, time: UInt64, expected: UInt64)]
    )
    func next(last: UInt64, entity: UInt64, time: UInt64, expected: UInt64) throws {
        var clock = HybridLogicalClock(last: HybridTimestamp(rawValue: last))
        let stamp = try clock.next(at: time, after: HybridTimestamp(rawValue: entity))
        #expect(stamp.rawValue == expected)
        #expect(clock.last == stamp)
    }

    @Test("the counter carries into the milliseconds, and the last stamp has no successor")
    func carry() throws {
        let last = HybridTimestamp(milliseconds: 7, counter: .max)
        #expect(last.successor == HybridTimestamp(milliseconds: 8))
        #expect(HybridTimestamp(rawValue: .max).successor == nil)
        var clock = HybridLogicalClock()
        let error = #expect(throws: ReplicationError.self) {
            try clock.next(at: 1, after: HybridTimestamp(rawValue: .max))
        }
        #expect(error?.code == .stampExhausted)
    }

    @Test(
        "the server refuses a stamp more than two minutes ahead, and says its time",
        arguments: [
            (120_000, true), (120_001, false), (0, true), (HybridTimestamp.maximumMilliseconds, false),
        ] as [(UInt64, Bool)]
    )
    func admission(milliseconds: UInt64, isAdmitted: Bool) {
        let stamp = HybridTimestamp(milliseconds: milliseconds, counter: .max)
        guard !isAdmitted else {
            #expect(throws: Never.self) { try HybridLogicalClock.admit(stamp, serverMilliseconds: 0) }
            return
        }
        let error = #expect(throws: ReplicationError.self) {
            try HybridLogicalClock.admit(stamp, serverMilliseconds: 0)
        }
        #expect(error?.code == .stampAhead(serverMilliseconds: 0))
    }

    @Test("a server whose clock stands at the end of time admits everything")
    func admissionWithoutOverflow() {
        #expect(throws: Never.self) {
            try HybridLogicalClock.admit(HybridTimestamp(rawValue: .max), serverMilliseconds: .max)
        }
    }

    @Test("refused changes get new stamps in their order, here and in the journal, and none is dropped")
    func restamping() throws {
        var author = Author(incarnation: Incarnation(replica: ReplicaID(rawValue: 1)), milliseconds: 9_000_000)
        var other = Author(incarnation: Incarnation(replica: ReplicaID(rawValue: 2)), milliseconds: 5000)
        var state = ReplicaState()
        let foreign = try #require(try state.set(.text("b"), field: AssetField.title, of: .asset(1), by: &other))
        let changes = try [
            state.set(.text("a"), field: AssetField.title, of: .asset(1), by: &author),
            state.set(.text("c"), field: AssetField.caption, of: .asset(2), by: &author),
            state.set(.text("d"), field: AssetField.caption, of: .asset(2), by: &author),
        ].compactMap { $0 }
        let restamped = try state.restamp(changes, clock: &author.clock, milliseconds: 6000)
        #expect(restamped.map(\.dot) == changes.map(\.dot))
        #expect(restamped.map(\.value) == changes.map(\.value))
        #expect(restamped[0].stamp > foreign.stamp)
        #expect(zip(restamped, restamped.dropFirst()).allSatisfy { $0.stamp < $1.stamp })
        #expect(restamped.allSatisfy { $0.stamp.milliseconds == 6000 })
        #expect(state.canonicalBytes == ReplicaState(applying: [foreign] + restamped).canonicalBytes)
        author.milliseconds = 6000
        let next = try #require(try state.set(.text("e"), field: AssetField.title, of: .asset(3), by: &author))
        #expect(next.stamp.milliseconds == 6000)
    }

    @Test("sequential edits win over wrong clocks")
    func sequentialEdits() throws {
        var early = Author(incarnation: Incarnation(replica: ReplicaID(rawValue: 9)), milliseconds: 1)
        var late = Author(incarnation: Incarnation(replica: ReplicaID(rawValue: 1)), milliseconds: 100_000)
        var state = ReplicaState()
        _ = try state.set(.text("first"), field: AssetField.title, of: .asset(1), by: &late)
        let second = try #require(try state.set(.text("second"), field: AssetField.title, of: .asset(1), by: &early))
        #expect(second.stamp > HybridTimestamp(milliseconds: 100_000))
        #expect(state.entityView(.asset(1))?.register(AssetField.title)?.superseded.isEmpty == true)
        #expect(state.entityView(.asset(1))?.value(AssetField.title) == .text("second"))
    }
}

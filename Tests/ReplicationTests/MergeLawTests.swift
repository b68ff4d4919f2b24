import Replication
import TestSupport
import Testing

/// The laws of merging over generated histories.
struct MergeLawTests {
    @Test("merge commutes, associates, is idempotent, and equals applying the deltas in any order, any number of times")
    func laws() {
        checkProperty("merge laws", cases: 250, maximumSize: 40) { generator, size in
            let fleet = try Fleet.history(steps: size, using: &generator)
            return MergeLaws.library.violation(fleet.changes, using: &generator)
        }
    }

    @Test("after every step a replica holds exactly what the plain reading of its changes says")
    func referenceModel() {
        checkProperty("reference model", cases: 80, maximumSize: 40) { generator, size in
            var fleet = Fleet(count: 3, using: &generator)
            for _ in 0..<size {
                try fleet.step(purges: true, using: &generator)
                for replica in fleet.replicas {
                    if let reason = ReferenceModel(changes: replica.known).difference(from: replica.state) {
                        return reason
                    }
                }
            }
            return nil
        }
    }

    @Test("delivery with loss and retry ends in the same bytes everywhere")
    func lossWithRetry() {
        checkProperty("loss with retry", cases: 80, maximumSize: 40) { generator, size in
            let fleet = try Fleet.history(steps: size, using: &generator)
            let expected = ReplicaState(applying: fleet.changes).canonicalBytes
            for replica in fleet.replicas {
                var state = replica.state
                var missing = fleet.changes.scrambled(using: &generator)
                while !missing.isEmpty {
                    let batch = missing.prefix(1 + generator.below(5))
                    let isLost = generator.oneIn(3)
                    if !isLost { state.apply(Delta(batch)) }
                    if !isLost || generator.oneIn(4) { missing.removeFirst(isLost ? 0 : batch.count) }
                }
                if state.canonicalBytes != expected { return "a replica ended elsewhere" }
            }
            return nil
        }
    }

    @Test("no add disappears without a removal that covers it")
    func addsStay() {
        checkProperty("adds stay", cases: 100, maximumSize: 40) { generator, size in
            let fleet = try Fleet.history(steps: size, purges: false, using: &generator)
            let state = ReplicaState(applying: fleet.changes.scrambled(using: &generator))
            let covered = Set(fleet.changes.flatMap(\.superseded))
            for change in fleet.changes where change.field == AssetField.keyword && change.entity.kind == .asset {
                guard let value = change.value, !covered.contains(change.dot) else { continue }
                if state.entityView(change.entity)?.set(AssetField.keyword).contains(value) != true {
                    return "an add is gone"
                }
            }
            return nil
        }
    }

    @Test("what changed after a version, merged into a copy of that version, gives the present state")
    func deltaSince() {
        checkProperty("delta since", cases: 80, maximumSize: 40) { generator, size in
            let fleet = try Fleet.history(steps: size, using: &generator)
            var state = ReplicaState()
            var copy = ReplicaState()
            var version = state.version
            for change in fleet.changes.scrambled(using: &generator) {
                let before = state.canonicalBytes
                let isNews = state.apply(change)
                if isNews != (state.canonicalBytes != before) { return "news is not what changed the bytes" }
                guard generator.oneIn(3) else { continue }
                copy.merge(state.delta(since: version))
                version = state.version
                if copy.canonicalBytes != state.canonicalBytes { return "the delta misses something" }
                if state.delta(since: version).count != 0 { return "an unchanged state has a delta" }
            }
            return nil
        }
    }

    @Test("long values survive any number of rewrites of the arena")
    func compaction() throws {
        var generator = SeededGenerator(seed: 5)
        var author = Author(incarnation: Incarnation(replica: ReplicaID(using: &generator)), milliseconds: 1)
        var state = ReplicaState()
        let kept = FieldValue.bytes(generator.bytes(40_000))
        _ = try state.set(kept, field: AssetField.caption, of: .asset(1), by: &author)
        for index in 0..<20 {
            let text = FieldValue.text(String(repeating: "\(index % 10)", count: 20_000))
            _ = try state.set(text, field: AssetField.title, of: .asset(2), by: &author)
            #expect(state.entityView(.asset(1))?.value(AssetField.caption) == kept)
            #expect(state.entityView(.asset(2))?.value(AssetField.title) == text)
        }
    }

    @Test("canary: a register that drops all but its two greatest values is found by the same checker")
    func canary() throws {
        let wrong = MergeLaws<PrunedRegisters>(
            empty: PrunedRegisters(),
            apply: { $0.apply($1) },
            merge: { $0.merge($1) },
            bytes: { $0.bytes }
        )
        var found: Set<String> = []
        for seed in 0..<300 {
            var generator = SeededGenerator(seed: UInt64(seed))
            let fleet = try Fleet.history(replicas: 6, steps: 30, purges: false, using: &generator)
            if let reason = wrong.violation(fleet.changes, using: &generator) { found.insert(reason) }
        }
        #expect(!found.isEmpty, "the law checker cannot fail")
    }
}

/// The plausible and wrong way to bound a register: merging keeps the two greatest live values.
///
/// What a later write frees room for then depends on what had come before.
private struct PrunedRegisters {
    private var live: Set<Change> = []
    private var seen: Set<Dot> = []

    mutating func apply(_ change: Change) {
        var other = Self()
        other.live = change.value == nil ? [] : [change]
        other.seen = Set(change.superseded).union([change.dot])
        merge(other)
    }

    mutating func merge(_ other: Self) {
        let both = live.intersection(other.live)
        live = both.union(live.filter { !other.seen.contains($0.dot) })
            .union(other.live.filter { !seen.contains($0.dot) })
        seen.formUnion(other.seen)
        let registers = Dictionary(grouping: live) { "\($0.entity) \($0.field)" }
        live = Set(registers.values.flatMap { $0.sorted { ($1.stamp, $1.dot) < ($0.stamp, $0.dot) }.prefix(2) })
    }

    var bytes: [UInt8] {
        Delta(live.sorted { $0.dot < $1.dot }).encoded + seen.sorted().flatMap { "\($0)".utf8 }
    }
}

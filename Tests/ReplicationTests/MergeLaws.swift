import Replication
import TestSupport

/// The laws of merging, checked over any kind of state, so that a wrong one can prove that the checker finds it.
struct MergeLaws<State> {
    let empty: State
    let apply: (inout State, Change) -> Void
    let merge: (inout State, State) -> Void
    let bytes: (State) -> [UInt8]

    /// Deals a history to three states that know different parts of it, and says which law they break.
    func violation(_ changes: [Change], using generator: inout SeededGenerator) -> String? {
        let parts = (0..<3).map { _ in changes.filter { _ in generator.oneIn(2) } }
        let states = parts.map { state($0.scrambled(using: &generator)) }
        let (first, second, third) = (states[0], states[1], states[2])
        if bytes(joined(first, second)) != bytes(joined(second, first)) { return "merge does not commute" }
        if bytes(joined(joined(first, second), third)) != bytes(joined(first, joined(second, third))) {
            return "merge is not associative"
        }
        if bytes(joined(first, first)) != bytes(first) { return "merge is not idempotent" }
        let union = parts[0] + parts[1]
        if bytes(state(union.scrambled(using: &generator))) != bytes(joined(first, second)) {
            return "merging states is not merging their deltas"
        }
        let everything = bytes(state(changes))
        for _ in 0..<3 where bytes(state(changes.scrambled(using: &generator))) != everything {
            return "the order or the repetition of changes matters"
        }
        return nil
    }

    private func state(_ changes: [Change]) -> State {
        changes.reduce(into: empty) { apply(&$0, $1) }
    }

    private func joined(_ left: State, _ right: State) -> State {
        var result = left
        merge(&result, right)
        return result
    }
}

extension MergeLaws where State == ReplicaState {
    /// The merge that the library uses.
    static var library: Self {
        Self(
            empty: ReplicaState(),
            apply: { $0.apply($1) },
            merge: { $0.merge($1) },
            bytes: { $0.canonicalBytes }
        )
    }
}

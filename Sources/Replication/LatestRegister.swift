/// The loser of a concurrent write, kept to be shown and restored.
package typealias SupersededValue = FieldWrite

/// A register (last writer wins, multi-value): the values of which none was written in knowledge of another.
///
/// Causality decides what is overwritten; stamps only choose which of the concurrent values shows.
package struct LatestRegister: Hashable, Sendable {
    /// The write that shows: the greatest (stamp, replica).
    package let current: FieldWrite
    /// The greatest losers, at most eight, greatest first.
    package let superseded: [SupersededValue]
    /// Losers beyond those, which the server retires (`ReplicaState.retireSurplus`).
    package let surplus: [Dot]

    /// Reads a register out of its live writes; nil when there is none.
    package init?(_ writes: [FieldWrite]) {
        let ordered = writes.sorted { $1.loses(to: $0) }
        guard let current = ordered.first else { return nil }
        self.current = current
        superseded = Array(ordered.dropFirst().prefix(Limits.supersededValues))
        surplus = ordered.dropFirst(1 + Limits.supersededValues).map(\.dot).sorted()
    }

    /// The value that shows.
    package var value: FieldValue { current.value }
}

/// A register (last writer wins, multi-value): the values none of which was written with knowledge of another.
///
/// Causality decides what is overwritten; stamps only choose which concurrent value is current.
package struct LatestRegister: Hashable, Sendable {
    /// The current write: the greatest (stamp, replica).
    package let current: FieldWrite
    /// The greatest losers, at most eight, greatest first, kept so that people can see and restore them.
    package let superseded: [FieldWrite]
    /// Losers beyond those, which the server retires (`ReplicaState.retireSurplus`).
    package let surplus: [Dot]

    /// Reads a register from its live writes; nil if there is none.
    package init?(_ writes: [FieldWrite]) {
        let ordered = writes.sorted { $1.loses(to: $0) }
        guard let current = ordered.first else { return nil }
        self.current = current
        superseded = Array(ordered.dropFirst().prefix(Limits.supersededValues))
        surplus = ordered.dropFirst(1 + Limits.supersededValues).map(\.dot).sorted()
    }

    /// The current value.
    package var value: FieldValue { current.value }
}

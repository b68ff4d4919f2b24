/// The position up to which a server has seen its library's changes and closures.
struct SignalPosition: Hashable, Sendable {
    /// The number of the last change.
    var change: Int64
    /// The number of the last closure.
    var closure: Int64

    /// Whether another position has different changes; after a failover numbers may be lower.
    func hasChanged(to other: SignalPosition) -> Bool { change != other.change }

    /// The numbers of closures up to another position; nil if there are none.
    func closures(to other: SignalPosition) -> ClosedRange<Int64>? {
        closure < other.closure ? closure + 1...other.closure : nil
    }
}

import Replication

/// The work that one push may do before it lets the library's writer go.
///
/// The writer is one for all: whoever saves waits for the turn that is under way, not for the whole push. Work is counted
/// instead of time, so that the same push is cut in the same places everywhere; a unit is about 100 microseconds on two
/// cores of 2020.
struct PushTurn: Sendable {
    /// Units in one turn.
    static let usual = 256

    private(set) var rest: Int

    init(_ units: Int = usual) {
        rest = units
    }

    /// Whether another change may be judged in this turn.
    var hasRoom: Bool { rest > 0 }

    /// Counts a change that is looked at.
    ///
    /// - Parameter isWrittenAlone: whether its entity is written before the next change is judged.
    mutating func countChange(isWrittenAlone: Bool) {
        rest -= isWrittenAlone ? 8 : 1
    }

    /// Counts the writes that a change supersedes.
    mutating func count(superseded: Int) {
        rest -= superseded >> 4
    }

    /// Counts a state that is read or written.
    mutating func count(stateBytes: Int) {
        rest -= stateBytes >> 11
    }
}

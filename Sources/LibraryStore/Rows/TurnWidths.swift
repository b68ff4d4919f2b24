/// How much each writer turn of a long act does, beside what ``WriterTurn`` counts; tests make the numbers small.
struct TurnWidths: Sendable {
    /// Units of a turn that brings limited views up to date.
    var viewUnits = WriterTurn.usual
    /// Members of a limited view that one read finds, which are in memory until they are added.
    var foundMembers = 1 << 16
    /// The most changes after a position of which the writer makes a page; a reader makes longer ones.
    var pagedChanges = 512
}

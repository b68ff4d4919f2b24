/// How much each writer turn of a long act does, beside what ``WriterTurn`` counts; tests make the numbers small.
struct TurnWidths: Sendable {
    /// Memberships of a deleted album that get new numbers.
    var toldMembers = 512
    /// Rows of a deleted album's memberships that are deleted.
    var leavingMembers = 512
    /// Memberships of an album that came back, which are read and written one by one.
    var returningMembers = 128
    /// Assets deleted from the list of a device that stopped draining: a microsecond or two each.
    var forgottenAssets = 4096
    /// Removals that are forgotten.
    var forgottenRemovals = 1024
    /// Dead jobs that are retried.
    var retriedJobs = 1024
    /// Expired creations that one read finds.
    var foundCreations = 4096
    /// Expired creations that end, which are read and judged one by one.
    var expiredCreations = 64
    /// Marks of objects that are condemned, which are judged one by one.
    var condemnedMarks = 64
    /// Assets that share an original, and are told what was found about it.
    var describedAssets = 64
    /// Units of a turn that brings limited views up to date.
    var viewUnits = WriterTurn.usual
    /// Members of a limited view that one read finds, which are in memory until they are added.
    var foundMembers = 1 << 16
    /// The most changes after a position of which the writer makes a page; a reader makes longer ones.
    var pagedChanges = 512
}

import AgentService
import AgentStore
import Authorization
import LibraryAPI
import SyncEngine

/// How a single sync ended, as commands tell it.
struct SyncEnding {
    /// What decides the exit status.
    let outcome: SyncReport.Outcome
    /// One line for people.
    let words: String
    /// The same for programs.
    let document: SyncDocument

    /// Reads what the queue says beside the report.
    ///
    /// - Throws: what the store says.
    init(_ report: SyncReport, of agent: Agent) throws {
        // Contacts continue between a library and a box of which it has seen two copies.
        let known = try agent.store.fact(.identityHold)
        let hold = report.identityHold ?? (known == .suspect && !report.isRetired ? known : nil)
        let isHeld = hold != nil && [.done, .nothingToDo].contains(report.outcome) && !report.isRetired
        outcome = isHeld ? .held : report.outcome
        let deferredAlbums = try agent.store.deferredAlbums().values.reduce(0, +)
        let changesWaiting = try agent.store.changeCounts().waiting
        let summary = report.summary(
            outcome,
            hold,
            changesWaiting: changesWaiting,
            deferredAlbums: deferredAlbums
        )
        words = agent.identity.naming(summary)
        document = SyncDocument(
            report,
            outcome,
            hold,
            changesWaiting: changesWaiting,
            deferredAlbums: deferredAlbums
        )
    }
}

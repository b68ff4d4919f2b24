import AgentService
import AgentStore
import Authorization
import LibraryAPI
import SyncEngine

/// How a single sync ended, as commands report it.
struct SyncEnding {
    /// Determines the exit status.
    let outcome: SyncReport.Outcome
    /// One line for people.
    let words: String
    /// The same for programs.
    let document: SyncDocument

    /// Completes the report from the queue.
    ///
    /// - Throws: what the store throws.
    init(_ report: SyncReport, of agent: Agent) throws {
        // A suspect box still has contact with the library.
        let known = try agent.store.fact(.identityHold)
        let hold = report.identityHold ?? (known == .suspect && !report.isRetired ? known : nil)
        let isHeld = hold != nil && [.done, .nothingToDo].contains(report.outcome) && !report.isRetired
        outcome = isHeld ? .held : report.outcome
        document = SyncDocument(
            report,
            outcome,
            hold,
            changesWaiting: try agent.store.changeCounts().waiting,
            deferredAlbums: try agent.store.deferredAlbums().values.reduce(0, +)
        )
        words = agent.identity.naming(report.summary(outcome, hold, document))
    }
}

import LibraryAPI
import Logging
import Persistence
import PhotoModel

extension LibraryStore {
    /// Begins to take a batch; waits while more than the allowed bytes lie in journals.
    ///
    /// - Parameter caller: for whom.
    /// - Returns: what takes the batch.
    /// - Throws: `storageFull`; `unavailable` when journals cannot be settled.
    package func receiveBatch(by caller: StoreCaller) async throws -> BatchReceiver {
        try await requireSpace(for: APILimits.batchByteCount + metadata.promisedByteCount())
        if content.journaledByteCount > settings.journalByteCount {
            do {
                try await settle()
            } catch {
                throw StoreError(.unavailable, "The server cannot keep up with its disk: try later.", cause: error)
            }
        }
        return BatchReceiver(self, by: caller)
    }

    /// Makes plain files of what closed journals hold and somebody wants; calls that come together share one round.
    ///
    /// - Returns: how many contents became plain files in that round.
    /// - Throws: what rows or files say; the journals stay, and nothing is lost.
    @discardableResult
    package func settle() async throws -> Int {
        try await settling.commit(())
    }

    /// Whether journals hold so little that settling them can wait.
    package var hasRoomInJournals: Bool { content.journaledByteCount < settings.journalByteCount / 2 }

    /// Settles whenever a batch has ended, until the task is cancelled.
    ///
    /// - Parameter rightMoment: returns when it is a good time; a round takes everything that has come until then.
    package func runSettling(at rightMoment: () async -> Void) async {
        for await _ in settlingRequests {
            await rightMoment()
            do {
                try await settle()
            } catch {
                // The next batch, the next verification and the next start try again.
                logger.warning("Journals could not be settled", metadata: ["error": "\(error)"])
            }
        }
    }

    func requestSettling() { settlingContinuation.yield() }

    /// Gives up a journal whose request broke off.
    func forget(_ journal: ContentJournal) async {
        do {
            try await blocking.uncancelled { [content] in try content.discardJournal(journal.name) }
        } catch {
            logger.warning("A journal could not be given up", metadata: ["error": "\(error)"])
        }
    }

    /// One round: what rows want of every closed journal.
    static func settle(_ metadata: any MetadataStore, _ content: any ContentStore, _ blocking: BlockingPool)
        async throws
        -> Int
    {
        let held = content.journaledDigests()
        guard !held.isEmpty else { return 0 }
        let wanted = try await metadata.wanted(Array(Set(held.values.joined())))
        return try await blocking.uncancelled {
            try content.settle(held.mapValues { wanted.intersection($0) })
        }
    }
}

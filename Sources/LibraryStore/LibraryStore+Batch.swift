import LibraryAPI
import Logging
import Persistence
import PhotoModel

extension LibraryStore {
    /// Begins to take a batch; waits while more than the allowed bytes of others are not in their final place.
    ///
    /// - Parameter caller: for whom.
    /// - Returns: what takes the batch.
    /// - Throws: `storageFull`; `unavailable` when batches cannot be settled.
    package func receiveBatch(by caller: StoreCaller) async throws -> BatchReceiver {
        try await requireSpace(for: APILimits.batchByteCount + metadata.promisedByteCount())
        if content.unsettledByteCount > settings.journalByteCount {
            do {
                try await settle()
            } catch {
                throw StoreError(.unavailable, "The server cannot keep up with its disk: try later.", cause: error)
            }
        }
        return BatchReceiver(self, by: caller)
    }

    /// Brings what ended batches hold and somebody wants to its final place; calls that come together share one round.
    ///
    /// - Returns: how many contents that round moved.
    /// - Throws: what rows or the store say; the batches stay, and nothing is lost.
    @discardableResult
    package func settle() async throws -> Int {
        try await settling.commit(())
    }

    /// Whether batches hold so little that settling them can wait.
    package var hasRoomInBatches: Bool { content.unsettledByteCount < settings.journalByteCount / 2 }

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
                logger.warning("Batches could not be settled", metadata: ["error": "\(error)"])
            }
        }
    }

    func requestSettling() { settlingContinuation.yield() }

    /// Discards a batch whose request broke off.
    func forget(_ batch: any BatchReception) async {
        do {
            try await batch.discard()
        } catch {
            logger.warning("A batch could not be given up", metadata: ["error": "\(error)"])
        }
    }
}

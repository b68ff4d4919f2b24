import LibraryAPI
import Logging
import Persistence
import PhotoModel

extension LibraryStore {
    /// Begins to receive a batch; waits while other batches have more than the allowed bytes outside their final place.
    ///
    /// - Parameters:
    ///   - caller: the caller.
    ///   - byteCount: the length of the whole request; nil promises as much space as a batch may have.
    /// - Returns: the batch's receiver.
    /// - Throws: `storageFull`; `unavailable` if batches cannot be settled.
    package func receiveBatch(
        by caller: StoreCaller,
        announcing byteCount: Int64? = nil
    ) async throws -> BatchReceiver {
        let most = APILimits.batchByteCount
        let promise = try await space.promise(.new((byteCount ?? most).clamped(to: 0...most)))
        if content.unsettledByteCount > settings.journalByteCount {
            do {
                try await settle()
            } catch {
                throw StoreError(.unavailable, "The server cannot keep up with its disk: try later.", cause: error)
            }
        }
        return BatchReceiver(self, by: caller, promise)
    }

    /// Moves the needed contents of ended batches to their final place; simultaneous calls share a round.
    ///
    /// - Returns: the number of contents moved in that round.
    /// - Throws: errors of the rows or the content store; the batches stay, and nothing is lost.
    @discardableResult
    package func settle() async throws -> Int { try await settling.commit(()) }

    /// Whether batches hold so little that settling them can wait.
    package var hasRoomInBatches: Bool { content.unsettledByteCount < settings.journalByteCount / 2 }

    /// Settles after each batch, until the task is cancelled.
    ///
    /// - Parameter rightMoment: returns when it is a good time; a round includes everything that has arrived by then.
    package func runSettling(at rightMoment: () async -> Void) async {
        for await _ in settlingRequests {
            await rightMoment()
            await settleIfPossible()
        }
    }

    /// Settles; what fails is retried after the next batch, at the next verification and at the next start.
    func settleIfPossible(orLog level: Logger.Level = .warning) async {
        do {
            try await settle()
        } catch {
            logger.log(level: level, "Batches could not be settled", metadata: ["error": "\(error)"])
        }
    }

    func requestSettling() { settlingContinuation.yield() }

    /// Discards a batch whose request was interrupted.
    func forget(_ batch: any BatchReception) async {
        do {
            try await batch.discard()
        } catch {
            logger.warning("A batch could not be discarded", metadata: ["error": "\(error)"])
        }
    }
}

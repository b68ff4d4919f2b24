import LibraryAPI
import Logging
import Persistence
import PhotoModel

/// Copies the contents named by rows to a backup, or to an arriving library's new place.
struct ContentTransfer: Sendable {
    /// The result.
    struct Outcome: Hashable, Sendable {
        /// Contents that were copied now; an earlier attempt may have copied others.
        var copiedContents = 0
        /// Their bytes.
        var copiedBytes: Int64 = 0
        /// Contents that are missing or damaged at the old place.
        var missing: [ContentDigest] = []
    }

    /// The rows of contents, page by page, with their number and bytes.
    struct Rows: Sendable {
        let totals: TransferProgress
        let page: @Sendable (_ last: ContentDigest?, _ limit: Int) async throws -> [ContentRow]

        /// The rows of a snapshot.
        static func snapshot(_ table: SnapshotTable, _ totals: TransferProgress, _ blocking: BlockingPool) -> Rows {
            Rows(totals: totals) { last, limit in
                try await blocking.run { try table.contents(after: last, limit: limit) }
            }
        }
    }

    private static let pageCount = 256

    let arrival: any ContentArrival
    let logger: Logger
    /// Contents copied concurrently.
    var windowCount = 8
    /// Opens a content at the old place.
    let open: @Sendable (ContentRow) async throws -> any ContentReader

    /// Copies what the new place lacks.
    ///
    /// - Parameters:
    ///   - rows: the contents.
    ///   - progress: called after every content.
    /// - Returns: the result, with the contents that are unavailable.
    /// - Throws: errors of the new place.
    func run(_ rows: Rows, progress: @Sendable (TransferProgress) -> Void) async throws -> Outcome {
        var state = rows.totals
        var outcome = Outcome()
        var last: ContentDigest?
        while true {
            let page = try await rows.page(last, Self.pageCount)
            guard let end = page.last else { return outcome }
            last = end.address.digest
            var fresh: [ContentRow] = []
            try await withThrowingTaskGroup(of: (ContentRow, Bool?).self) { group in
                func note(_ row: ContentRow, _ isTaken: Bool?) {
                    switch isTaken {
                    case true:
                        fresh.append(row)
                        outcome.copiedContents += 1
                        outcome.copiedBytes += row.byteCount
                    case false:
                        logger.error("content is missing or damaged", metadata: ["digest": "\(row.address.digest)"])
                        outcome.missing.append(row.address.digest)
                    case nil: break
                    }
                    state.doneContents += 1
                    state.doneBytes += row.byteCount
                    progress(state)
                }
                for (index, row) in page.enumerated() {
                    if index >= windowCount, let (done, isTaken) = try await group.next() { note(done, isTaken) }
                    group.addTask { (row, try await take(row)) }
                }
                for try await (done, isTaken) in group { note(done, isTaken) }
            }
            try await arrival.settle(fresh)
        }
    }

    /// Copies one content; returns whether it could, or nil if it is already there.
    private func take(_ row: ContentRow) async throws -> Bool? {
        if try await arrival.has(row) { return nil }
        // Missing bytes are recorded and do not stop the rest.
        guard let reader = try? await open(row) else { return false }
        return try await arrival.take(row, from: reader)
    }
}

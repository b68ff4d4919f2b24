import LibraryAPI
import Logging
import Persistence
import PhotoModel

/// Copies the contents named by rows to an arriving library's new place.
struct ContentTransfer: Sendable {
    /// The result.
    struct Outcome: Hashable, Sendable {
        /// Contents in the new place.
        var contents = 0
        /// Those of them that were copied now.
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
    }

    private static let pageCount = 256
    /// Contents copied concurrently.
    private static let windowCount = 8

    let arrival: any ContentArrival
    let logger: Logger
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
                    if isTaken == false {
                        logger.error("content is missing or damaged", metadata: ["digest": "\(row.address.digest)"])
                        outcome.missing.append(row.address.digest)
                    } else {
                        outcome.contents += 1
                    }
                    if isTaken == true {
                        fresh.append(row)
                        outcome.copiedContents += 1
                        outcome.copiedBytes += row.byteCount
                    }
                    state.doneContents += 1
                    state.doneBytes += row.byteCount
                    progress(state)
                }
                for (index, row) in page.enumerated() {
                    if index >= Self.windowCount, let (done, isTaken) = try await group.next() { note(done, isTaken) }
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
        guard let reader = try? await open(row), reader.byteCount == row.byteCount else { return false }
        return try await arrival.take(row, from: reader)
    }
}

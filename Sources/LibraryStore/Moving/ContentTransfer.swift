import LibraryAPI
import Logging
import Persistence
import PhotoModel

/// Copies the contents that rows name into the place where a library arrives.
struct ContentTransfer: Sendable {
    /// What was done.
    struct Outcome: Hashable, Sendable {
        /// Contents that are in the new place.
        var contents = 0
        /// Those of them that were copied just now.
        var copiedContents = 0
        /// Their bytes.
        var copiedBytes: Int64 = 0
        /// Contents whose bytes the old place lacks, or has damaged.
        var missing: [ContentDigest] = []
    }

    /// The rows of contents, a page at a time, and their number and bytes.
    struct Rows: Sendable {
        let totals: TransferProgress
        let page: @Sendable (_ last: ContentDigest?, _ limit: Int) async throws -> [ContentRow]
    }

    private static let pageCount = 256
    /// Contents that are copied at once.
    private static let windowCount = 8

    let arrival: any ContentArrival
    let logger: Logger
    /// Opens a content in the old place.
    let open: @Sendable (ContentRow) async throws -> any ContentReader

    /// Copies what the new place lacks.
    ///
    /// - Parameters:
    ///   - rows: the contents.
    ///   - progress: told after every content.
    /// - Returns: what was done; contents that cannot be had are listed.
    /// - Throws: what the new place says.
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

    /// Copies one content: whether it could, nil where it is there already.
    private func take(_ row: ContentRow) async throws -> Bool? {
        if try await arrival.has(row) { return nil }
        guard let reader = try? await open(row), reader.byteCount == row.byteCount else { return false }
        return try await arrival.take(row, from: reader)
    }
}

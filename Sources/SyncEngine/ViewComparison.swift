import LibraryAPI

/// Finds by hashes where the box's replica differs from its view of the library, and repairs only that.
///
/// The view is requested as ranges with a hash each; a differing range is requested again in smaller ones, and a small
/// one is fetched. If nothing differs, one request suffices.
struct ViewComparison {
    /// Ranges per request, at most `APILimits.changeRangeCount`.
    private static let rangeCount = 64
    /// Entities fetched together, at most `APILimits.changePageCount`.
    private static let fetchedCount = 500
    /// The most requests before it gives up.
    private static let requestLimit = 10_000

    let library: any SyncLibrary
    let queue: any SyncQueue

    /// Compares and repairs, and returns the number of repaired entities; after an error, completed repairs are kept.
    func run() async throws(SyncFailure) -> Int {
        var open = [ChangeRange.Bounds()]
        var mended = 0
        var requests = 0
        while let bounds = open.popLast() {
            let position = try await queue.feedPosition()
            let ranges = try await library.ranges(bounds, count: Self.rangeCount)
            requests += 1
            for range in try await queue.differing(ranges) {
                let part = ChangeRange.Bounds(from: range.from, until: range.until)
                guard requests < Self.requestLimit else { throw .noAnswer("the library returns ever smaller ranges") }
                if range.count > Self.fetchedCount {
                    open.append(part)
                } else {
                    requests += 1
                    mended += try await queue.mend(part, by: try await library.entities(part), at: position)
                }
            }
        }
        try await queue.noteComparison()
        return mended
    }
}

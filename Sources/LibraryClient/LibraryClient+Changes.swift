import FoundationEssentials
package import LibraryAPI

extension LibraryClient {
    /// Changes after a token.
    ///
    /// - Parameters:
    ///   - token: where to continue; nil starts with an enumeration.
    ///   - limit: entities in the response, 1 to `APILimits.changePageCount`.
    ///   - waitSeconds: how long the server may wait for a change, 0 to `APILimits.changeWaitSeconds`.
    /// - Returns: the page.
    /// - Throws: `changes.token_expired` if everything must be enumerated again; `malformedAnswer` for a page without
    ///   its closing line, which was cut off and must be ignored, for more entities than were requested, and for a page
    ///   that is not the last but has none; every other refusal.
    package func changes(
        since token: ChangeToken?,
        limit: Int = APILimits.changePageCount,
        waitSeconds: Int = 0
    ) async throws(LibraryClientError) -> ChangeFeedPage {
        var query = ChangeQuery()
        (query.limit, query.wait, query.since) = (limit, waitSeconds, token?.description)
        var request = try request(.changes, [], query: query.items)
        request.timeout = timeout + .seconds(waitSeconds)
        // A closed connection is news, which a wait on another one would miss.
        request.isSentOnce = waitSeconds > 0
        let page = try await page(request, limit: limit + APILimits.changePageTieCount)
        // Otherwise a feed that does not advance would be read forever.
        guard !page.changes.isEmpty || !page.end.hasMore else {
            throw LibraryClientError(malformed: "a page without changes says that there are more")
        }
        return page
    }

    /// The caller's view between two keys, as ranges with their hashes.
    ///
    /// - Parameters:
    ///   - bounds: the keys.
    ///   - count: how many ranges, 1 to `APILimits.changeRangeCount`.
    /// - Returns: consecutive ranges that cover the requested one.
    /// - Throws: no response, a refusal, or `malformedAnswer` for other ranges.
    package func changeRanges(
        _ bounds: ChangeRange.Bounds,
        count: Int
    ) async throws(LibraryClientError) -> [ChangeRange] {
        var query = ChangeQuery(bounds)
        query.ranges = count
        let page = try await call(.changes, query: query.items, as: ChangeRangePage.self)
        // The caller hashes its own view over each of them.
        guard page.ranges.count <= count, page.covers(bounds) else {
            throw LibraryClientError(malformed: "the ranges do not divide the requested one")
        }
        return page.ranges
    }

    /// The caller's view between two keys, each entity as an insertion.
    ///
    /// - Parameter bounds: the keys; at most `APILimits.changePageCount` entities may lie between them.
    /// - Returns: the entities.
    /// - Throws: no response, or a refusal.
    package func entities(_ bounds: ChangeRange.Bounds) async throws(LibraryClientError) -> [EntityChange] {
        var query = ChangeQuery(bounds)
        // Without any bound the route would be the feed: starting at the first key also means everything.
        if bounds == .init() { query.from = EntityKey(String(repeating: "0", count: 34)) }
        return try await page(try request(.changes, [], query: query.items), limit: APILimits.changePageCount).changes
    }

    private func page(_ request: TransportRequest, limit: Int) async throws(LibraryClientError) -> ChangeFeedPage {
        var request = request
        request.answerByteLimit = Self.changePageByteLimit
        let answer = try await send(request)
        var changes: [EntityChange] = []
        for line in answer.body.split(separator: 0x0A) {
            switch try Self.line(line) {
            case .change(let change):
                // All are applied in one transaction, in which nothing is captured.
                guard changes.count < limit else {
                    throw LibraryClientError(malformed: "a page has more than \(limit) changes")
                }
                guard change.describesItsEntity else {
                    throw LibraryClientError(malformed: "a change describes another entity than its own")
                }
                changes.append(change)
            case .end(let end): return ChangeFeedPage(changes: changes, end: end)
            }
        }
        throw LibraryClientError(malformed: "a page of changes ended without its token")
    }

    /// Sends a replica's own changes; those the library already has are skipped.
    package func push(_ push: ChangePush) async throws(LibraryClientError) -> ChangePushResponse {
        try await call(.pushChanges, body: push)
    }

    /// A page has at most 1,000 entities with their state.
    private static let changePageByteLimit = 64 << 20

    private static func line(_ bytes: ArraySlice<UInt8>) throws(LibraryClientError) -> ChangeLine {
        do {
            return try JSONDecoder().decode(ChangeLine.self, from: Data(bytes))
        } catch {
            throw LibraryClientError(malformed: "a line of changes does not decode: \(error)")
        }
    }
}

extension ChangeQuery {
    fileprivate init(_ bounds: ChangeRange.Bounds) {
        self.init()
        (from, until) = (bounds.from, bounds.until)
    }
}

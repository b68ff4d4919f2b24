import FoundationEssentials
package import LibraryAPI

extension LibraryClient {
    /// Changes after a token.
    ///
    /// - Parameters:
    ///   - token: how far was read; nil begins with an enumeration.
    ///   - limit: entities in the answer, 1 to `APILimits.changePageCount`.
    ///   - waitSeconds: how long the server may wait for a change, 0 to `APILimits.changeWaitSeconds`.
    /// - Returns: the page.
    /// - Throws: `changes.token_expired` when everything has to be enumerated again; `malformedAnswer` for a page without
    ///   its closing line, which was cut off and counts for nothing; every other refusal.
    package func changes(
        since token: ChangeToken?,
        limit: Int = APILimits.changePageCount,
        waitSeconds: Int = 0
    ) async throws(LibraryClientError) -> ChangeFeedPage {
        var query = [("limit", "\(limit)"), ("wait", "\(waitSeconds)")]
        if let token { query.append(("since", "\(token)")) }
        var request = try request(.changes, [], query: query.map { (name: $0.0, value: $0.1) })
        request.timeout = timeout + .seconds(waitSeconds)
        request.answerByteLimit = Self.changePageByteLimit
        let answer = try await send(request)
        var changes: [EntityChange] = []
        for line in answer.body.split(separator: 0x0A) {
            switch try Self.line(line) {
            case .change(let change): changes.append(change)
            case .end(let end): return ChangeFeedPage(changes: changes, end: end)
            }
        }
        throw LibraryClientError(malformed: "a page of changes ended without its token")
    }

    /// Sends a replica's own changes; those that the library has are passed over.
    package func push(_ push: ChangePush) async throws(LibraryClientError) -> ChangePushAnswer {
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

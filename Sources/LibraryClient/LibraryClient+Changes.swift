package import LibraryAPI

extension LibraryClient {
    /// Changes after a token, as JSON lines.
    ///
    /// - Parameters:
    ///   - token: how far was read; nil begins with an enumeration.
    ///   - limit: entities in the answer, 1 to `APILimits.changePageCount`.
    ///   - waitSeconds: how long the server may wait for a change, 0 to `APILimits.changeWaitSeconds`.
    /// - Returns: the lines, without their line feeds.
    /// - Throws: `changes.token_expired` when everything has to be enumerated again; every other refusal.
    package func changes(
        since token: ChangeToken?,
        limit: Int = APILimits.changePageCount,
        waitSeconds: Int = 0
    ) async throws(LibraryClientError) -> [[UInt8]] {
        var query = [("limit", "\(limit)"), ("wait", "\(waitSeconds)")]
        if let token { query.append(("since", "\(token)")) }
        var request = try request(.changes, [], query: query.map { (name: $0.0, value: $0.1) })
        request.timeout = timeout + .seconds(waitSeconds)
        let answer = try await send(request)
        return answer.body.split(separator: 0x0A).map(Array.init)
    }
}

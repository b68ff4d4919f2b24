package import LibraryAPI

extension LibraryClient {
    /// Fetches bytes piece by piece; cancelling the task ends the transfer.
    ///
    /// - Parameters:
    ///   - endpoint: a route that answers with bytes.
    ///   - values: its path's parameters.
    ///   - query: names and values after the path.
    ///   - offset: where to begin (RFC 9110, section 14); 0 asks for everything.
    ///   - sink: takes the pieces in order, on the transport's thread.
    /// - Returns: the answer's status and header; 206 where it begins at the offset, 200 where it begins at 0.
    /// - Throws: no answer, or a refusal.
    package func load(
        _ endpoint: Endpoint,
        _ values: [any CustomStringConvertible],
        query: [(name: String, value: String)] = [],
        from offset: Int64 = 0,
        into sink: @escaping @Sendable ([UInt8]) throws -> Void
    ) async throws(LibraryClientError) -> TransportResponse {
        var request = try request(endpoint, values, query: query)
        request.fields = [("Accept", "*/*")]
        if offset > 0 { request.fields.append(("Range", "bytes=\(offset)-")) }
        // Slow links are cut by the stall limit, not by a limit on the whole.
        request.timeout = nil
        request.sink = sink
        return try await send(request)
    }
}

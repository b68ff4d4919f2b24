package import LibraryAPI

extension LibraryClient {
    /// Fetches bytes in chunks; cancelling the task ends the transfer.
    ///
    /// - Parameters:
    ///   - endpoint: a route that returns bytes.
    ///   - values: its path's parameters.
    ///   - query: the query's names and values.
    ///   - offset: the first byte's offset (RFC 9110, section 14); 0 requests everything.
    ///   - sink: receives the chunks in order, on the transport's thread.
    /// - Returns: the response's status and header; 206 if it begins at the offset, 200 if it begins at 0.
    /// - Throws: no response, or a refusal.
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
        // The stall limit cuts off slow links; there is no limit on the total time.
        request.timeout = nil
        request.sink = sink
        return try await send(request)
    }
}

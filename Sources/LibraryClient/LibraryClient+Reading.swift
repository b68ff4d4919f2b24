package import LibraryAPI
package import PhotoModel

extension LibraryClient {
    /// Reads a resource's bytes in chunks.
    ///
    /// - Parameters:
    ///   - asset: the resource's asset.
    ///   - resource: the resource.
    ///   - take: receives each chunk, on the transport's thread; an error ends the transfer.
    /// - Throws: no response, a refusal, or an error of `take` as a local failure.
    package func download(
        _ asset: AssetID,
        _ resource: ResourceID,
        _ take: @escaping @Sendable ([UInt8]) throws -> Void
    ) async throws(LibraryClientError) {
        try await download(try request(.resource, [asset, resource]), take)
    }

    /// Reads a Live Photo as one Motion Photo, in chunks.
    ///
    /// - Parameters:
    ///   - asset: the Live Photo.
    ///   - take: receives each chunk, on the transport's thread; an error ends the transfer.
    /// - Throws: `resource.invalid` if its still's format cannot hold a movie, and every other refusal.
    package func downloadMotionPhoto(
        _ asset: AssetID,
        _ take: @escaping @Sendable ([UInt8]) throws -> Void
    ) async throws(LibraryClientError) {
        try await download(try request(.motionPhoto, [asset]), take)
    }

    private func download(
        _ request: TransportRequest,
        _ take: @escaping @Sendable ([UInt8]) throws -> Void
    ) async throws(LibraryClientError) {
        var request = request
        request.fields = [("Accept", "*/*")]
        request.sink = take
        // The stall limit cuts off slow links; there is no limit on the total time.
        request.timeout = nil
        _ = try await send(request)
    }

    /// One asset, as the caller currently sees it.
    package func asset(_ asset: AssetID) async throws(LibraryClientError) -> Asset {
        try await call(.asset, [asset])
    }

    /// Asks an administrator for a larger selection; a new reason replaces the previous one.
    package func expandSelection(
        _ expansion: SelectionExpansion
    ) async throws(LibraryClientError) -> OpenExpansion {
        try await call(.expandSelection, body: expansion)
    }
}

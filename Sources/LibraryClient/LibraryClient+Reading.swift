package import LibraryAPI
package import PhotoModel

extension LibraryClient {
    /// Reads a resource's bytes piece by piece.
    ///
    /// - Parameters:
    ///   - asset: whose resource it is.
    ///   - resource: the resource.
    ///   - take: takes each piece, on the transport's thread; an error ends the transfer.
    /// - Throws: no answer, a refusal, or what `take` threw as a local failure.
    package func download(
        _ asset: AssetID,
        _ resource: ResourceID,
        _ take: @escaping @Sendable ([UInt8]) throws -> Void
    ) async throws(LibraryClientError) {
        try await download(try request(.resource, [asset, resource]), take)
    }

    /// Reads a Live Photo as one Motion Photo, piece by piece.
    ///
    /// - Parameters:
    ///   - asset: the Live Photo.
    ///   - take: takes each piece, on the transport's thread; an error ends the transfer.
    /// - Throws: `resource.invalid` where its still's format cannot hold a movie, and every other refusal.
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
        // Slow links are cut by the stall limit, not by a limit on the whole.
        request.timeout = nil
        _ = try await send(request)
    }

    /// One asset, as the caller sees it now.
    package func asset(_ asset: AssetID) async throws(LibraryClientError) -> Asset {
        try await call(.asset, [asset])
    }

    /// Asks an administrator to select more; another reason takes the place of the one before.
    package func expandSelection(
        _ expansion: SelectionExpansion
    ) async throws(LibraryClientError) -> OpenExpansion {
        try await call(.expandSelection, body: expansion)
    }
}

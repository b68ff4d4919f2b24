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
        _ = try await load(.resource, [asset, resource], into: take)
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
        _ = try await load(.motionPhoto, [asset], into: take)
    }

    /// One asset, as the caller currently sees it.
    package func asset(_ asset: AssetID) async throws(LibraryClientError) -> Asset {
        try await call(.asset, [asset])
    }

    /// Asks an administrator for a larger selection; a new reason replaces the previous one.
    package func expandSelection(_ expansion: SelectionExpansion) async throws(LibraryClientError) -> OpenExpansion {
        try await call(.expandSelection, body: expansion)
    }
}

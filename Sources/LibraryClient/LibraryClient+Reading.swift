package import LibraryAPI
package import PhotoModel

extension LibraryClient {
    /// One asset, as the caller sees it now.
    package func asset(_ asset: AssetID) async throws(LibraryClientError) -> Asset {
        try await call(.asset, [asset])
    }

    /// Asks an administrator to select more.
    package func expandSelection(_ expansion: SelectionExpansion) async throws(LibraryClientError) {
        try await perform(.expandSelection, body: expansion)
    }
}

package import LibraryAPI
package import PhotoModel

extension LibraryClient {
    /// Describes an edit; repeating it returns the same uploads, and applies the edit once their bytes are there.
    package func adjust(
        _ asset: AssetID,
        _ request: AdjustmentRequest
    ) async throws(LibraryClientError) -> AdjustmentResponse {
        try await call(.addAdjustment, [asset], body: request)
    }

    /// Reverts an asset's edit.
    package func revert(_ asset: AssetID) async throws(LibraryClientError) -> Asset {
        try await call(.removeAdjustment, [asset])
    }
}

package import LibraryAPI
import Persistence
package import PhotoModel

extension LibraryStore {
    /// Takes an edit in: says what is to be sent, or applies it once everything is there.
    ///
    /// - Parameters:
    ///   - asset: the asset; its base stays.
    ///   - view: what the caller sees.
    ///   - caller: for whom.
    ///   - request: the edit.
    /// - Returns: the uploads that are not complete, or the asset as edited.
    /// - Throws: `notFound`, `resourceInvalid`, `resourceMissing`, `storageFull`; what the gate says.
    package func adjust(
        _ asset: AssetID,
        in view: LibraryView,
        by caller: StoreCaller,
        _ request: AdjustmentRequest
    ) async throws -> AdjustmentResponse {
        try await requireSpace(for: request.resources.totalByteCount + metadata.promisedByteCount())
        switch try await metadata.planAdjustment(of: asset, in: view, by: caller, request) {
        case .send(let uploads): return AdjustmentResponse(uploads: uploads)
        case .done(let edited): return AdjustmentResponse(uploads: [], asset: edited)
        case .publish(let publications, let commit, let replaced):
            _ = try await wrapping(asset) { try await self.commits.commit(publications, commit) }
            await forget(publications)
            try await quarantine(replaced, reason: "an edit of asset \(asset) was replaced")
            return AdjustmentResponse(uploads: [], asset: try await metadata.asset(asset, in: view))
        }
    }

    /// Takes an asset's edit back; its renderings go to quarantine where nothing else names them.
    ///
    /// - Returns: the asset as it came.
    /// - Throws: `notFound`; what the gate says.
    package func revert(_ asset: AssetID, in view: LibraryView, by caller: StoreCaller) async throws -> Asset {
        let reverted = try await metadata.revert(asset, in: view, by: caller)
        try await quarantine(reverted.released, reason: "an edit of asset \(asset) was taken back")
        return reverted.asset
    }

    /// Takes content out that nothing names any more.
    func quarantine(_ addresses: [ContentAddress], reason: String) async throws {
        for address in addresses {
            _ = try await commits.quarantine(address, reason: reason, at: effects.now())
        }
    }
}

package import LibraryAPI
import Persistence
package import PhotoModel

extension LibraryStore {
    /// Accepts an edit: returns the missing uploads, or applies it once everything has arrived.
    ///
    /// - Parameters:
    ///   - asset: the asset; its base is kept.
    ///   - view: the caller's view.
    ///   - caller: the caller.
    ///   - request: the edit.
    /// - Returns: the incomplete uploads, or the edited asset.
    /// - Throws: `notFound`, `resourceInvalid`, `resourceMissing`, `storageFull`; the gate's error.
    package func adjust(
        _ asset: AssetID,
        in view: LibraryView,
        by caller: StoreCaller,
        _ request: AdjustmentRequest
    ) async throws -> AdjustmentResponse {
        switch try await plan(asset, in: view, by: caller, request) {
        case .send(let uploads): return AdjustmentResponse(uploads: uploads)
        case .done(let edited): return AdjustmentResponse(uploads: [], asset: edited)
        case .publish(let publications, let commit, let replaced):
            let committed = try await wrapping(asset) { try await self.commits.commit(publications, commit) }
            await forget(committed.ended)
            try await quarantine(replaced, reason: "an edit of asset \(asset) was replaced")
            return AdjustmentResponse(uploads: [], asset: try await metadata.asset(asset, in: view))
        }
    }

    private func plan(
        _ asset: AssetID,
        in view: LibraryView,
        by caller: StoreCaller,
        _ request: AdjustmentRequest
    ) async throws -> AdjustmentPlan {
        let promise = try await space.promise(.new(request.resources.totalByteCount))
        // The uploads' rows promise the same.
        defer { promise.end() }
        return try await metadata.planAdjustment(of: asset, in: view, by: caller, request)
    }

    /// Reverts an asset's edit; its renderings go to quarantine unless something else uses them.
    ///
    /// - Returns: the original asset.
    /// - Throws: `notFound`; the gate's error.
    package func revert(_ asset: AssetID, in view: LibraryView, by caller: StoreCaller) async throws -> Asset {
        let reverted = try await metadata.revert(asset, in: view, by: caller)
        try await quarantine(reverted.released, reason: "an edit of asset \(asset) was reverted")
        return reverted.asset
    }

    /// Quarantines content that nothing uses any more.
    func quarantine(_ addresses: [ContentAddress], reason: String) async throws {
        for address in addresses {
            _ = try await commits.quarantine(address, reason: reason, at: effects.now())
        }
    }
}

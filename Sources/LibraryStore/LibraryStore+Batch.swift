import LibraryAPI
import Persistence
import PhotoModel

extension LibraryStore {
    /// Begins to take a batch.
    package func receiveBatch(by caller: StoreCaller) async throws -> BatchReceiver {
        try await requireSpace(for: APILimits.batchByteCount)
        return BatchReceiver(self, by: caller)
    }

    func commit(
        _ manifest: AssetManifest,
        _ publications: [Publication],
        _ problem: StoreError?,
        by caller: StoreCaller
    ) async -> BatchAnswer.Result {
        if let problem { return BatchAnswer.Result(assetID: manifest.id, problem: problem.details) }
        do {
            let request = CommitRequest(manifest: manifest, caller: caller, needsCreation: false)
            let answer = try await commits.commit(publications, request)
            return BatchAnswer.Result(assetID: manifest.id, commit: answer)
        } catch {
            let error = StoreError.wrapping(error, about: manifest.id.description)
            return BatchAnswer.Result(assetID: manifest.id, problem: error.details)
        }
    }
}

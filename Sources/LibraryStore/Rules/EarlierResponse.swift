import LibraryAPI
import PhotoModel

/// The response that a caller got for an asset before, with the library's current epoch and the contents now missing.
struct EarlierResponse: Sendable {
    /// The response.
    let response: CommitResponse
    /// The library's current epoch: that of the receipt, unless the library was restored since.
    let epoch: LibraryEpoch
    /// Those of the receipt's contents whose bytes are missing or damaged.
    let missing: Set<ContentDigest>

    /// What answers the same request again.
    enum Repetition: Hashable, Sendable {
        /// The same response.
        case same(CommitResponse)
        /// The receipt of a restored library, issued again under its new epoch and still to be signed.
        case renewed(Receipt, AlbumOutcome?)
    }

    /// What answers the same request again; nil if bytes that are not among the published ones must be sent first.
    func repetition(publishing published: Set<ContentDigest> = [], at time: WallTime) -> Repetition? {
        guard missing.isSubset(of: published) else { return nil }
        let receipt = response.receipt.receipt
        guard receipt.libraryEpoch != epoch else { return .same(response) }
        let renewed = Receipt(
            libraryID: receipt.libraryID,
            libraryEpoch: epoch,
            deviceID: receipt.deviceID,
            assetID: receipt.assetID,
            changeNumber: receipt.changeNumber,
            time: time,
            resources: receipt.resources
        )
        return .renewed(renewed, response.album)
    }

    /// Refuses to return the receipt for a manifest with other bytes: it must name every resource.
    ///
    /// - Throws: `assetConflict`.
    func requireBytes(of manifest: AssetManifest) throws(StoreError) {
        let saved = Set(response.receipt.receipt.resources.map(\.digest))
        guard manifest.resources.allSatisfy({ saved.contains($0.digest) }) else {
            throw StoreError(
                .assetConflict,
                "The asset was saved with other bytes: use a new identifier.",
                about: manifest.id.description
            )
        }
    }
}

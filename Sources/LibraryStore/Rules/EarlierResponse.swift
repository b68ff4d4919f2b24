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

    /// Refuses to return the receipt for a manifest with other bytes, or with these in other roles: it must name every
    /// resource, whatever its identifier.
    ///
    /// - Throws: `assetConflict`.
    func requireBytes(of manifest: AssetManifest) throws(StoreError) {
        let saved = response.receipt.receipt.resources
        let isSaved = manifest.resources.allSatisfy { resource in
            saved.contains {
                $0.type == resource.type && $0.digest == resource.digest && $0.byteCount == resource.byteCount
            }
        }
        guard isSaved else {
            throw StoreError(
                .assetConflict,
                "The asset was saved with other bytes, or with these in other roles: use a new identifier.",
                about: manifest.id.description
            )
        }
    }
}

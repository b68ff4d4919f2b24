package import LibraryAPI
package import Persistence
package import PhotoModel

/// What has to be done before an asset can be committed.
package enum CommitPlan: Sendable {
    /// Nothing: this was answered before.
    case done(CommitResponse)
    /// These bytes are to be published.
    case publish([Publication], AssetManifest)
}

/// An asset whose bytes are published and that is to become visible.
package struct CommitRequest: Sendable {
    /// What the asset is.
    package let manifest: AssetManifest
    /// For whom.
    package let caller: StoreCaller
    /// Whether a creation of the caller must be there still; false for batches.
    package let needsCreation: Bool
    /// The asset whose edit the manifest's resources are; nil for an asset of its own.
    package var adjustment: AdjustmentTarget?

    package init(
        manifest: AssetManifest,
        caller: StoreCaller,
        needsCreation: Bool,
        adjustment: AdjustmentTarget? = nil
    ) {
        self.manifest = manifest
        self.caller = caller
        self.needsCreation = needsCreation
        self.adjustment = adjustment
    }
}

/// The asset that an edit is for.
package struct AdjustmentTarget: Sendable {
    /// The asset.
    package let asset: AssetID
    /// Where the caller must see it.
    package let view: LibraryView
}

/// What has to be done before an edit can be applied.
package enum AdjustmentPlan: Sendable {
    /// These bytes are still to be sent.
    case send([UploadStatus])
    /// These bytes are to be published; the addresses are those of the edit that is replaced.
    case publish([Publication], CommitRequest, replaced: [ContentAddress])
    /// Nothing: the asset has this edit.
    case done(Asset)
}

/// An asset whose edit was taken back.
package struct RevertedAsset: Hashable, Sendable {
    /// The asset as it came.
    package let asset: Asset
    /// The content that the edit named.
    package let released: [ContentAddress]
}

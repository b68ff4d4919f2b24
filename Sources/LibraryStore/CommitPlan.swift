package import Authorization
package import LibraryAPI
package import Persistence
package import PhotoModel

/// What must be done before an asset can be committed.
package enum CommitPlan: Sendable {
    /// Nothing: it was already committed.
    case done(CommitResponse)
    /// Publish these bytes.
    case publish([Publication], AssetManifest)
}

/// An asset whose bytes are published, to be made visible.
package struct CommitRequest: Sendable {
    /// The asset's manifest.
    package let manifest: AssetManifest
    /// The caller.
    package let caller: StoreCaller
    /// Whether the caller's creation must still exist; false for batches.
    package let needsCreation: Bool
    /// The asset that the resources are an edit of; nil for a new asset.
    package var adjustment: AdjustmentTarget?
    /// The entry of an operator who commits it in the caller's name.
    package let audit: AuditEntry.Content?
    /// When the batch began that brought its contents, by `UpkeepStore.receivingTime`.
    package var received: WallTime?
    /// Where its contents were published.
    package var places: [ContentDigest: ContentAddress] = [:]

    package init(
        manifest: AssetManifest,
        caller: StoreCaller,
        needsCreation: Bool,
        adjustment: AdjustmentTarget? = nil,
        audit: AuditEntry.Content? = nil
    ) {
        self.manifest = manifest
        self.caller = caller
        self.needsCreation = needsCreation
        self.adjustment = adjustment
        self.audit = audit
    }
}

/// An asset that was made visible, or had been before.
package struct CommittedAsset: Sendable {
    /// The response.
    package let response: CommitResponse
    /// The uploads that ended with it, whose staged bytes may be deleted.
    package let ended: [UploadID]
}

/// The target of an edit.
package struct AdjustmentTarget: Sendable {
    /// The asset.
    package let asset: AssetID
    /// The caller's view, which must contain it.
    package let view: LibraryView
}

/// What must be done before an edit can be applied.
package enum AdjustmentPlan: Sendable {
    /// These uploads are incomplete.
    case send([UploadStatus])
    /// Publish these bytes; the addresses are the replaced edit's.
    case publish([Publication], CommitRequest, replaced: [ContentAddress])
    /// Nothing: the asset has this edit.
    case done(Asset)
}

/// An asset whose edit was reverted.
package struct RevertedAsset: Hashable, Sendable {
    /// The original asset.
    package let asset: Asset
    /// The content of the reverted edit.
    package let released: [ContentAddress]
}

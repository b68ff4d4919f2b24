package import LibraryAPI

/// What has to be done before an asset can be committed.
package enum CommitPlan: Sendable {
    /// Nothing: this was answered before.
    case done(CommitAnswer)
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
}

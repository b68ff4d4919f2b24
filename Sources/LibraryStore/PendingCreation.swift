package import LibraryAPI

/// An asset that was described and is not committed.
package struct PendingCreation: Hashable, Sendable {
    /// What was described.
    package let manifest: AssetManifest
    /// Its uploads, one a resource.
    package let uploads: [UploadStatus]
}

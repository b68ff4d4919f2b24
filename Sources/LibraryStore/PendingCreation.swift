package import LibraryAPI

/// A described but uncommitted asset.
package struct PendingCreation: Hashable, Sendable {
    /// Its manifest.
    package let manifest: AssetManifest
    /// Its uploads, one per resource.
    package let uploads: [UploadStatus]
}

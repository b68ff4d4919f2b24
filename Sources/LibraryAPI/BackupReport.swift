/// What a backup did.
package struct BackupReport: Hashable, Sendable, Codable {
    /// The snapshot's name.
    package let snapshot: String
    /// What it is.
    package let manifest: BackupManifest
    /// Contents that were copied, because no snapshot before had them.
    package let copiedContents: Int
    /// Their bytes.
    package let copiedBytes: Int64
    /// Snapshots that were removed because enough newer ones exist.
    package let removedSnapshots: Int

    package init(
        snapshot: String,
        manifest: BackupManifest,
        copiedContents: Int,
        copiedBytes: Int64,
        removedSnapshots: Int
    ) {
        self.snapshot = snapshot
        self.manifest = manifest
        self.copiedContents = copiedContents
        self.copiedBytes = copiedBytes
        self.removedSnapshots = removedSnapshots
    }
}

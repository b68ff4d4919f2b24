/// The result of a backup.
package struct BackupReport: Hashable, Sendable, Codable {
    /// The snapshot's name.
    package let snapshot: String
    /// Its description.
    package let manifest: BackupManifest
    /// Contents copied because no earlier snapshot had them.
    package let copiedContents: Int
    /// Their bytes.
    package let copiedBytes: Int64
    /// Snapshots removed because enough newer ones exist.
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

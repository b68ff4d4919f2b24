import FoundationEssentials
package import LibraryAPI
package import PhotoModel

/// What a snapshot is; written when everything else of it is durable.
package struct BackupManifest: Hashable, Sendable, Codable {
    /// The version of this form.
    package var version = 1
    /// The library.
    package let libraryID: LibraryID
    /// Its history.
    package let epoch: LibraryEpoch
    /// The last change that the snapshot holds.
    package let lastChange: ChangeNumber
    /// When it was begun.
    package let time: WallTime
    /// SHA-256 of the database's file.
    package let databaseDigest: ContentDigest
    /// Contents that its rows name.
    package let contents: Int
    /// Their bytes.
    package let byteCount: Int64
    /// Contents whose bytes were missing or damaged in the library, and are not in the backup.
    package let missing: [ContentDigest]
}

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
}

/// How far a long piece of work has come.
package struct TransferProgress: Hashable, Sendable, Codable {
    /// Contents in all.
    package var contents: Int
    /// Contents that are done.
    package var doneContents = 0
    /// Bytes in all.
    package var byteCount: Int64
    /// Bytes that are done.
    package var doneBytes: Int64 = 0

    /// Nothing done yet.
    package init(contents: Int, byteCount: Int64) {
        self.contents = contents
        self.byteCount = byteCount
    }
}

package import PhotoModel

/// The description of a snapshot, written once everything else is durable.
package struct BackupManifest: Hashable, Sendable, Codable {
    /// The version of this format.
    package var version = 1
    /// The library.
    package let libraryID: LibraryID
    /// Its history.
    package let epoch: LibraryEpoch
    /// The last change that the snapshot contains.
    package let lastChange: ChangeNumber
    /// When it was started.
    package let time: WallTime
    /// SHA-256 of the database file.
    package let databaseDigest: ContentDigest
    /// The number of contents its rows name.
    package let contents: Int
    /// Their bytes.
    package let byteCount: Int64
    /// Contents that were missing or damaged in the library, and so are not in the backup.
    package let missing: [ContentDigest]

    package init(
        libraryID: LibraryID,
        epoch: LibraryEpoch,
        lastChange: ChangeNumber,
        time: WallTime,
        databaseDigest: ContentDigest,
        contents: Int,
        byteCount: Int64,
        missing: [ContentDigest]
    ) {
        self.libraryID = libraryID
        self.epoch = epoch
        self.lastChange = lastChange
        self.time = time
        self.databaseDigest = databaseDigest
        self.contents = contents
        self.byteCount = byteCount
        self.missing = missing
    }
}

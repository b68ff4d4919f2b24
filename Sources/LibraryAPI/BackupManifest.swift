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

extension BackupManifest {
    /// Decodes a description; counts are clamped to 0...2^53.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let counts: ClosedRange<Int64> = 0...1 << 53
        self.init(
            libraryID: try container.decode(LibraryID.self, forKey: .libraryID),
            epoch: try container.decode(LibraryEpoch.self, forKey: .epoch),
            lastChange: try container.decode(ChangeNumber.self, forKey: .lastChange),
            time: try container.decode(WallTime.self, forKey: .time),
            databaseDigest: try container.decode(ContentDigest.self, forKey: .databaseDigest),
            contents: Int(try container.decode(Int64.self, forKey: .contents).clamped(to: counts)),
            byteCount: try container.decode(Int64.self, forKey: .byteCount).clamped(to: counts),
            missing: try container.decode([ContentDigest].self, forKey: .missing)
        )
        version = try container.decode(Int.self, forKey: .version)
    }
}

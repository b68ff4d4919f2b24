package import PhotoModel

/// Identifies one requested archive.
package struct ArchiveID: UniqueIdentifier {
    /// The 128 bits.
    package let rawValue: UInt128
    package init(rawValue: UInt128) { self.rawValue = rawValue }
}

/// The form of an archive's files.
package enum ArchiveForm: String, CaseIterable, Hashable, Sendable, Codable {
    /// The originals, unchanged.
    case original
    /// The displayed picture, as a JPEG; movies and sounds as displayed.
    case jpeg
}

/// Requests an archive of many assets.
package struct ArchiveRequest: Hashable, Sendable, Codable {
    /// The assets, in the order of the archive, at most `APILimits.archiveAssetCount`; repetitions are ignored.
    package var assets: [AssetID]
    /// The form; `original` by default.
    package var form: ArchiveForm?
    /// Metadata to strip from every file.
    package var strip: [MetadataPart]?
}

/// The state of an archive.
package struct ArchiveResponse: Hashable, Sendable, Codable {
    /// A file that the archive cannot include.
    package struct LeftOut: Hashable, Sendable, Codable {
        /// The file's asset.
        package var asset: AssetID
        /// The file's name.
        package var name: String
        /// The reason.
        package var reason: String

        package init(asset: AssetID, name: String, reason: String) {
            self.asset = asset
            self.name = name
            self.reason = reason
        }
    }

    /// Identifies the archive, found at `/v1/archives/{id}/content.zip`.
    package var id: ArchiveID
    /// Number of files in the archive.
    package var fileCount: Int
    /// Files ready to send: originals at once, others once they are made.
    package var preparedCount: Int
    /// Its length; nil until every file is ready.
    package var byteCount: Int64?
    /// Requested assets that are gone, or that this caller cannot see.
    package var missingCount: Int
    /// Files left out, with the reasons; the archive lists them too.
    package var leftOut: [LeftOut]
    /// When the archive is forgotten.
    package var expires: WallTime

    package init(
        id: ArchiveID,
        fileCount: Int,
        preparedCount: Int,
        byteCount: Int64?,
        missingCount: Int,
        leftOut: [LeftOut],
        expires: WallTime
    ) {
        self.id = id
        self.fileCount = fileCount
        self.preparedCount = preparedCount
        self.byteCount = byteCount
        self.missingCount = missingCount
        self.leftOut = leftOut
        self.expires = expires
    }
}

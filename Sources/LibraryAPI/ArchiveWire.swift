package import PhotoModel

/// Names one archive that a caller asked for.
package struct ArchiveID: UniqueIdentifier {
    /// The 128 bits.
    package let rawValue: UInt128
    /// Wraps the bits as they are.
    package init(rawValue: UInt128) { self.rawValue = rawValue }
}

/// In which form an archive holds its assets.
package enum ArchiveForm: String, CaseIterable, Hashable, Sendable, Codable {
    /// Every original as it came.
    case original
    /// The picture that is shown, as a JPEG; movies and sounds as they are shown.
    case jpeg
}

/// Asks for an archive of many assets.
package struct ArchiveRequest: Hashable, Sendable, Codable {
    /// The assets, in the order of the archive; at most `APILimits.archiveAssetCount`.
    package var assets: [AssetID]
    /// The form; `original` when it is missing.
    package var form: ArchiveForm?
    /// Parts of the metadata to take out of every file.
    package var strip: [MetadataPart]?

    package init(assets: [AssetID], form: ArchiveForm? = nil, strip: [MetadataPart]? = nil) {
        self.assets = assets
        self.form = form
        self.strip = strip
    }
}

/// How an archive stands.
package struct ArchiveResponse: Hashable, Sendable, Codable {
    /// A file that the archive cannot hold.
    package struct LeftOut: Hashable, Sendable, Codable {
        /// The asset that it belongs to.
        package var asset: AssetID
        /// The file's name.
        package var name: String
        /// Why.
        package var reason: String

        package init(asset: AssetID, name: String, reason: String) {
            self.asset = asset
            self.name = name
            self.reason = reason
        }
    }

    /// Names the archive; its bytes are at `/v1/archives/{id}/content.zip`.
    package var id: ArchiveID
    /// Files that it is to hold.
    package var fileCount: Int
    /// How many of them are ready to be sent: originals at once, others once they were made.
    package var preparedCount: Int
    /// Its length; nil until every file is ready.
    package var byteCount: Int64?
    /// Assets that are not there for this caller any more.
    package var missingCount: Int
    /// What it cannot hold, with the reasons; the archive says so, too.
    package var leftOut: [LeftOut]
    /// When it is forgotten.
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

package import LibraryAPI
package import Persistence
package import PhotoModel

/// A library's identity and latest change.
package struct LibraryIdentity: Hashable, Sendable {
    /// The library.
    package let id: LibraryID
    /// Its history.
    package let epoch: LibraryEpoch
    /// The last admitted change.
    package let lastChange: ChangeNumber
    /// The change up to which a backup is complete; nil without a backup.
    package let backupWatermark: ChangeNumber?
}

/// Content that exists according to a row.
package struct ContentRow: Hashable, Sendable {
    /// Its address.
    package let address: ContentAddress
    /// Its length in bytes.
    package let byteCount: Int64
    /// When it was last verified; nil if never since it was received.
    package var hashed: WallTime?
}

/// Quarantined content.
package struct QuarantinedContent: Hashable, Sendable {
    /// Its digest.
    package let digest: ContentDigest
    /// The name in quarantine.
    package let fileName: String
    /// Why, in words.
    package let reason: String
    /// When it was quarantined.
    package let since: WallTime

    package init(digest: ContentDigest, fileName: String, reason: String, since: WallTime) {
        self.digest = digest
        self.fileName = fileName
        self.reason = reason
        self.since = since
    }
}

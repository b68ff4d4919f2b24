package import LibraryAPI
package import Persistence
package import PhotoModel

/// Which library it is, and how far it has come.
package struct LibraryIdentity: Hashable, Sendable {
    /// The library.
    package let id: LibraryID
    /// Its history.
    package let epoch: LibraryEpoch
    /// The last change that was admitted.
    package let lastChange: ChangeNumber
    /// The change up to which a backup holds everything; nil without a backup.
    package let backupWatermark: ChangeNumber?
}

/// Content that a row says is there.
package struct ContentRow: Hashable, Sendable {
    /// Where it is.
    package let address: ContentAddress
    /// How many bytes it has.
    package let byteCount: Int64
    /// When it was read last and had its digest; nil for never since it was received.
    package var hashed: WallTime?
}

/// Content that was taken out.
package struct QuarantinedContent: Hashable, Sendable {
    /// Its digest.
    package let digest: ContentDigest
    /// The name in quarantine.
    package let fileName: String
    /// Why, in words.
    package let reason: String
    /// Since when.
    package let since: WallTime

    package init(digest: ContentDigest, fileName: String, reason: String, since: WallTime) {
        self.digest = digest
        self.fileName = fileName
        self.reason = reason
        self.since = since
    }
}

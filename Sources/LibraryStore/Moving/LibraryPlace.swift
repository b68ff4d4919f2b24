import ObjectStorage
package import Persistence

/// Where a library's parts are, or are to be.
package struct LibraryPlace: Sendable {
    /// The library's folder, which holds at least the keys.
    package let root: Path
    /// Where the rows are.
    package let metadata: MetadataLocation
    /// Where the originals are.
    package let originals: Originals
    /// The place in words for an administrator, without secrets.
    package let description: String

    package init(root: Path, metadata: MetadataLocation, originals: Originals, description: String) {
        self.root = root
        self.metadata = metadata
        self.originals = originals
        self.description = description
    }

    var layout: LibraryLayout { LibraryLayout(root: root) }

    /// Whether the originals of two places are the same objects of the same bucket.
    func sharesBucket(with other: LibraryPlace) -> Bool {
        guard case .bucket(let client, _) = originals, case .bucket(let otherClient, _) = other.originals else {
            return false
        }
        return client.location == otherClient.location
    }
}

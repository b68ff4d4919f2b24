import ObjectStorage
package import Persistence

/// The locations of a library's parts.
package struct LibraryPlace: Sendable {
    /// The library's folder, which contains at least the keys.
    package let root: Path
    /// The location of the rows.
    package let metadata: MetadataLocation
    /// The location of the originals.
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

    /// Whether two places have the same originals in the same bucket.
    func sharesBucket(with other: LibraryPlace) -> Bool {
        guard case .bucket(let client, _) = originals, case .bucket(let otherClient, _) = other.originals else {
            return false
        }
        return client.location == otherClient.location
    }
}

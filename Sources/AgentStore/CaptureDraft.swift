package import LibraryAPI
package import Persistence
package import PhotoModel

/// A finished capture, or a file to import, on its way into the queue.
package struct CaptureDraft: Sendable {
    /// One resource's bytes and what they are.
    package struct Resource: Sendable {
        /// Where the bytes are.
        package enum Content: Sendable {
            /// In memory.
            case bytes([UInt8])
            /// In a file, which is copied.
            case copy(Path)
            /// In a file, which is moved: gone from where it was only once it is durable here (`shouldMoveFile`).
            ///
            /// `hashed` is the digest and length of a file that its writer hashed and made durable. If the file still has
            /// that length, it is neither read nor synchronised again unless it must be copied. Only for folders that no other program writes to.
            case move(Path, hashed: (digest: ContentDigest, byteCount: Int64)? = nil)
            /// In a staging folder of the store, where it was hashed.
            case staged(StagingFolder.File)
        }

        /// Names the resource.
        package var id: ResourceID
        /// What part it plays.
        package var type: AssetResourceType
        /// Media type as IANA names it, found by content.
        package var contentType: String
        /// The name it had where it came from.
        package var originalFilename: FileName?
        /// Its bytes.
        package var content: Content

        package init(
            id: ResourceID,
            type: AssetResourceType,
            contentType: String,
            originalFilename: FileName? = nil,
            content: Content
        ) {
            self.id = id
            self.type = type
            self.contentType = contentType
            self.originalFilename = originalFilename
            self.content = content
        }
    }

    /// What the asset is; its resources are filled in from what is written.
    package var manifest: AssetManifest
    /// Its bytes; a Live Photo has both parts here, or is incomplete.
    package var resources: [Resource]

    package init(manifest: AssetManifest, resources: [Resource]) {
        self.manifest = manifest
        self.resources = resources
    }
}

extension CaptureDraft.Resource.Content {
    /// The name that goes once the bytes are durable in the queue; nil for none.
    var movedFrom: Path? {
        switch self {
        case .bytes, .copy: nil
        case .move(let path, _): path
        case .staged(let file): file.movedFrom
        }
    }
}

/// How much of the disk the queue may take; what would go beyond is refused before it is written.
package struct SpaceLimits: Hashable, Sendable {
    /// The most bytes of originals kept here; nil for no limit of its own.
    package var maximumByteCount: Int64?
    /// Bytes of the file system that stay free.
    package var reserveByteCount: Int64

    /// The most that originals may take of what they and the free room of the file system are together, 1 to 100.
    package var maximumPercent: Int?
    /// Whether a full queue gives up its oldest originals that the library has acknowledged, before it refuses captures.
    package var dropsSaved: Bool

    /// Takes limits as they are; 64 MiB stay free unless told otherwise, so that the database can always write.
    package init(
        maximumByteCount: Int64? = nil,
        reserveByteCount: Int64 = 64 << 20,
        maximumPercent: Int? = nil,
        dropsSaved: Bool = false
    ) {
        self.maximumByteCount = maximumByteCount
        self.reserveByteCount = reserveByteCount
        self.maximumPercent = maximumPercent
        self.dropsSaved = dropsSaved
    }
}

package import LibraryAPI
package import PhotoModel

/// An asset on its way into the queue: what it is, and its files.
package struct CaptureDraft: Sendable {
    /// What the asset is, with a resource for each file.
    package var manifest: AssetManifest
    /// The resources' files, in the same order; a Live Photo has both parts here, or is incomplete.
    package private(set) var files: [Intake.File] = []

    /// Creates a draft without files yet.
    package init(_ manifest: AssetManifest) {
        self.manifest = manifest
        self.manifest.resources = []
    }

    /// Adds a file as a resource.
    ///
    /// - Parameters:
    ///   - file: the file.
    ///   - id: identifies the resource.
    ///   - type: its role in the asset.
    ///   - contentType: the IANA media type, found by content.
    ///   - originalFilename: the name it had where it came from.
    package mutating func append(
        _ file: Intake.File,
        id: ResourceID,
        type: AssetResourceType,
        contentType: String,
        originalFilename: FileName? = nil
    ) {
        files.append(file)
        manifest.resources.append(
            AssetResource(
                id: id,
                type: type,
                digest: file.digest,
                byteCount: file.byteCount,
                contentType: contentType,
                originalFilename: originalFilename
            )
        )
    }

    /// Bytes of all files.
    var byteCount: Int64 { files.reduce(0) { $0 + $1.byteCount } }
}

/// How much of the disk the queue may take; what would go beyond is refused before it is written.
package struct SpaceLimits: Hashable, Sendable {
    /// The most bytes of originals kept here; nil for no limit of its own.
    package var maximumByteCount: Int64?
    /// Bytes of the file system that stay free.
    package var reserveByteCount: Int64

    /// The most that originals may take of what they and the free room of the file system are together, 1 to 100.
    package var maximumPercent: Int?
    /// Whether a full queue evicts its oldest acknowledged originals before it refuses captures.
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

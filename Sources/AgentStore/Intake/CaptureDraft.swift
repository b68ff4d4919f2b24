package import LibraryAPI
package import PhotoModel

/// An asset about to join the queue: its manifest and its files.
package struct CaptureDraft: Sendable {
    /// The manifest, with one resource per file.
    package var manifest: AssetManifest
    /// The resources' files, in the same order; a Live Photo has both parts, or is incomplete.
    package private(set) var files: [Intake.File] = []

    /// Creates a draft without files yet.
    package init(_ manifest: AssetManifest) {
        self.manifest = manifest
        self.manifest.resources = []
    }

    /// Adds a file as a resource, with the media type detected from its content.
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

/// How much of the disk the queue may take; anything beyond is refused before it is written.
package struct SpaceLimits: Hashable, Sendable {
    /// The most bytes of originals on the box; nil for no limit.
    package var maximumByteCount: Int64?
    /// Bytes of the file system that must stay free.
    package var reserveByteCount: Int64

    /// The largest share that originals may have of themselves plus the file system's free space, in percent, 1 to 100.
    package var maximumPercent: Int?
    /// Whether a full queue evicts its oldest acknowledged originals before it refuses captures.
    package var dropsSaved: Bool

    /// By default 64 MiB must stay free, so that the database can always write.
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

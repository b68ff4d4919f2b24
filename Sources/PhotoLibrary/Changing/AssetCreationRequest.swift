package import LibraryAPI
package import Persistence
package import PhotoModel

/// Names an asset that a change block will make (PhotoKit's `PHObjectPlaceholder`).
package struct AssetPlaceholder: Hashable, Sendable {
    /// The asset's identifier, from before it exists and for good.
    package let id: AssetID
}

/// How a resource is taken over (PhotoKit's `PHAssetResourceCreationOptions`).
package struct ResourceCreationOptions: Hashable, Sendable {
    /// The name that it had; nil for the file's own.
    package var originalFilename: FileName?
    /// Whether the file is moved: it is gone from where it was once the block has succeeded, and only then.
    package var shouldMoveFile = false

    /// Copies under the file's own name.
    package init() {}
}

/// A wish for a new asset (PhotoKit's `PHAssetCreationRequest`); nothing exists until its change block succeeds.
package struct AssetCreationRequest: Sendable {
    /// Where a resource's bytes are.
    enum Content: Sendable {
        case bytes([UInt8])
        case file(Path)
    }

    /// A resource that was added.
    struct Resource: Sendable {
        let type: AssetResourceType
        let content: Content
        let options: ResourceCreationOptions
    }

    /// Names the asset that this will make.
    package let placeholder: AssetPlaceholder
    /// When it was captured; nil for now.
    package var creationDate: WallTime?
    /// Where it was captured.
    package var location: Location?
    /// A line that names it.
    package var title: String?
    /// What there is to say about it.
    package var caption: String?
    /// Words that it can be found by.
    package var keywords: Set<Keyword> = []
    /// Stars.
    package var rating = Rating.unrated
    /// Whether it is a favourite from the start.
    package var isFavorite = false
    /// The album that it should join; where the device may not place it, the library keeps the wish.
    package var album: DesiredAlbum?
    private(set) var resources: [Resource] = []

    init(_ id: AssetID) {
        placeholder = AssetPlaceholder(id: id)
    }

    /// Adds bytes; a photo with a paired video is a Live Photo.
    package mutating func addResource(
        with type: AssetResourceType,
        bytes: [UInt8],
        options: ResourceCreationOptions = ResourceCreationOptions()
    ) {
        resources.append(Resource(type: type, content: .bytes(bytes), options: options))
    }

    /// Adds a file.
    package mutating func addResource(
        with type: AssetResourceType,
        file: Path,
        options: ResourceCreationOptions = ResourceCreationOptions()
    ) {
        resources.append(Resource(type: type, content: .file(file), options: options))
    }
}

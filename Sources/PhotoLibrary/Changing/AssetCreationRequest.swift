public import FoundationEssentials
import LibraryAPI
import Persistence
public import PhotoModel

/// Names an asset that a change block will make (PhotoKit's `PHObjectPlaceholder`).
public struct AssetPlaceholder: Hashable, Sendable {
    /// The asset's identifier, from before it exists and for good.
    public let id: AssetID
}

/// How a resource is taken over (PhotoKit's `PHAssetResourceCreationOptions`).
public struct ResourceCreationOptions: Hashable, Sendable {
    /// The name that it had; nil for the file's own.
    public var originalFilename: FileName?
    /// Whether the file is moved: it is gone from where it was once the block has succeeded, and only then.
    public var shouldMoveFile = false

    /// Copies under the file's own name.
    public init() {}
}

/// A wish for a new asset (PhotoKit's `PHAssetCreationRequest`); nothing exists until its change block succeeds.
public struct AssetCreationRequest: Sendable {
    /// The album that a new asset should join.
    public enum Destination: Hashable, Sendable {
        /// An album that exists.
        case album(AlbumID)
        /// The album of this title, made when there is none.
        case albumTitled(String)
    }

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
    public let placeholder: AssetPlaceholder
    /// When it was captured; nil for now.
    public var creationDate: WallTime?
    /// Where it was captured.
    public var location: Location?
    /// A line that names it.
    public var title: String?
    /// What there is to say about it.
    public var caption: String?
    /// Words that it can be found by.
    public var keywords: Set<Keyword> = []
    /// Stars.
    public var rating = Rating.unrated
    /// Whether it is a favourite from the start.
    public var isFavorite = false
    /// The album that it should join; where the device may not place it, the library keeps the wish.
    public var destination: Destination?
    private(set) var resources: [Resource] = []

    init(_ id: AssetID) {
        placeholder = AssetPlaceholder(id: id)
    }

    /// Adds bytes; a photo with a paired video is a Live Photo.
    ///
    /// - Parameters:
    ///   - type: what part they play.
    ///   - data: the bytes, in any format; what they are is found by content.
    ///   - options: their name.
    public mutating func addResource(
        with type: AssetResourceType,
        data: some Sequence<UInt8>,
        options: ResourceCreationOptions = ResourceCreationOptions()
    ) {
        resources.append(Resource(type: type, content: .bytes(Array(data)), options: options))
    }

    /// Adds a file; a photo with a paired video is a Live Photo.
    ///
    /// - Parameters:
    ///   - type: what part it plays.
    ///   - fileURL: the file, read when the change block is made.
    ///   - options: its name, and whether it is moved.
    public mutating func addResource(
        with type: AssetResourceType,
        fileURL: URL,
        options: ResourceCreationOptions = ResourceCreationOptions()
    ) {
        resources.append(Resource(type: type, content: .file(Path(fileURL.path)), options: options))
    }
}

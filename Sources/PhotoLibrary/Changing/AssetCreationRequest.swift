public import FoundationEssentials
import LibraryAPI
import Persistence
public import PhotoModel

/// Identifies an asset that a change block will create (PhotoKit's `PHObjectPlaceholder`).
public struct AssetPlaceholder: Hashable, Sendable {
    /// The asset's identifier, valid before it exists and permanently.
    public let id: AssetID
}

/// How to import a resource (PhotoKit's `PHAssetResourceCreationOptions`).
public struct ResourceCreationOptions: Hashable, Sendable {
    /// The original file name; nil for the file's own.
    public var originalFilename: FileName?
    /// Whether to move the file: the original is deleted once the block has succeeded, and only then.
    public var shouldMoveFile = false

    /// Copies under the file's own name.
    public init() {}
}

/// A request for a new asset (PhotoKit's `PHAssetCreationRequest`); nothing exists until its change block succeeds.
public struct AssetCreationRequest: Sendable {
    /// The album that a new asset should join.
    public enum Destination: Hashable, Sendable {
        /// An existing album.
        case album(AlbumID)
        /// The album with this title, created if there is none.
        case albumTitled(String)
    }

    /// The source of a resource's bytes.
    enum Content: Sendable {
        case bytes([UInt8])
        case file(Path)
    }

    /// An added resource.
    struct Resource: Sendable {
        let type: AssetResourceType
        let content: Content
        let options: ResourceCreationOptions
    }

    /// Identifies the asset that this will create.
    public let placeholder: AssetPlaceholder
    /// When it was captured; nil for now.
    public var creationDate: WallTime?
    /// Where it was captured.
    public var location: Location?
    /// The title.
    public var title: String?
    /// The caption.
    public var caption: String?
    /// The keywords.
    public var keywords: Set<Keyword> = []
    /// Stars.
    public var rating = Rating.unrated
    /// Whether it is a favourite from the start.
    public var isFavorite = false
    /// The album it should join; if the device may not fill it, the library keeps the request.
    public var destination: Destination?
    private(set) var resources: [Resource] = []

    init(_ id: AssetID) {
        placeholder = AssetPlaceholder(id: id)
    }

    /// Adds bytes; a photo with a paired video is a Live Photo.
    ///
    /// - Parameters:
    ///   - type: their role.
    ///   - data: the bytes, in any format; the type is detected by content.
    ///   - options: their file name.
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
    ///   - type: its role.
    ///   - fileURL: the file, read when the change block is performed.
    ///   - options: its name, and whether to move it.
    public mutating func addResource(
        with type: AssetResourceType,
        fileURL: URL,
        options: ResourceCreationOptions = ResourceCreationOptions()
    ) {
        resources.append(Resource(type: type, content: .file(Path(fileURL.path)), options: options))
    }
}

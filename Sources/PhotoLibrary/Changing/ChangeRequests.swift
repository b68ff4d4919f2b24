import AgentStore
import LibraryAPI
public import PhotoModel

/// The requests of a change block, performed atomically.
public struct ChangeRequests: Sendable {
    /// One change of the view.
    enum Edit: Sendable {
        case asset(AssetID, AssetChangeRequest)
        case trash(AssetID)
        case createAlbum(AlbumID, String)
        case album(AlbumID, AlbumChangeRequest)
        case deleteAlbum(AlbumID)
        case add([AssetID], AlbumID)
        case remove([AssetID], AlbumID)
    }

    private let milliseconds: Int64
    private var generator: PhotoLibrary.Generator
    private(set) var creations: [AssetCreationRequest] = []
    private(set) var edits: [Edit] = []

    init(now: WallTime, using generator: PhotoLibrary.Generator) {
        self.generator = generator
        milliseconds = now.millisecondsSince1970
    }

    /// Creates an asset.
    ///
    /// - Parameter configure: adds its resources and metadata.
    /// - Returns: its permanent identifier.
    @discardableResult
    public mutating func createAsset(_ configure: (inout AssetCreationRequest) -> Void) -> AssetPlaceholder {
        var request = AssetCreationRequest(.version7(unixMilliseconds: milliseconds, using: &generator))
        configure(&request)
        creations.append(request)
        return request.placeholder
    }

    /// Changes fields of an asset of the view.
    ///
    /// - Parameters:
    ///   - asset: the asset.
    ///   - configure: makes the changes.
    public mutating func editAsset(_ asset: AssetID, _ configure: (inout AssetChangeRequest) -> Void) {
        var edit = AssetChangeRequest()
        configure(&edit)
        edits.append(.asset(asset, edit))
    }

    /// Moves assets to the trash (PhotoKit's `deleteAssets`); their bytes stay until an administrator purges them.
    public mutating func deleteAssets(_ assets: [AssetID]) {
        edits += assets.map { .trash($0) }
    }

    /// Creates an album.
    ///
    /// - Parameter title: its title.
    /// - Returns: its identifier.
    @discardableResult
    public mutating func createAlbum(titled title: String) -> AlbumID {
        let id = AlbumID.version7(unixMilliseconds: milliseconds, using: &generator)
        edits.append(.createAlbum(id, title))
        return id
    }

    /// Changes fields of an album.
    ///
    /// - Parameters:
    ///   - album: the album.
    ///   - configure: makes the changes.
    public mutating func editAlbum(_ album: AlbumID, _ configure: (inout AlbumChangeRequest) -> Void) {
        var edit = AlbumChangeRequest()
        configure(&edit)
        edits.append(.album(album, edit))
    }

    /// Deletes an album; its assets stay.
    public mutating func deleteAlbum(_ album: AlbumID) { edits.append(.deleteAlbum(album)) }

    /// Adds assets at an album's end.
    public mutating func addAssets(_ assets: [AssetID], to album: AlbumID) { edits.append(.add(assets, album)) }

    /// Removes assets from an album.
    public mutating func removeAssets(_ assets: [AssetID], from album: AlbumID) {
        edits.append(.remove(assets, album))
    }
}

extension ChangeRequests.Edit {
    /// Applies the change to a draft.
    func apply(to draft: inout ReplicaDraft) throws {
        switch self {
        case .asset(let asset, let edit): try draft.edit(asset, edit.wire)
        case .trash(let asset): try draft.trash(asset)
        case .createAlbum(let album, let title): try draft.createAlbum(album, title: title)
        case .album(let album, let edit): try draft.editAlbum(album, edit.wire)
        case .deleteAlbum(let album): try draft.deleteAlbum(album)
        case .add(let assets, let album): try draft.add(assets, to: album)
        case .remove(let assets, let album): try draft.remove(assets, from: album)
        }
    }
}

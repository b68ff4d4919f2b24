import AgentStore
package import LibraryAPI
package import PhotoModel

/// What a change block asks for; all of it happens, or nothing.
package struct ChangeRequests: Sendable {
    /// One change of the view.
    enum Edit: Sendable {
        case asset(AssetID, AssetEdit)
        case trash(AssetID)
        case createAlbum(AlbumID, String)
        case album(AlbumID, AlbumEdit)
        case deleteAlbum(AlbumID)
        case add([AssetID], AlbumID)
        case remove([AssetID], AlbumID)
    }

    private let milliseconds: Int64
    private(set) var creations: [AssetCreationRequest] = []
    private(set) var edits: [Edit] = []

    init(now: WallTime) {
        milliseconds = now.millisecondsSince1970
    }

    /// Makes a new asset.
    ///
    /// - Parameter configure: adds its resources and says what it is.
    /// - Returns: its identifier, which it will have for good.
    @discardableResult
    package mutating func createAsset(_ configure: (inout AssetCreationRequest) -> Void) -> AssetPlaceholder {
        var generator = SystemRandomNumberGenerator()
        var request = AssetCreationRequest(.version7(unixMilliseconds: milliseconds, using: &generator))
        configure(&request)
        creations.append(request)
        return request.placeholder
    }

    /// Changes fields of an asset of the view.
    package mutating func editAsset(_ asset: AssetID, _ configure: (inout AssetEdit) -> Void) {
        var edit = AssetEdit()
        configure(&edit)
        edits.append(.asset(asset, edit))
    }

    /// Puts assets into the trash (PhotoKit's `deleteAssets`); their bytes stay until an administrator purges them.
    package mutating func deleteAssets(_ assets: [AssetID]) {
        edits += assets.map { .trash($0) }
    }

    /// Makes an album.
    ///
    /// - Parameter title: what people call it.
    /// - Returns: its identifier.
    @discardableResult
    package mutating func createAlbum(titled title: String) -> AlbumID {
        var generator = SystemRandomNumberGenerator()
        let id = AlbumID.version7(unixMilliseconds: milliseconds, using: &generator)
        edits.append(.createAlbum(id, title))
        return id
    }

    /// Changes fields of an album.
    package mutating func editAlbum(_ album: AlbumID, _ configure: (inout AlbumEdit) -> Void) {
        var edit = AlbumEdit()
        configure(&edit)
        edits.append(.album(album, edit))
    }

    /// Deletes an album; its assets stay.
    package mutating func deleteAlbum(_ album: AlbumID) { edits.append(.deleteAlbum(album)) }

    /// Adds assets at an album's end.
    package mutating func addAssets(_ assets: [AssetID], to album: AlbumID) { edits.append(.add(assets, album)) }

    /// Takes assets out of an album.
    package mutating func removeAssets(_ assets: [AssetID], from album: AlbumID) {
        edits.append(.remove(assets, album))
    }
}

extension ChangeRequests.Edit {
    /// Makes the change in a draft.
    func apply(to draft: inout ReplicaDraft) throws {
        switch self {
        case .asset(let asset, let edit): try draft.edit(asset, edit)
        case .trash(let asset): try draft.trash(asset)
        case .createAlbum(let album, let title): try draft.createAlbum(album, title: title)
        case .album(let album, let edit): try draft.editAlbum(album, edit)
        case .deleteAlbum(let album): try draft.deleteAlbum(album)
        case .add(let assets, let album): try draft.add(assets, to: album)
        case .remove(let assets, let album): try draft.remove(assets, from: album)
        }
    }
}

import LibraryAPI
public import PhotoModel

/// What is to be other about an asset (PhotoKit's `PHAssetChangeRequest`); what is nil stays as it is.
public struct AssetChangeRequest: Hashable, Sendable {
    /// A line that names it; empty takes it away.
    public var title: String?
    /// What there is to say about it; empty takes it away.
    public var caption: String?
    /// Stars.
    public var rating: Rating?
    /// Whether it is a favourite.
    public var isFavorite: Bool?
    /// Whether it is hidden.
    public var isHidden: Bool?
    /// Words that it can be found by from now on.
    public var addedKeywords: Set<Keyword> = []
    /// Words that it can be found by no longer.
    public var removedKeywords: Set<Keyword> = []
    /// When it was captured, where a person knows better.
    public var creationDate: WallTime?
    /// Where it was captured, where a person knows better.
    public var location: Location?
    /// Whether it comes back out of the trash.
    public var restoresFromTrash = false

    init() {}

    /// The edit in the words of the wire.
    var wire: AssetEdit {
        var edit = AssetEdit()
        edit.title = title
        edit.caption = caption
        edit.rating = rating
        edit.isFavorite = isFavorite
        edit.isHidden = isHidden
        edit.addedKeywords = addedKeywords.isEmpty ? nil : addedKeywords.sorted()
        edit.removedKeywords = removedKeywords.isEmpty ? nil : removedKeywords.sorted()
        edit.captureDateOverride = creationDate
        edit.location = location
        edit.restores = restoresFromTrash ? true : nil
        return edit
    }
}

/// What is to be other about an album (PhotoKit's `PHAssetCollectionChangeRequest`); what is nil stays as it is.
public struct AlbumChangeRequest: Hashable, Sendable {
    /// What people call it.
    public var title: String?
    /// The asset that is shown for it.
    public var coverAssetID: AssetID?
    /// The order that it shows its assets in.
    public var order: Album.Order?

    init() {}

    /// The edit in the words of the wire.
    var wire: AlbumEdit { AlbumEdit(title: title, coverAssetID: coverAssetID, order: order) }
}

import LibraryAPI
public import PhotoModel

/// Changes to an asset (PhotoKit's `PHAssetChangeRequest`); nil leaves a field unchanged.
public struct AssetChangeRequest: Hashable, Sendable {
    /// The title; empty removes it.
    public var title: String?
    /// The caption; empty removes it.
    public var caption: String?
    /// Stars.
    public var rating: Rating?
    /// Whether it is a favourite.
    public var isFavorite: Bool?
    /// Whether it is hidden.
    public var isHidden: Bool?
    /// Keywords to add.
    public var addedKeywords: Set<Keyword> = []
    /// Keywords to remove.
    public var removedKeywords: Set<Keyword> = []
    /// The corrected capture date.
    public var creationDate: WallTime?
    /// The corrected location.
    public var location: Location?
    /// Whether to restore it from the trash.
    public var restoresFromTrash = false

    init() {}

    /// The edit in wire form.
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

/// Changes to an album (PhotoKit's `PHAssetCollectionChangeRequest`); nil leaves a field unchanged.
public struct AlbumChangeRequest: Hashable, Sendable {
    /// The title.
    public var title: String?
    /// The asset shown as its cover.
    public var coverAssetID: AssetID?
    /// The order in which it shows its assets.
    public var order: Album.Order?

    init() {}

    /// The edit in wire form.
    var wire: AlbumEdit { AlbumEdit(title: title, coverAssetID: coverAssetID, order: order) }
}

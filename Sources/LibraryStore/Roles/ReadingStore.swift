package import LibraryAPI
package import PhotoModel

/// The role of a ``MetadataStore`` that reads: lists, assets, albums, the history and the change feed.
package protocol ReadingStore: Sendable {
    /// The library, its epoch, and the last change.
    func identity() async throws -> LibraryIdentity

    /// One page of a list.
    func page(_ query: AssetQuery, in view: LibraryView) async throws -> AssetPage
    /// The same page as the JSON of an `AssetPage`; stored JSON is copied without decoding it.
    func encodedPage(_ query: AssetQuery, in view: LibraryView) async throws -> [UInt8]
    /// One asset; nil if it does not exist or is not in the view.
    func asset(_ id: AssetID, in view: LibraryView) async throws -> Asset?
    /// Those of the given assets that are in the view, in the given order, as of one moment.
    func assets(_ ids: [AssetID], in view: LibraryView) async throws -> [Asset]
    /// Values of an asset's fields that lost to concurrent ones; nil if it does not exist or is not in the view.
    func supersededEdits(of id: AssetID, in view: LibraryView) async throws -> [SupersededEdit]?
    /// The number of assets of a list in each time span, newest first, at most `APILimits.timelineSpanCount` spans.
    func spans(_ options: FetchOptions, by unit: TimelineUnit, in view: LibraryView) async throws -> [TimelineSpan]
    /// Where the assets of a list were captured within an area, grouped into grid cells, the fullest first.
    func places(_ query: PlaceQuery, in view: LibraryView) async throws -> PlaceClusters
    /// The kinds of assets in a list.
    func kinds(_ options: FetchOptions, in view: LibraryView) async throws -> [AssetFilter.Kind]
    /// The number of assets in a list.
    func count(_ options: FetchOptions, in view: LibraryView) async throws -> Int

    /// One page of the albums in a view, by title.
    func albums(in view: LibraryView, limit: Int, cursor: ListCursor?) async throws -> AlbumPage
    /// One page of an album's assets in the view, in the album's order.
    func page(ofAlbum album: AlbumID, limit: Int, cursor: ListCursor?, in view: LibraryView) async throws -> AssetPage

    /// Who changed what after a number; a nil asset means all of them.
    func history(of asset: AssetID?, after number: ChangeNumber, limit: Int) async throws -> [HistoryEntry]
    /// Changes after a position.
    func changes(after position: ChangePosition?, limit: Int, for viewer: ChangeViewer) async throws -> ChangePage
    /// Changes after many positions, each with its own outcome, in order: one read for all that need no write.
    func changes(_ looks: [ChangeLook]) async -> [Result<ChangePage, any Error>]
    /// The same for limited viewers, as far as all of them share it; nil for those that must look by themselves.
    func sharedChanges(_ looks: [ChangeLook]) async -> [Result<ChangePage?, any Error>]
    /// The end of a viewer's feed, from which it may continue.
    func end(for viewer: ChangeViewer) async throws -> ChangePosition
    /// Whether anything in a viewer's own view changed after a position.
    func hasChanges(after position: ChangePosition?, for viewer: ChangeViewer) async throws -> Bool
    /// A viewer's entities between two keys, divided into this many ranges with their hashes.
    func ranges(_ bounds: ChangeRange.Bounds, count: Int, for viewer: ChangeViewer) async throws -> [ChangeRange]
    /// A viewer's entities between two keys, each as an insertion.
    func entities(_ bounds: ChangeRange.Bounds, for viewer: ChangeViewer) async throws -> ChangePage
}

/// One viewer's query for changes.
package struct ChangeLook: Sendable {
    /// The viewer's position; nil enumerates everything.
    package let position: ChangePosition?
    /// Entities on the page.
    package let limit: Int
    /// Whose changes they are.
    package let viewer: ChangeViewer

    package init(after position: ChangePosition?, limit: Int, for viewer: ChangeViewer) {
        self.position = position
        self.limit = limit
        self.viewer = viewer
    }
}

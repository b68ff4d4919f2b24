package import LibraryAPI
package import Persistence
package import PhotoModel

/// The role of a ``MetadataStore`` that edits assets and albums.
package protocol EditingStore: Sendable {
    /// What must be uploaded or published before an edit can be applied, or the asset that already has it.
    func planAdjustment(
        of asset: AssetID,
        in view: LibraryView,
        by caller: StoreCaller,
        _ request: AdjustmentRequest
    ) async throws -> AdjustmentPlan
    /// Reverts an asset's edit; returns the original asset and the edit's content.
    func revert(_ asset: AssetID, in view: LibraryView, by caller: StoreCaller) async throws -> RevertedAsset

    /// Changes fields of an asset in the view.
    func edit(_ id: AssetID, _ edit: AssetEdit, in view: LibraryView, by caller: StoreCaller) async throws -> Asset
    /// Changes fields of assets in the view, in one transaction; each result is the asset, or why it was not changed.
    func edit(_ bulk: BulkEdit, in view: LibraryView, by caller: StoreCaller) async throws -> [Result<Asset, any Error>]
    /// Puts an asset into the trash.
    func trash(_ id: AssetID, in view: LibraryView, by caller: StoreCaller) async throws -> Asset
    /// Permanently deletes an asset; returns the content that nothing uses any more.
    func purge(_ id: AssetID, by caller: StoreCaller) async throws -> [ContentAddress]

    /// Creates an album.
    func createAlbum(_ edit: AlbumEdit, by caller: StoreCaller) async throws -> Album
    /// Changes an album's fields.
    func editAlbum(_ id: AlbumID, _ edit: AlbumEdit, by caller: StoreCaller) async throws -> Album
    /// Deletes an album at once, for everybody; its assets stay.
    func deleteAlbum(_ id: AlbumID, by caller: StoreCaller) async throws
    /// Appends those of the given assets that are in the view to an album.
    func add(_ assets: [AssetID], to album: AlbumID, in view: LibraryView, by caller: StoreCaller) async throws
    /// Moves assets of an album behind another one in it, all in the view; nil moves them to the beginning.
    func move(
        inAlbum album: AlbumID,
        behind: AssetID?,
        _ assets: [AssetID],
        in view: LibraryView,
        by caller: StoreCaller
    ) async throws
    /// Removes an asset in the view from an album.
    func remove(_ asset: AssetID, from album: AlbumID, in view: LibraryView, by caller: StoreCaller) async throws
}

import FoundationEssentials
import LibraryAPI
import PhotoModel
import Replication

/// Projects replicated state into the rows used by lists and filters.
struct EntityProjection {
    let database: any SQLSession
    let effects: StoreEffects

    /// Whether an entity exists according to its state; an asset does until it is purged.
    static func isPresent(_ view: EntityView, _ entity: EntityReference) -> Bool {
        guard !view.isPurged else { return false }
        return switch entity {
        case .asset: true
        case .album: [.present, .revived].contains(view.albumPresence)
        case .membership: view.isPresent(MembershipField.presence)
        }
    }

    /// Updates an entity's rows from its state.
    ///
    /// - Parameters:
    ///   - view: the state.
    ///   - entity: the entity.
    ///   - stored: an asset's current row, if it was read already.
    /// - Throws: the database's error, and damage of rows.
    func project(_ view: EntityView, of entity: EntityReference, over stored: AssetTable.Stored? = nil) throws {
        switch entity {
        case .asset(let id): try project(view, asset: id, over: stored)
        case .album(let id): try project(view, album: id)
        case .membership(let album, let asset): try project(view, album: album, asset: asset)
        }
    }

    private func project(_ view: EntityView, asset id: AssetID, over stored: AssetTable.Stored?) throws {
        guard !view.isPurged else { return try AssetTable.remove(id, database) }
        guard let stored = try stored ?? AssetTable.stored(id, database) else { return }
        var asset = stored.asset
        AssetFields.apply(view, to: &asset, originalLocation: stored.originalLocation)
        asset = try BurstTable.moved(asset, from: stored.asset, database)
        try AssetTable.save(asset, over: .asset(stored.asset, key: stored.key), database)
        try BurstTable.settle(asset, database)
        // Its days in the trash begin now, again if it was trashed again.
        guard asset.trashedAt != stored.asset.trashedAt else { return }
        try AssetTable.setTrashed(at: asset.trashedAt == nil ? nil : effects.now(), key: stored.key, database)
    }

    private func project(_ view: EntityView, album id: AlbumID) throws {
        guard Self.isPresent(view, .album(id)) else {
            try database.execute("DELETE FROM album WHERE id = ?", [id.blob])
            if try database.changesCount > 0 { try UnsettledAlbumTable.add(id, database) }
            return
        }
        let isNew = try AlbumTable.fetch(id, database) == nil
        try AlbumTable.save(AssetFields.album(id, view), database)
        if isNew { try UnsettledAlbumTable.add(id, database) }
    }

    private func project(_ view: EntityView, album: AlbumID, asset: AssetID) throws {
        guard view.isPresent(MembershipField.presence) else {
            try database.statement(
                "DELETE FROM album_asset WHERE album = ? AND asset = (SELECT key FROM asset WHERE id = ?)"
            ).execute([album.blob, asset.blob])
            return
        }
        // Without the album or the asset there is no row to write. A membership that waited for its album gets none beyond
        // the limit either, whatever else of it changes: it ends as soon as the album is settled.
        try database.statement(
            """
            INSERT INTO album_asset (album, asset, position)
            SELECT album.id, asset.key, ? FROM album, asset WHERE album.id = ? AND asset.id = ? AND (
                \(AlbumTable.albumCount(ofKey: "asset.key")) < \(APILimits.albumsPerAsset) OR EXISTS (
                    SELECT 1 FROM album_asset AS known WHERE known.album = album.id AND known.asset = asset.key
                )
            )
            ON CONFLICT (album, asset) DO UPDATE SET position = excluded.position
            """
        ).execute([Data(view.position?.bytes ?? []), album.blob, asset.blob])
    }
}

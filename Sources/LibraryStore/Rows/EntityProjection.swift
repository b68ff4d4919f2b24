import FoundationEssentials
import LibraryAPI
import PhotoModel
import Replication

/// Projects replicated state into the rows used by lists and filters.
struct EntityProjection {
    let database: any SQLSession

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
    func project(_ view: EntityView, of entity: EntityReference) throws {
        switch entity {
        case .asset(let id): try project(view, asset: id)
        case .album(let id): try project(view, album: id)
        case .membership(let album, let asset): try project(view, album: album, asset: asset)
        }
    }

    private func project(_ view: EntityView, asset id: AssetID) throws {
        guard !view.isPurged else { return try AssetTable.remove(id, database) }
        guard let (earlier, original) = try AssetTable.fetchWithOriginalLocation(id, database) else { return }
        var asset = earlier
        AssetFields.apply(view, to: &asset, originalLocation: original)
        try AssetTable.save(asset, over: .asset(earlier), database)
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
        guard let key = try AssetTable.key(of: asset, database) else { return }
        guard view.isPresent(MembershipField.presence) else {
            try database.statement("DELETE FROM album_asset WHERE album = ? AND asset = ?").execute([album.blob, key])
            return
        }
        guard try AlbumTable.fetch(album, database) != nil else { return }
        try database.statement(
            """
            INSERT INTO album_asset (album, asset, position) VALUES (?, ?, ?)
            ON CONFLICT (album, asset) DO UPDATE SET position = excluded.position
            """
        ).execute([album.blob, key, Data(view.position?.bytes ?? [])])
    }
}

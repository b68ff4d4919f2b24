import FoundationEssentials
package import LibraryAPI
package import Persistence
package import PhotoModel
import Replication

extension SQLMetadataStore {
    /// Changes fields of an asset, as the server's replica.
    package func edit(
        _ id: AssetID,
        _ edit: AssetEdit,
        in view: LibraryView,
        by caller: StoreCaller
    ) async throws -> Asset {
        try await change(id, edit.fieldNames, in: view, by: caller) { state, author in
            try edit.write(to: id, in: &state, by: &author)
        }
    }

    /// Puts an asset into the trash.
    package func trash(_ id: AssetID, in view: LibraryView, by caller: StoreCaller) async throws -> Asset {
        let now = effects.now()
        return try await change(id, "trashed", in: view, by: caller) { state, author in
            let value = AssetFields.value(trashedAt: now)
            _ = try state.set(value, field: AssetField.trashed, of: EntityReference.asset(id).id, by: &author)
        }
    }

    private func change(
        _ id: AssetID,
        _ what: String,
        in view: LibraryView,
        by caller: StoreCaller,
        _ body: @escaping @Sendable (inout ReplicaState, inout Author) throws -> Void
    ) async throws -> Asset {
        try await store.write([.library]) { database in
            _ = try admit(caller, database)
            _ = try AssetTable.fetch(id, in: view, database).orNotFound(id)
            return try change(id, what, in: view, by: caller, database, body)
        }
    }

    /// Changes an asset found in the view.
    func change(
        _ id: AssetID,
        _ what: String,
        in view: LibraryView,
        by caller: StoreCaller,
        _ database: any SQLSession,
        _ body: (inout ReplicaState, inout Author) throws -> Void
    ) throws -> Asset {
        try rows(of: caller, what, database).edit([.asset(id)], body)
        // The edit may have removed it from the view; its author still sees the result.
        var asset = try AssetTable.fetch(id, database).orNotFound(id)
        asset.albums = Set(asset.albums.filter(view.names))
        return asset
    }

    /// Permanently deletes an asset in the trash.
    ///
    /// First it is taken out of its albums, in as many writer turns as that needs. If it is interrupted, the asset is
    /// still in the trash.
    package func purge(_ id: AssetID, by caller: StoreCaller) async throws -> [ContentAddress] {
        while true {
            // Others waiting for the writer get their turn in between.
            let released = try await store.write([.library]) { try purge(id, by: caller, $0) }
            if let released { return released }
        }
    }

    /// One turn of a purge; nil if the asset is in more albums.
    private func purge(_ id: AssetID, by caller: StoreCaller, _ database: any SQLSession) throws -> [ContentAddress]? {
        _ = try admit(caller, database)
        let stored = try AssetTable.stored(id, database).orNotFound(id)
        guard stored.asset.trashedAt != nil else {
            throw StoreError(.preconditionFailed, "Only an asset in the trash can be purged: trash it first.")
        }
        let rows = rows(of: caller, HistoryTable.purge, database)
        guard try Self.takeOut(stored, rows) else { return nil }
        try rows.edit([.asset(id)]) { state, author in
            _ = try state.purge(EntityReference.asset(id).id, by: &author)
        }
        return try Set(stored.asset.resources.map(\.digest)).compactMap { digest in
            let isUsed = try database.value(
                Bool.self,
                "SELECT EXISTS (SELECT 1 FROM resource WHERE digest = ?)",
                [digest.blob]
            )
            return isUsed == true ? nil : try CommitTable.contentRow(digest, database)?.address
        }
    }

    /// Takes an asset out of as many of its albums as fit into a turn.
    ///
    /// - Returns: whether it can be purged: it is in no more albums, or what is left of it there has no state.
    private static func takeOut(_ stored: AssetTable.Stored, _ rows: ReplicatedTable) throws -> Bool {
        let (id, database) = (stored.asset.id, rows.database)
        let found = try database.statement("SELECT album FROM album_member WHERE asset = ? LIMIT \(ByteList.count)")
            .values(Data.self, [stored.key])
        guard !found.isEmpty else { return true }
        var turn = WriterTurn()
        var albums: [AlbumID] = []
        for blob in found where turn.hasRoom {
            let album = try AlbumID(blob: blob)
            turn.countMembership()
            turn.count(stateBytes: try EntityTable.stateBytes(of: .membership(album: album, asset: id), database))
            albums.append(album)
        }
        let members = albums.map { EntityReference.membership(album: $0, asset: id) }
        let changed = try rows.edit(members) { state, author in
            for album in albums { _ = try state.takeOut(asset: id.rawValue, of: album.rawValue, by: &author) }
        }
        return changed.isEmpty || albums.count == found.count && found.count < ByteList.count
    }

    /// Assets in the trash of which the server learned before a time, ordered by identifier, after `last`; nil starts.
    package func trashed(before time: WallTime, behind last: AssetID?, limit: Int) async throws -> [AssetID] {
        try await store.read { database in
            try database.values(
                Data.self,
                "SELECT id FROM asset WHERE trashed_at < ? AND id > ? ORDER BY id LIMIT ?",
                [time.microsecondsSince1970, last?.blob ?? Data(), limit]
            ).map(AssetID.init(blob:))
        }
    }
}

extension AssetEdit {
    /// The changed fields, for the history.
    var fieldNames: String {
        let names = [
            title.map { _ in "title" }, caption.map { _ in "caption" }, rating.map { _ in "rating" },
            isFavorite.map { _ in "isFavorite" }, isHidden.map { _ in "isHidden" },
            captureDateOverride.map { _ in "captureDateOverride" }, location.map { _ in "location" },
            addedKeywords.map { _ in "keywords added" }, removedKeywords.map { _ in "keywords removed" },
            restores == true ? "restored" : nil,
        ]
        return names.compactMap(\.self).joined(separator: ", ")
    }
}

import Authorization
import FoundationEssentials
package import LibraryAPI
package import PhotoModel
import Replication

extension SQLMetadataStore {
    /// One page of albums, by title.
    package func albums(in view: LibraryView, limit: Int, cursor: ListCursor?) async throws -> AlbumPage {
        let granted = view.grantedAlbums
        // Each album's photos are counted.
        return try await readWhole { database in
            var start: (title: String, id: Data) = ("", Data())
            if let cursor {
                guard let after = AlbumID(cursor.text), view.names(after),
                    let album = try AlbumTable.fetch(after, database)
                else {
                    throw StoreError(.cursorInvalid, "The list cannot continue from this cursor: start again.")
                }
                start = (album.title, after.blob)
            }
            let condition = granted == nil ? "TRUE" : "album.id IN (\(database.dialect.bytes(in: "?4")))"
            let rows = try database.rows(
                """
                SELECT id, title, cover, sort_order,
                    (SELECT count(*) FROM album_asset JOIN asset ON asset.key = asset
                        WHERE album = album.id AND is_trashed = 0 AND is_hidden = 0) AS asset_count
                FROM album WHERE (title, id) > (?1, ?2) AND \(condition) ORDER BY title, id LIMIT ?3
                """,
                SQLArguments([start.title, start.id, limit + 1] as [any SQLEncodable])
                    + SQLArguments(granted.map { [FilterSQL.list($0.map(\.blob))] } ?? [])
            )
            let entries = try rows.prefix(limit).map { row in
                AlbumPage.Entry(
                    album: try AlbumTable.shown(AlbumTable.album(row), in: view, database),
                    assetCount: try row["asset_count"]
                )
            }
            let next = rows.count > limit ? entries.last.map { ListCursor(text: $0.album.id.description) } : nil
            return AlbumPage(albums: entries, next: next)
        }
    }

    /// Creates an album.
    package func createAlbum(_ edit: AlbumEdit, by caller: StoreCaller) async throws -> Album {
        try Self.check(edit, isNew: true)
        let id: AlbumID = effects.identifier()
        return try await changeAlbum(id, by: caller, isNew: true, cover: edit.coverAssetID) { rows in
            try AlbumTable.create(id, edit, rows)
        }
    }

    /// Changes an album's fields.
    package func editAlbum(_ id: AlbumID, _ edit: AlbumEdit, by caller: StoreCaller) async throws -> Album {
        try Self.check(edit, isNew: false)
        return try await changeAlbum(id, by: caller, isNew: false, cover: edit.coverAssetID) { rows in
            try rows.noting(edit.fieldNames).edit([.album(id)]) { state, author in
                try AlbumTable.write(edit, of: id, &state, &author)
            }
        }
    }

    private static func check(_ edit: AlbumEdit, isNew: Bool) throws {
        if isNew, edit.title == nil { throw StoreError(.malformedRequest, "An album needs a title.") }
        if let problem = edit.problem { throw StoreError(problem.code ?? .malformedRequest, problem.detail) }
    }

    private func changeAlbum(
        _ id: AlbumID,
        by caller: StoreCaller,
        isNew: Bool,
        cover: AssetID?,
        _ body: @escaping @Sendable (ReplicatedTable) throws -> Void
    ) async throws -> Album {
        try await store.write([.library]) { database in
            let view = try admit(caller, database)?.view ?? .everything
            if !isNew { try Self.require(id, database) }
            if let cover, try !view.shows(cover, database) { throw StoreError.notFound(cover.description) }
            try body(rows(of: caller, "edited", database))
            return try AlbumTable.shown(AlbumTable.fetch(id, database).orNotFound(id), in: view, database)
        }
    }

    private static func require(_ id: AlbumID, _ database: any SQLSession) throws {
        _ = try AlbumTable.fetch(id, database).orNotFound(id)
    }

    /// Deletes an album; its assets stay.
    ///
    /// One transaction decides, and the album is gone for everybody; its memberships' rows follow in as many writer turns
    /// as that needs.
    package func deleteAlbum(_ id: AlbumID, by caller: StoreCaller) async throws {
        try await store.write([.library]) { database in
            _ = try admit(caller, database)
            try Self.require(id, database)
            try rows(of: caller, "deleted", database).edit([.album(id)]) { state, author in
                _ = try state.deleteAlbum(id.rawValue, by: &author)
            }
        }
        // The album is deleted even if this fails: upkeep continues, and reports what is wrong.
        try? await settle(id)
    }

    /// Adds assets at an album's end, in as many writer turns as that needs; nothing is added if one of them is unknown.
    ///
    /// If the caller is refused or an asset disappears meanwhile, earlier turns stay in effect, and are skipped when
    /// the caller retries.
    package func add(
        _ assets: [AssetID],
        to album: AlbumID,
        in view: LibraryView,
        by caller: StoreCaller
    ) async throws {
        try await store.read { try Self.require(assets, in: view, $0) }
        var rest = assets[...]
        repeat {
            // Others waiting for the writer get their turn in between.
            let count = try await store.write([.library]) { [rest] database in
                _ = try admit(caller, database)
                try Self.require(album, database)
                let count = try WriterTurn.count(of: rest, in: album, isAddition: true, judgedBy: view, database)
                let turn = Array(rest.prefix(count))
                try Self.require(turn, in: view, database)
                try AlbumTable.add(turn, to: album, rows(of: caller, "added", database))
                return count
            }
            rest = rest.dropFirst(count)
        } while !rest.isEmpty
    }

    /// Refuses assets that are not in the view.
    ///
    /// Only a limited view depends on their documents.
    private static func require(_ assets: some Sequence<AssetID>, in view: LibraryView, _ database: any SQLSession)
        throws
    {
        for id in assets {
            let isFound =
                try view == .everything
                ? AssetTable.key(of: id, database) != nil : AssetTable.fetch(id, in: view, database) != nil
            guard isFound else { throw StoreError.notFound(id.description) }
        }
    }

    /// Removes an asset from an album.
    package func remove(
        _ asset: AssetID,
        from album: AlbumID,
        in view: LibraryView,
        by caller: StoreCaller
    ) async throws {
        try await store.write([.library]) { database in
            _ = try admit(caller, database)
            try Self.require(album, database)
            guard try view.shows(asset, database) else { throw StoreError.notFound(asset.description) }
            let entity = EntityReference.membership(album: album, asset: asset)
            let changed = try rows(of: caller, "removed", database).edit([entity]) { state, author in
                _ = try state.takeOut(asset: asset.rawValue, of: album.rawValue, by: &author)
            }
            if changed.isEmpty { throw StoreError.notFound(asset.description) }
        }
    }

    /// Applies a device's deferred album requests, in as many writer turns as needed; one that fails stays deferred.
    package func applyDeferredAlbums(of device: DeviceID) async throws -> Int {
        var applied = 0
        var last: AssetID?
        repeat {
            // Others waiting for the writer get their turn in between.
            let turn = try await store.write([.library]) { [last] in
                try applyDeferredAlbums(of: device, after: last, $0)
            }
            applied += turn.applied
            last = turn.last
        } while last != nil
        return applied
    }

    private func applyDeferredAlbums(
        of device: DeviceID,
        after last: AssetID?,
        _ database: any SQLSession
    ) throws -> (applied: Int, last: AssetID?) {
        guard let record = try DeviceTable.record(of: device, database), record.access.readWrite == .authorized
        else { return (0, nil) }
        let limit = ByteList.count
        let waiting = try database.rows(
            "SELECT asset, desired FROM deferred_album WHERE owner = ? AND asset > ? ORDER BY asset LIMIT ?",
            [device.blob, last?.blob ?? Data(), limit]
        )
        var turn = WriterTurn()
        var outcomes: [Result<Bool, any Error>] = []
        for row in waiting where turn.hasRoom {
            turn.countMembership()
            outcomes += try Self.apart([row], database) { row, database in
                try applyDeferredAlbum(row, of: device, in: &turn, database)
            }
        }
        let applied = outcomes.count { (try? $0.get()) == true }
        let isWhole = outcomes.count == waiting.count && waiting.count < limit
        let last = isWhole ? nil : waiting.prefix(outcomes.count).last
        return (applied, try last.map { try AssetID(blob: $0[0]) })
    }

    /// Applies one deferred request; returns whether it is done.
    private func applyDeferredAlbum(
        _ row: SQLRow,
        of device: DeviceID,
        in turn: inout WriterTurn,
        _ database: any SQLSession
    ) throws -> Bool {
        let asset = try AssetID(blob: row["asset"])
        let desired = try JSONColumn.decode(row["desired"], as: DesiredAlbum.self)
        try database.execute("DELETE FROM deferred_album WHERE asset = ? AND owner = ?", [asset.blob, device.blob])
        guard try AssetTable.key(of: asset, database) != nil else { return false }
        let rows = self.rows(of: .device(device), "added", database)
        let outcome = try AlbumTable.apply(desired, to: asset, owner: device.blob, rows)
        try database.execute(
            "UPDATE receipt SET album = ? WHERE asset = ? AND owner = ?",
            [try JSONColumn.encode(outcome), asset.blob, device.blob]
        )
        switch outcome {
        case .applied(let album), .created(let album):
            turn.count(stateBytes: try EntityTable.stateBytes(of: .album(album), database))
            turn.count(stateBytes: try EntityTable.stateBytes(of: .membership(album: album, asset: asset), database))
            return true
        case .deferred: return false
        }
    }
}

extension AlbumEdit {
    /// The changed fields, for the history.
    fileprivate var fieldNames: String {
        let names = [title.map { _ in "title" }, coverAssetID.map { _ in "cover" }, order.map { _ in "order" }]
        return names.compactMap(\.self).joined(separator: ", ")
    }
}

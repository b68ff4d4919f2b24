import Authorization
import FoundationEssentials
package import LibraryAPI
package import PhotoModel
import Replication

extension SQLMetadataStore {
    /// One page of an album's assets in the view, in the album's order.
    ///
    /// A cursor names the last asset that was told; the place is looked up anew, so that a page goes on where that asset
    /// stands now.
    package func page(
        ofAlbum album: AlbumID,
        limit: Int,
        cursor: ListCursor?,
        in view: LibraryView
    ) async throws -> AssetPage {
        try await store.read { database in
            guard let order = try AlbumTable.fetch(album, database)?.order else {
                throw StoreError.notFound(album.description)
            }
            let shown = FilterSQL(FetchOptions(), database.dialect)
            let scope = FilterSQL(view, database.dialect)
            var sql = "SELECT key, document FROM \(Self.members) AND \(shown.sql) AND \(scope.sql)"
            var arguments: SQLArguments = [album.blob] + shown.arguments + scope.arguments
            if let cursor {
                guard let last = AssetID(cursor.text), try Self.holds(last, in: album, database) else {
                    throw StoreError(.cursorInvalid, "The list cannot go on from this cursor: begin again.")
                }
                let place = "(SELECT \(order.column), id FROM \(Self.members) AND id = ?)"
                sql += " AND (\(order.column), id) \(order.isAscending ? ">" : "<") \(place)"
                arguments += [album.blob, last.blob]
            }
            let direction = order.isAscending ? "ASC" : "DESC"
            sql += " ORDER BY \(order.column) \(direction), id \(direction) LIMIT ?"
            let rows = try database.rows(sql, arguments + [limit + 1])
            let assets = try AssetTable.assets(rows.prefix(limit).map { (try $0["key"], try $0["document"]) }, database)
                .compactMap(
                    view.shown
                )
            let next = rows.count > limit ? assets.last.map { ListCursor(text: $0.id.description) } : nil
            return AssetPage(assets: assets, next: next, access: view == .everything ? .full : .limited)
        }
    }

    /// The assets of one album, which is the first argument.
    private static let members = "album_asset JOIN asset ON asset.key = album_asset.asset WHERE album = ?"

    private static func holds(_ asset: AssetID, in album: AlbumID, _ database: any SQLSession) throws -> Bool {
        let sql = "SELECT EXISTS (SELECT 1 FROM \(members) AND id = ?)"
        return try database.value(Bool.self, sql, [album.blob, asset.blob]) ?? false
    }

    /// Moves assets of an album behind another one of it; nil for its beginning.
    ///
    /// Only what moves takes new positions, so that two people who move different assets do not undo each other. Where no
    /// position is left in between, the whole album is numbered anew.
    package func move(
        inAlbum album: AlbumID,
        behind: AssetID?,
        _ assets: [AssetID],
        by caller: StoreCaller
    ) async throws {
        try await store.write([.library]) { database in
            _ = try admit(caller, database)
            guard try AlbumTable.fetch(album, database) != nil else { throw StoreError.notFound(album.description) }
            let members = try database.rows(
                "SELECT id, position FROM \(Self.members) ORDER BY position, id",
                [album.blob]
            ).map { (id: try AssetID(blob: $0["id"]), position: try $0["position"] as Data) }
            let moved = Set(assets)
            let known = Set(members.map(\.id))
            let rest = members.filter { !moved.contains($0.id) }
            let place = behind.map { last in rest.firstIndex { $0.id == last } } ?? -1
            guard moved.count == assets.count, moved.isSubset(of: known), let place else {
                throw StoreError.notFound("\(album): what is moved, or what it comes behind")
            }
            let order = rest.prefix(place + 1).map(\.id) + assets + rest.dropFirst(place + 1).map(\.id)
            let lower = place < 0 ? nil : rest[place].position
            let upper = place + 1 < rest.count ? rest[place + 1].position : nil
            let entities = order.map { EntityReference.membership(album: album, asset: $0) }
            let touched = assets.map { EntityReference.membership(album: album, asset: $0) }
            let rows = rows(of: caller, "moved", database)
            do {
                try rows.edit(touched) { state, author in
                    let keys = try PositionKey.run(
                        of: assets.count,
                        between: Self.key(lower),
                        Self.key(upper),
                        by: author.replica
                    )
                    for (asset, key) in zip(assets, keys) {
                        _ = try state.place(asset: asset.rawValue, in: album.rawValue, at: key, by: &author)
                    }
                }
            } catch let error as ReplicationError
                where [.positionsUnordered, .positionsExhausted].contains(error.code)
            {
                try rows.edit(entities) { state, author in
                    let keys = try PositionKey.run(of: order.count, between: nil, nil, by: author.replica)
                    for (asset, key) in zip(order, keys) {
                        _ = try state.place(asset: asset.rawValue, in: album.rawValue, at: key, by: &author)
                    }
                }
            }
        }
    }

    /// The key of a neighbour; nil if there is none.
    ///
    /// - Throws: `.positionsUnordered` for a neighbour without a position, which has no place that another could be at.
    private static func key(_ position: Data?) throws -> PositionKey? {
        guard let position else { return nil }
        guard let key = PositionKey(bytes: Array(position)) else {
            throw ReplicationError(.positionsUnordered, "An asset of the album has no position")
        }
        return key
    }
}

extension Album.Order {
    /// The column that the order goes by; the identifier decides between equals.
    fileprivate var column: String { self == .captureDate || self == .newestFirst ? "local_date" : "position" }

    fileprivate var isAscending: Bool { self != .newestFirst }
}

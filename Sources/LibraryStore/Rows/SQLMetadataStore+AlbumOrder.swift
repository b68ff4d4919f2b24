import Authorization
import FoundationEssentials
package import LibraryAPI
package import PhotoModel
import Replication

extension SQLMetadataStore {
    /// One page of an album's assets in the view, in the album's order.
    ///
    /// A cursor names the last asset returned; its position is looked up again, so that a page continues from where
    /// that asset is now.
    package func page(
        ofAlbum album: AlbumID,
        limit: Int,
        cursor: ListCursor?,
        in view: LibraryView
    ) async throws -> AssetPage {
        try await readWhole { database in
            let order = try AlbumTable.fetch(album, database).orNotFound(album).order
            let shown = FilterSQL(FetchOptions(), database.dialect)
            let scope = FilterSQL(view, database.dialect)
            let whole = AssetTable.wholeColumns(database.dialect)
            var sql = "SELECT \(whole) FROM \(Self.members) AND \(shown.sql) AND \(scope.sql)"
            var arguments: SQLArguments = [album.blob] + shown.arguments + scope.arguments
            if let cursor {
                guard let last = AssetID(cursor.text), try Self.holds(last, in: album, view, database) else {
                    throw StoreError(.cursorInvalid, "The list cannot continue from this cursor: start again.")
                }
                let place = "(SELECT \(order.column), id FROM \(Self.members) AND id = ?)"
                sql += " AND (\(order.column), id) \(order.isAscending ? ">" : "<") \(place)"
                arguments += [album.blob, last.blob]
            }
            let direction = order.isAscending ? "ASC" : "DESC"
            sql += " ORDER BY \(order.column) \(direction), id \(direction) LIMIT ?"
            let rows = try database.rows(sql, arguments + [limit + 1])
            let assets = try rows.prefix(limit).map(AssetTable.assembled).compactMap(view.shown)
            let next = rows.count > limit ? assets.last.map { ListCursor(text: $0.id.description) } : nil
            return AssetPage(assets: assets, next: next, access: view == .everything ? .full : .limited)
        }
    }

    /// The assets of one album, which is the first argument.
    private static let members = "album_member JOIN asset ON asset.key = album_member.asset WHERE album = ?"

    /// Whether an asset is in an album and in the view; for one outside the view the album is not asked.
    private static func holds(
        _ asset: AssetID,
        in album: AlbumID,
        _ view: LibraryView,
        _ database: any SQLSession
    ) throws -> Bool {
        guard try view.shows(asset, database) else { return false }
        let sql = "SELECT EXISTS (SELECT 1 FROM \(members) AND id = ?)"
        return try database.value(Bool.self, sql, [album.blob, asset.blob]) ?? false
    }

    /// Moves assets of an album behind another one of it, or to its beginning, in as many writer turns as that needs.
    ///
    /// Only moved assets get new positions, so that two people moving different assets do not undo each other's work.
    /// If the caller is refused meanwhile, earlier turns stay in effect.
    ///
    /// - Throws: `object.not_found` if any of the assets is not in the album or the view, before anything is moved.
    package func move(
        inAlbum album: AlbumID,
        behind: AssetID?,
        _ assets: [AssetID],
        in view: LibraryView,
        by caller: StoreCaller
    ) async throws {
        let moved = Set(assets)
        try await store.read { database in
            let isMoved = behind.map(moved.contains) ?? false
            guard moved.count == assets.count, !isMoved,
                try ([behind].compactMap(\.self) + assets).allSatisfy({ asset in
                    try Self.holds(asset, in: album, view, database)
                })
            else { throw StoreError.notFound("\(album): a moved asset, or the one to move it behind") }
        }
        var last = behind
        var rest = assets[...]
        while !rest.isEmpty {
            let write: @Sendable () async throws -> Int = { [last, rest] in
                // Others waiting for the writer get their turn in between.
                try await store.write([.library]) { database in
                    try move(rest, inAlbum: album, behind: last, in: view, by: caller, database)
                }
            }
            let count: Int
            do {
                count = try await write()
            } catch let error as ReplicationError
                where [.positionsUnordered, .positionsExhausted].contains(error.code)
            {
                try await spread(album, from: last, by: caller)
                count = try await write()
            }
            last = rest.prefix(count).last
            rest = rest.dropFirst(count)
        }
    }

    /// One turn of a move, of the first of the assets.
    ///
    /// - Returns: how many were moved.
    /// - Throws: `.positionsUnordered` or `.positionsExhausted` if no position is left in between.
    private func move(
        _ rest: ArraySlice<AssetID>,
        inAlbum album: AlbumID,
        behind last: AssetID?,
        in view: LibraryView,
        by caller: StoreCaller,
        _ database: any SQLSession
    ) throws -> Int {
        _ = try admit(caller, database)
        let assets = Array(rest.prefix(try WriterTurn.count(of: rest, in: album, judgedBy: view, database)))
        for asset in [last].compactMap(\.self) + assets where try !Self.holds(asset, in: album, view, database) {
            throw StoreError.notFound(asset.description)
        }
        let lower = try last.flatMap { last in
            try database.value(Data.self, "SELECT position FROM \(Self.members) AND id = ?", [album.blob, last.blob])
        }
        let following = try database.rows(
            """
            SELECT id, position FROM \(Self.members) AND position >= ? AND (position, id) > (?, ?)
            ORDER BY position, id LIMIT ?
            """,
            [album.blob, lower ?? Data(), lower ?? Data(), last?.blob ?? Data(), assets.count + 1]
        )
        let upper = try following.first { try !assets.contains(AssetID(blob: $0["id"])) }
        let bounds = (try Self.key(lower), try Self.key(upper.map { try $0["position"] }))
        let entities = assets.map { EntityReference.membership(album: album, asset: $0) }
        try rows(of: caller, "moved", database).edit(entities) { state, author in
            let keys = try PositionKey.run(of: assets.count, between: bounds.0, bounds.1, by: author.replica)
            for (asset, key) in zip(assets, keys) {
                _ = try state.place(asset: asset.rawValue, in: album.rawValue, at: key, by: &author)
            }
        }
        return assets.count
    }

    /// Gives an asset of an album, and those behind it, new, short positions, in many writer turns.
    ///
    /// Only enough neighbours to make room, so that using up the positions in one place does not rewrite a large album.
    /// The new positions are after all old ones of these assets and assigned from the last one, so that the album's order
    /// is the same after each turn. Assets added meanwhile keep their places.
    ///
    /// - Parameters:
    ///   - album: the album.
    ///   - first: the asset; nil for the album's first one.
    ///   - caller: the caller.
    /// - Throws: `object.not_found` if the asset has left the album; the gate's error.
    private func spread(_ album: AlbumID, from first: AssetID?, by caller: StoreCaller) async throws {
        let spread = try await store.read { try Spread(from: first, inAlbum: album, $0) }
        var keys = spread.keys[...]
        while !keys.isEmpty {
            let turn = keys.suffix(ByteList.count)
            let count = try await store.write([.library]) { database in
                _ = try admit(caller, database)
                let next = try spread.last(turn.count, database)
                let old = next.prefix(try WriterTurn.count(of: next, in: album, judgedBy: .everything, database))
                let entities = old.map { EntityReference.membership(album: album, asset: $0) }
                try rows(of: caller, "moved", database).edit(entities) { state, author in
                    for (asset, key) in zip(old, turn.reversed()) {
                        _ = try state.place(asset: asset.rawValue, in: album.rawValue, at: key, by: &author)
                    }
                }
                return old.count
            }
            keys = count == 0 ? [] : keys.dropLast(count)
        }
    }

    /// Neighbours in an album's order that get new positions.
    private struct Spread: Sendable {
        /// Longer keys would leave too little room between them.
        private static let keyByteCount = Limits.positionBytes / 2

        let album: AlbumID
        /// The old place of the first one; empty for the album's start.
        let position: Data
        let id: Data
        /// Whether they are all up to the album's end.
        let isWhole: Bool
        /// The new positions, in order.
        let keys: [PositionKey]

        /// Finds the neighbours, beginning with an asset or, without one, with the album's first.
        init(from first: AssetID?, inAlbum album: AlbumID, _ database: any SQLSession) throws {
            self.album = album
            let replica = try database.value(Data.self, "SELECT replica FROM library")
            let place = "SELECT position FROM \(SQLMetadataStore.members) AND id = ?"
            let position = try first.flatMap { try database.value(Data.self, place, [album.blob, $0.blob]) }
            guard let replica, (first == nil) == (position == nil) else {
                throw StoreError.notFound("\(album): the asset to move another one behind")
            }
            var (start, startID) = (position ?? Data(), first?.blob ?? Data())
            let author = ReplicaID(rawValue: try AssetID(blob: replica).rawValue)
            let behind = "\(SQLMetadataStore.members) AND position >= ? AND (position, id) >= (?, ?)"
            let arguments: SQLArguments = [album.blob, start, start, startID]
            // More than one turn of a move and its neighbours.
            var count = 2 * ByteList.count
            while true {
                // The positions of the last of `count` neighbours and of the next one.
                let edge = try database.values(
                    Data.self,
                    "SELECT position FROM \(behind) ORDER BY position, id LIMIT 2 OFFSET ?",
                    arguments + [count - 1]
                ).map { PositionKey(bytes: Array($0)) }
                guard edge.count == 2 else { break }
                if let lower = edge[0], let upper = edge[1], lower < upper, upper.leavesRoom,
                    let keys = try? PositionKey.run(of: count, between: lower, upper, by: author),
                    keys[0].bytes.count <= Self.keyByteCount
                {
                    (self.position, id, isWhole, self.keys) = (start, startID, false, keys)
                    return
                }
                count *= 2
            }
            // Positions with no room behind them are given up together: the new ones are before all of them.
            let end = Data([PositionKey.firstBytes.upperBound])
            if !start.lexicographicallyPrecedes(end) { (start, startID) = (end, Data()) }
            let total = "SELECT count(*) FROM \(behind)"
            let rest = try database.value(Int.self, total, [album.blob, start, start, startID]) ?? 0
            let last = try AlbumTable.lastPosition(in: album, database)
            (self.position, id, isWhole) = (start, startID, true)
            keys = try PositionKey.run(of: rest, between: last, nil, by: author)
        }

        /// The last ones without a new position, the last one first: those at a position with no room behind it, then
        /// those before the first new position.
        func last(_ count: Int, _ database: any SQLSession) throws -> [AssetID] {
            guard let first = keys.first else { return [] }
            let edge = isWhole ? [(">=", [PositionKey.firstBytes.upperBound])] : []
            for (comparison, bound) in edge + [("<", first.bytes)] {
                let rows = try database.rows(
                    """
                    SELECT id FROM \(SQLMetadataStore.members) AND position \(comparison) ?
                    AND position >= ? AND (position, id) >= (?, ?) ORDER BY position DESC, id DESC LIMIT ?
                    """,
                    [album.blob, Data(bound), position, position, id, count]
                )
                if !rows.isEmpty { return try rows.map { try AssetID(blob: $0[0]) } }
            }
            return []
        }
    }

    /// The key of a neighbour; nil if there is none.
    ///
    /// - Throws: `.positionsUnordered` for a neighbour without a position, since nothing can be placed next to it.
    private static func key(_ position: Data?) throws -> PositionKey? {
        guard let position else { return nil }
        guard let key = PositionKey(bytes: Array(position)) else {
            throw ReplicationError(.positionsUnordered, "An asset of the album has no position")
        }
        return key
    }
}

extension Album.Order {
    /// The sort column; the identifier decides between equals.
    fileprivate var column: String { self == .captureDate || self == .newestFirst ? "local_date" : "position" }

    fileprivate var isAscending: Bool { self != .newestFirst }
}

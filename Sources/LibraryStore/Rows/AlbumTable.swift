import FoundationEssentials
import LibraryAPI
import PhotoModel
import Replication

/// The rows of albums and their memberships.
enum AlbumTable {
    /// One album; nil if it does not exist.
    static func fetch(_ id: AlbumID, _ database: any SQLSession) throws -> Album? {
        let statement = try database.statement("SELECT id, title, cover, sort_order FROM album WHERE id = ?")
        return try statement.row([id.blob]).map(album)
    }

    /// The album of a row.
    static func album(_ row: SQLRow) throws -> Album {
        let cover: Data? = try row["cover"]
        return Album(
            id: try AlbumID(blob: row["id"]),
            title: try row["title"],
            coverAssetID: try cover.map(AssetID.init(blob:)),
            order: Album.Order(rawValue: try row["sort_order"])
        )
    }

    /// The album as shown in a view: without a cover that is not in the view.
    static func shown(_ album: Album, in view: LibraryView, _ database: any SQLSession) throws -> Album {
        guard let cover = album.coverAssetID, try !view.shows(cover, database) else { return album }
        var album = album
        album.coverAssetID = nil
        return album
    }

    /// Writes an album.
    static func save(_ album: Album, _ database: any SQLSession) throws {
        try database.execute(
            """
            INSERT INTO album (id, title, cover, sort_order) VALUES (?, ?, ?, ?)
            ON CONFLICT (id) DO UPDATE SET
                title = excluded.title, cover = excluded.cover, sort_order = excluded.sort_order
            """,
            [album.id.blob, album.title, album.coverAssetID?.blob, album.order.rawValue]
        )
    }

    /// An album's replicated state as shown in a view: without covers that are not in the view.
    static func shown(_ state: [UInt8], of id: AlbumID, in view: LibraryView, _ database: any SQLSession) throws
        -> [UInt8]
    {
        guard view != .everything else { return state }
        let entity = EntityReference.album(id).id
        let whole = try ReplicaState(canonicalBytes: state)
        guard let covers = whole.entityView(entity)?.register(AlbumField.cover) else { return state }
        let isShown = try ([covers.value] + covers.superseded.map(\.value)).allSatisfy { value in
            guard case .identifier(let cover) = value else { return true }
            return try view.shows(AssetID(rawValue: cover), database)
        }
        return isShown ? state : whole.omitting(AlbumField.cover, of: entity).canonicalBytes
    }

    /// Puts a new asset into its requested album; keeps the request if the album does not exist.
    static func apply(
        _ desired: DesiredAlbum,
        to asset: AssetID,
        owner: Data,
        _ rows: ReplicatedTable
    ) throws -> AlbumOutcome {
        let database = rows.database
        guard try hasRoom(asset, database) else {
            try CommitTable.deferAlbum(desired, .full, asset: asset, owner: owner, database)
            return .deferred(.full)
        }
        switch desired {
        case .id(let id):
            guard try fetch(id, database) != nil else {
                try CommitTable.deferAlbum(desired, .notFound, asset: asset, owner: owner, database)
                return .deferred(.notFound)
            }
            try add([asset], to: id, rows)
            return .applied(id)
        case .title(let title): return try file([asset], in: title, rows)
        }
    }

    /// Puts assets into the first album with a title, creating it if needed.
    static func file(_ assets: [AssetID], in title: String, _ rows: ReplicatedTable) throws -> AlbumOutcome {
        let known = try rows.database.statement("SELECT id FROM album WHERE title = ? ORDER BY id LIMIT 1")
        if let known = try known.value(Data.self, [title]) {
            let id = try AlbumID(blob: known)
            try add(assets, to: id, rows)
            return .applied(id)
        }
        let id: AlbumID = rows.effects.identifier()
        try create(id, AlbumEdit(title: title), rows)
        try add(assets, to: id, rows)
        return .created(id)
    }

    /// Creates an album, as the server's replica.
    static func create(_ id: AlbumID, _ edit: AlbumEdit, _ rows: ReplicatedTable) throws {
        try rows.noting("created").edit([.album(id)]) { state, author in
            _ = try state.confirmAlbum(id.rawValue, by: &author)
            try write(edit, of: id, &state, &author)
        }
    }

    /// Writes the fields of an edit.
    static func write(_ edit: AlbumEdit, of id: AlbumID, _ state: inout ReplicaState, _ author: inout Author) throws {
        let entity = EntityReference.album(id).id
        if let title = edit.title {
            _ = try state.set(.text(title), field: AlbumField.title, of: entity, by: &author)
        }
        if let cover = edit.coverAssetID {
            _ = try state.set(.identifier(cover.rawValue), field: AlbumField.cover, of: entity, by: &author)
        }
        if let order = edit.order {
            _ = try state.set(.text(order.rawValue), field: AlbumField.sort, of: entity, by: &author)
        }
    }

    /// The greatest position in an album that has room behind it; nil if no position has.
    ///
    /// Earlier versions accepted any position from devices.
    static func lastPosition(in album: AlbumID, _ database: any SQLSession) throws -> PositionKey? {
        let statement = try database.statement(
            "SELECT position FROM album_asset WHERE album = ? AND position < ? ORDER BY position DESC LIMIT 1"
        )
        let last = try statement.value(Data.self, [album.blob, Data([PositionKey.firstBytes.upperBound])])
        return last.flatMap { PositionKey(bytes: Array($0)) }
    }

    /// Where an asset stands with an album.
    enum Standing: Int64 {
        case absent
        case present
        /// Absent, and in as many others as it may be.
        case full
    }

    static func standing(of asset: AssetID, in album: AlbumID, _ database: any SQLSession) throws -> Standing {
        let key = "(SELECT key FROM asset WHERE id = ?2)"
        let statement = try database.statement(
            """
            SELECT CAST(
                CASE WHEN EXISTS (SELECT 1 FROM album_asset WHERE album = ?1 AND asset = \(key)) THEN 1
                    WHEN \(albumCount(ofKey: key)) >= \(APILimits.albumsPerAsset) THEN 2 ELSE 0 END AS BIGINT
            )
            """
        )
        return try statement.value(Int64.self, [album.blob, asset.blob]).flatMap(Standing.init) ?? .absent
    }

    /// A query for the number of albums that an asset is in, counted no further than the most it may be in.
    static func albumCount(ofKey key: String) -> String {
        """
        (SELECT count(*) FROM (
            SELECT 1 FROM album_asset WHERE album_asset.asset = \(key) LIMIT \(APILimits.albumsPerAsset)
        ) AS member)
        """
    }

    /// The same for one asset.
    static func albumCount(of asset: AssetID, _ database: any SQLSession) throws -> Int {
        let statement = try database.statement("SELECT \(albumCount(ofKey: "(SELECT key FROM asset WHERE id = ?)"))")
        return try statement.value(Int.self, [asset.blob]) ?? 0
    }

    /// Whether an asset may join another album.
    static func hasRoom(_ asset: AssetID, _ database: any SQLSession) throws -> Bool {
        try albumCount(of: asset, database) < APILimits.albumsPerAsset
    }

    /// The refusal to put an asset into one more album.
    static func fullError(_ asset: AssetID) -> StoreError {
        StoreError(
            .tooLarge,
            "An asset is in at most \(APILimits.albumsPerAsset) albums: take it out of another one first.",
            about: asset.description
        )
    }

    /// Adds assets at an album's end, as the server's replica; those already in it keep their place.
    ///
    /// - Throws: `tooLarge` for an asset that is in as many albums as it may be.
    static func add(_ assets: [AssetID], to album: AlbumID, _ rows: ReplicatedTable) throws {
        let database = rows.database
        let added = try assets.filter { asset in
            switch try standing(of: asset, in: album, database) {
            case .absent: return true
            case .present: return false
            case .full: throw fullError(asset)
            }
        }
        guard !added.isEmpty else { return }
        let last = try lastPosition(in: album, database)
        let entities = [.album(album)] + added.map { EntityReference.membership(album: album, asset: $0) }
        try rows.noting("added").edit(entities) { state, author in
            let keys = try PositionKey.run(of: added.count, between: last, nil, by: author.replica)
            for (asset, key) in zip(added, keys) {
                _ = try state.place(asset: asset.rawValue, in: album.rawValue, at: key, by: &author)
            }
        }
    }
}

extension LibraryView {
    /// Whether an asset exists and is in the view.
    func shows(_ asset: AssetID, _ database: any SQLSession) throws -> Bool {
        guard self != .everything else { return true }
        return try AssetTable.fetch(asset, in: self, database) != nil
    }
}

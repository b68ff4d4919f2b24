import FoundationEssentials
import LibraryAPI
import PhotoModel
import Replication

/// An album whose memberships' rows do not follow it yet.
struct UnsettledAlbum: Sendable {
    let id: AlbumID
    /// The library's last change when the album appeared or disappeared, which tells two such events apart.
    let since: Int64
    /// Whether its memberships get new numbers.
    let isTold: Bool
}

/// Albums that appeared or disappeared, and how far their memberships' rows follow.
///
/// The deciding transaction writes or deletes the album's own row only. A deleted album takes its memberships along at
/// once, because everybody reads `album_member`, which has those of existing albums. Their rows in `album_asset`, of
/// which there may be any number, follow in writer turns. Memberships that limited views must follow get new numbers
/// first, in the order of their assets, and `settled` is the last one that did, or null after the last of all: until
/// then no view that names the album is served, see ``ViewTable``. After a crash any server of the library continues.
enum UnsettledAlbumTable {
    /// Records that an album appeared or disappeared, if it has memberships.
    static func add(_ album: AlbumID, _ database: any SQLSession) throws {
        let hasMembers = try database.statement(
            "SELECT EXISTS (SELECT 1 FROM entity WHERE kind = 5 AND first = ? AND removed IS NULL)"
        )
        guard try hasMembers.value(Bool.self, [album.blob]) == true else { return }
        try database.execute(
            """
            INSERT INTO unsettled_album (album, since, settled) VALUES (?, ?, ?)
            ON CONFLICT (album) DO UPDATE SET since = excluded.since, settled = excluded.settled
            """,
            [album.blob, EntityTable.lastNumber(database).rawValue, Data()]
        )
    }

    /// The unsettled albums, normally none.
    static func all(_ database: any SQLSession) throws -> [AlbumID] {
        try database.statement("SELECT album FROM unsettled_album").values(Data.self).map(AlbumID.init(blob:))
    }

    /// Those of the unsettled albums whose memberships do not all have their new numbers.
    static func untold(_ database: any SQLSession) throws -> [AlbumID] {
        try database.statement("SELECT album FROM unsettled_album WHERE settled IS NOT NULL").values(Data.self)
            .map(AlbumID.init(blob:))
    }

    /// An unsettled album; nil if it is settled.
    ///
    /// Memberships get new numbers if a limited view may have to follow them. One that begins to name a deleted album
    /// later is rebuilt without it, so the devices are read before the turn, outside the writer. One that begins to name
    /// an album that came back may be rebuilt between two turns, so then they always get new numbers.
    static func fetch(_ album: AlbumID, _ database: any SQLSession) throws -> UnsettledAlbum? {
        let since = try database.value(Int64.self, "SELECT since FROM unsettled_album WHERE album = ?", [album.blob])
        guard let since else { return nil }
        let isPresent = try AlbumTable.fetch(album, database) != nil
        return UnsettledAlbum(id: album, since: since, isTold: try isPresent || isSelected(album, database))
    }

    /// Whether a device's record names an album.
    private static func isSelected(_ album: AlbumID, _ database: any SQLSession) throws -> Bool {
        try database.value(
            Bool.self,
            "SELECT EXISTS (SELECT 1 FROM device WHERE CAST(record AS TEXT) LIKE ?)",
            ["%\(album)%"]
        ) ?? false
    }

    /// Brings the next memberships of an album in line with it, unless it is settled or has changed since it was read.
    static func settle(_ album: UnsettledAlbum, in widths: TurnWidths, _ rows: ReplicatedTable) throws {
        let (key, database) = (album.id.blob, rows.database)
        let row = try database.row(
            "SELECT settled FROM unsettled_album WHERE album = ? AND since = ?",
            [key, album.since]
        )
        guard let row else { return }
        let start: Data? = try row["settled"]
        let isPresent = try AlbumTable.fetch(album.id, database) != nil
        if let start, album.isTold {
            let end = try tell(of: album.id, after: start, isPresent: isPresent, in: widths, rows)
            try database.execute("UPDATE unsettled_album SET settled = ? WHERE album = ?", [end, key])
            guard end == nil else { return }
        }
        // In the order of the table, so that a turn writes few of its pages.
        let isLeft =
            try !isPresent
            && database.deleteFirst(widths.leavingMembers, from: "album_asset", where: "album = ?", [key], by: "asset")
        guard !isLeft else {
            return try database.execute("UPDATE unsettled_album SET settled = NULL WHERE album = ?", [key])
        }
        try database.execute("DELETE FROM unsettled_album WHERE album = ?", [key])
    }

    /// Gives the next memberships new numbers, and those of an album that came back their rows; returns the last
    /// membership's asset, or nil if there are no more.
    private static func tell(
        of album: AlbumID,
        after start: Data,
        isPresent: Bool,
        in widths: TurnWidths,
        _ table: ReplicatedTable
    ) throws -> Data? {
        let database = table.database
        let width = isPresent ? widths.returningMembers : widths.toldMembers
        let rows = try database.rows(
            """
            SELECT second, coalesce(CAST(length(state) AS BIGINT), 0) AS state_bytes FROM entity
            WHERE kind = 5 AND first = ? AND second > ? AND removed IS NULL ORDER BY second LIMIT ?
            """,
            [album.blob, start, width]
        )
        var turn = WriterTurn()
        var assets: [Data] = []
        for row in rows where turn.hasRoom {
            assets.append(try row["second"])
            // Only of those that come back the states are read.
            if isPresent { turn.count(stateBytes: try row["state_bytes"]) }
        }
        guard let end = assets.last else { return nil }
        if isPresent { try bringBack(assets, to: album, table) }
        try EntityTable.touchMembers(of: album, after: start, through: end, database)
        return assets.count == rows.count && rows.count < width ? nil : end
    }

    /// Restores the rows of memberships from their states.
    ///
    /// Of an asset that is in as many albums as it may be by now, the membership ends for every replica: it was not
    /// counted while there was no album.
    private static func bringBack(_ assets: [Data], to album: AlbumID, _ rows: ReplicatedTable) throws {
        let database = rows.database
        let states = try database.statement("SELECT state FROM entity WHERE kind = 5 AND first = ? AND second = ?")
        for asset in assets {
            guard let state = try states.value(Data.self, [album.blob, asset]) else { continue }
            let id = try AssetID(blob: asset)
            let entity = EntityReference.membership(album: album, asset: id)
            guard try AlbumTable.standing(of: id, in: album, database) != .full else {
                try rows.edit([entity]) { state, author in
                    _ = try state.takeOut(asset: id.rawValue, of: album.rawValue, by: &author)
                }
                continue
            }
            guard let view = try ReplicaState(canonicalBytes: Array(state)).entityView(entity.id) else { continue }
            try EntityProjection(database: database, effects: rows.effects).project(view, of: entity)
        }
    }
}

import Authorization
import FoundationEssentials
import GRDB
import LibraryAPI
import PhotoModel

/// What one limited device has had in its view, from which number to which: its own feed, in which leaving for any
/// reason is the same removal, and what it never saw is never named.
///
/// The rows are brought up to date when the device asks. A token is only ever given for a number up to which they are,
/// so whatever token comes back, they know what it had seen. A newer version of the grant starts them anew.
struct ViewRows {
    let device: DeviceID
    let selection: Selection
    let database: Database

    /// Follows every change up to a number.
    ///
    /// - Throws: `tokenExpired` for a version that has passed.
    func bringUpToDate(to last: ChangeNumber, grantVersion: UInt64) throws {
        let version = Int64(bitPattern: grantVersion)
        let row = try Row.fetchOne(
            database,
            sql: "SELECT grant_version, processed FROM view WHERE device = ?",
            arguments: [device.blob]
        )
        if let row, row[0] as Int64 > version {
            // A stream that is still to be closed: begun anew for it, the rows would forget what has left the view.
            throw StoreError(.tokenExpired, "The grant has changed: enumerate again.")
        }
        if let row, row[0] as Int64 == version {
            let processed: Int64 = row[1]
            guard processed < last.rawValue else { return }
            try follow(after: processed)
        } else {
            try rebuild()
        }
        try database.execute(
            sql: "INSERT OR REPLACE INTO view (device, grant_version, processed) VALUES (?, ?, ?)",
            arguments: [device.blob, version, last.rawValue]
        )
    }

    private func follow(after processed: Int64) throws {
        let changed = try Row.fetchAll(
            database,
            sql: "SELECT kind, first, second, changed FROM entity WHERE changed > ? ORDER BY changed",
            arguments: [processed]
        )
        for row in changed {
            try follow(try EntityReference(kind: row[0], first: row[1], second: row[2]), number: row[3])
        }
    }

    /// Makes the view anew by the filters' own SQL, since a library may be large.
    private func rebuild() throws {
        try database.execute(sql: "DELETE FROM view_member WHERE device = ?", arguments: [device.blob])
        let visible = FilterSQL(.selection(selection, device))
        let albums = FilterSQL.list(selection.grantedAlbums.map(\.blob))
        try database.execute(
            sql: """
                INSERT INTO view_member (device, kind, first, second, entered)
                SELECT ?, kind, first, second, changed FROM entity
                WHERE kind = 2 AND first IN (SELECT id FROM asset WHERE \(visible.sql))
                """,
            arguments: [device.blob] + visible.arguments
        )
        try database.execute(
            sql: """
                INSERT INTO view_member (device, kind, first, second, entered)
                SELECT ?1, kind, first, second, changed FROM entity
                WHERE kind IN (4, 5) AND removed IS NULL
                    AND first IN (SELECT unhex_blob(value) FROM json_each(?2))
                    AND first IN (SELECT id FROM album)
                    AND (kind = 4 OR second IN (SELECT first FROM view_member WHERE device = ?1 AND kind = 2))
                """,
            arguments: [device.blob, albums]
        )
    }

    /// A membership that came or went may bring its asset in or take it out.
    private func follow(_ entity: EntityReference, number: Int64) throws {
        try mark(entity, isVisible: try isVisible(entity), number: number)
        guard case .membership(_, let asset) = entity else { return }
        try mark(.asset(asset), isVisible: try isVisible(.asset(asset)), number: number)
    }

    private func isVisible(_ entity: EntityReference) throws -> Bool {
        switch entity {
        case .asset(let id):
            return try AssetRows.fetch(id, database).map { selection.contains($0, for: device) } ?? false
        case .album(let id):
            return try selection.grantedAlbums.contains(id) && AlbumRows.fetch(id, database) != nil
        case .membership(let album, let asset):
            guard selection.grantedAlbums.contains(album) else { return false }
            let asset = try AssetRows.fetch(asset, database)
            return asset.map { $0.albums.contains(album) && selection.contains($0, for: device) } ?? false
        }
    }

    private func mark(_ entity: EntityReference, isVisible: Bool, number: Int64) throws {
        let key: StatementArguments = [device.blob, entity.kind, entity.first, entity.second]
        let open = try Int64.fetchOne(
            database.cachedStatement(
                sql: """
                    SELECT entered FROM view_member
                    WHERE device = ? AND kind = ? AND first = ? AND second = ? AND gone IS NULL
                    """
            ),
            arguments: key
        )
        if isVisible, open == nil {
            try database.cachedStatement(
                sql: """
                    INSERT OR REPLACE INTO view_member (device, kind, first, second, entered) VALUES (?, ?, ?, ?, ?)
                    """
            ).execute(arguments: key + [number])
        } else if !isVisible, open != nil {
            try database.cachedStatement(
                sql: """
                    UPDATE view_member SET gone = ?5
                    WHERE device = ?1 AND kind = ?2 AND first = ?3 AND second = ?4 AND gone IS NULL
                    """
            ).execute(arguments: key + [number])
        }
    }

    /// The changes of the view after a number.
    func page(
        after start: ChangeNumber,
        _ identity: LibraryIdentity,
        limit: Int,
        grantVersion: UInt64
    ) throws -> ChangePage {
        let rows = try Row.fetchAll(database, sql: Self.feed, arguments: [device.blob, start.rawValue, limit + 1])
        let shown = rows.prefix(limit)
        let changes = try shown.map { row in
            let entity = try EntityReference(kind: row[0], first: row[1], second: row[2])
            let wasSeen: Bool = row[3]
            let isSeen: Bool = row[4]
            let kind: EntityChange.Kind = !isSeen ? .removed : wasSeen ? .updated : .inserted
            return try SQLiteMetadataStore.change(kind, entity, state: row[6], database)
        }
        let hasMore = rows.count > limit
        let last: Int64? = shown.last?[5]
        let number = hasMore ? last.map { ChangeNumber(rawValue: $0) } ?? start : identity.lastChange
        return ChangePage(
            changes: changes,
            position: ChangePosition(epoch: identity.epoch, viewVersion: grantVersion, number: number),
            hasMore: hasMore
        )
    }

    /// Each entity that was in the view at the position, or is now, with the last number at which it came, went, or
    /// changed while it was in; only those are looked at of which something is newer than the position.
    private static let feed = """
        WITH candidate (kind, first, second) AS (
            SELECT kind, first, second FROM view_member WHERE device = ?1 AND entered > ?2
            UNION SELECT kind, first, second FROM view_member WHERE device = ?1 AND gone > ?2
            UNION SELECT kind, first, second FROM entity WHERE changed > ?2
        )
        SELECT kind, first, second, was_seen, is_seen, number, state FROM (
            SELECT kind, first, second, state,
                max(entered <= ?2 AND (gone IS NULL OR gone > ?2)) AS was_seen,
                max(gone IS NULL) AS is_seen,
                iif(max(gone IS NULL), max(changed, max(entered)), max(gone)) AS number
            FROM candidate JOIN view_member USING (kind, first, second) JOIN entity USING (kind, first, second)
            WHERE device = ?1
            GROUP BY kind, first, second
        )
        WHERE number > ?2 AND (was_seen OR is_seen) ORDER BY number, kind, first, second LIMIT ?3
        """
}

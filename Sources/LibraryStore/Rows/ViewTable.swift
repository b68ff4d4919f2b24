import Authorization
import FoundationEssentials
import LibraryAPI
import PhotoModel

/// The entities one limited device has had in its view, and from which number to which: its own feed, in which leaving
/// for any reason is the same removal, and entities it never saw are never named.
///
/// The rows are updated when the device asks. A token is issued only for a number up to which they are current, so for
/// any token they record what the device had seen. A newer version of the grant rebuilds them.
struct ViewTable {
    let device: DeviceID
    let selection: Selection
    let database: any SQLSession

    /// The most changes elsewhere that a reader scans before the rows are updated instead.
    static let lookedThrough = 512
    /// Changes followed in one writer turn.
    static let followed = 2048

    /// The view of assets.
    var view: LibraryView { .selection(selection, device) }

    /// The state of the rows as of a change.
    enum State {
        /// They must be updated, or created.
        case behind
        /// They reflect it.
        case current
        /// They reflect it, and nothing in it has changed since a position.
        case unchanged
    }

    /// The state of the rows: they are also current if nothing since concerns this view.
    ///
    /// - Parameters:
    ///   - last: the change.
    ///   - start: the position of a token of this version: nothing between the rows and it concerned the view.
    ///   - grantVersion: the version.
    /// - Returns: the state.
    /// - Throws: `tokenExpired` for an outdated version.
    func state(at last: ChangeNumber, since start: ChangeNumber, grantVersion: UInt64) throws -> State {
        guard let processed = try processed(grantVersion) else { return .behind }
        let known = max(processed, start.rawValue)
        if known < last.rawValue {
            guard try end(after: known, count: Self.lookedThrough) == nil else { return .behind }
            guard try concerning(after: known, through: last.rawValue).isEmpty else { return .behind }
        }
        return processed <= start.rawValue ? .unchanged : .current
    }

    /// Follows every change up to a number, or as many as fit into one writer turn.
    ///
    /// - Parameters:
    ///   - last: the number.
    ///   - start: the position of a token of this version: nothing between the rows and it concerned the view.
    ///   - grantVersion: the version.
    /// - Returns: whether all were followed.
    /// - Throws: `tokenExpired` for an outdated version.
    func bringUpToDate(to last: ChangeNumber, since start: ChangeNumber, grantVersion: UInt64) throws -> Bool {
        var reached = last.rawValue
        if let processed = try processed(grantVersion) {
            guard processed < reached else { return true }
            let known = max(processed, start.rawValue)
            if let end = try end(after: known, count: Self.followed) { reached = min(reached, end) }
            for (entity, number) in try concerning(after: known, through: reached) {
                try follow(entity, number: number)
            }
        } else {
            try rebuild()
        }
        try database.execute(
            """
            INSERT INTO view (device, grant_version, processed) VALUES (?, ?, ?)
            ON CONFLICT (device) DO UPDATE SET
                grant_version = excluded.grant_version, processed = excluded.processed
            """,
            [device.blob, Int64(bitPattern: grantVersion), reached]
        )
        return reached == last.rawValue
    }

    /// The change up to which the rows of a grant version are current; nil if they must be rebuilt.
    private func processed(_ grantVersion: UInt64) throws -> Int64? {
        let version = Int64(bitPattern: grantVersion)
        let statement = try database.statement("SELECT grant_version, processed FROM view WHERE device = ?")
        guard let row = try statement.row([device.blob]) else { return nil }
        let known: Int64 = try row["grant_version"]
        guard known <= version else {
            // A stream about to be closed: rebuilding for it would make the rows forget what has left the view.
            throw StoreError(.tokenExpired, "The grant has changed: enumerate again.")
        }
        return known == version ? try row["processed"] : nil
    }

    /// The number of the `count`-th change after `number`; nil if there are fewer.
    private func end(after number: Int64, count: Int) throws -> Int64? {
        let statement = try database.statement(
            "SELECT changed FROM entity WHERE changed > ? ORDER BY changed LIMIT 1 OFFSET ?"
        )
        return try statement.value(Int64.self, [number, count - 1])
    }

    /// The changed entities that are in the view according to the rows, or should be.
    ///
    /// SQL excludes all others, since each change anywhere is checked for each limited device.
    private func concerning(
        after number: Int64,
        through end: Int64
    ) throws -> [(entity: EntityReference, number: Int64)] {
        // There may be a hundred thousand selected assets: they are looked up here, not listed for each check.
        var unlisted = selection
        unlisted.assets = []
        let visible = FilterSQL(.selection(unlisted, device), database.dialect, standard: .probe)
        let rows = try database.statement(
            """
            WITH change (kind, first, second, changed, asset) AS (
                SELECT kind, first, second, changed, CASE kind WHEN 2 THEN first WHEN 5 THEN second END FROM entity
                WHERE changed > ? AND changed <= ?
            )
            SELECT kind, first, second, changed, is_concerned FROM (
                SELECT kind, first, second, changed, EXISTS (
                    SELECT 1 FROM view_member AS member WHERE member.device = ? AND member.gone IS NULL
                        AND member.kind = change.kind AND member.first = change.first AND member.second = change.second
                ) OR EXISTS (
                    SELECT 1 FROM view_member AS member WHERE member.device = ? AND member.gone IS NULL
                        AND member.kind = 2 AND member.first = change.asset
                ) OR (kind = 4 AND first IN (\(database.dialect.bytes(in: "?"))))
                OR EXISTS (SELECT 1 FROM asset WHERE asset.id = change.asset AND \(visible.sql)) AS is_concerned
                FROM change
            ) AS judged
            WHERE is_concerned OR ? = 1 ORDER BY changed
            """
        ).rows(
            [number, end, device.blob, device.blob, FilterSQL.list(selection.grantedAlbums.map(\.blob))]
                + visible.arguments + [selection.assets.isEmpty ? 0 : 1]
        )
        return try rows.compactMap { row in
            let entity = try EntityReference(row)
            guard try row["is_concerned"] || isSelectedAndVisible(entity) else { return nil }
            return (entity, try row["changed"])
        }
    }

    private func isSelectedAndVisible(_ entity: EntityReference) throws -> Bool {
        switch entity {
        case .album: false
        case .asset(let id), .membership(_, let id): try selection.assets.contains(id) && isVisible(.asset(id))
        }
    }

    /// Rebuilds the view with the filters' own SQL, since a library may be large.
    private func rebuild() throws {
        try database.execute("DELETE FROM view_member WHERE device = ?", [device.blob])
        let visible = FilterSQL(.selection(selection, device), database.dialect)
        let albums = FilterSQL.list(selection.grantedAlbums.map(\.blob))
        try database.execute(
            """
            INSERT INTO view_member (device, kind, first, second, entered)
            SELECT ?, kind, first, second, changed FROM entity
            WHERE kind = 2 AND first IN (SELECT id FROM asset WHERE \(visible.sql))
            """,
            [device.blob] + visible.arguments
        )
        try database.execute(
            """
            INSERT INTO view_member (device, kind, first, second, entered)
            SELECT ?1, kind, first, second, changed FROM entity
            WHERE kind IN (4, 5) AND removed IS NULL
                AND first IN (\(database.dialect.bytes(in: "?2")))
                AND first IN (SELECT id FROM album)
                AND (kind = 4 OR second IN (SELECT first FROM view_member WHERE device = ?1 AND kind = 2))
            """,
            [device.blob, albums]
        )
    }

    /// Records what a change brought into or removed from the view, in the current state.
    ///
    /// Each is recorded under the last number of everything that decides its visibility: under an earlier one, viewers
    /// past that number would never receive it.
    private func follow(_ entity: EntityReference, number: Int64) throws {
        let related = try related(to: entity)
        let last = try related.reduce(number) { max($0, try lastChange(of: $1)) }
        for related in related { try mark(related, isVisible: try isVisible(related), number: last) }
    }

    /// The entities whose visibility a change may affect: an asset and its memberships in granted albums belong
    /// together.
    private func related(to entity: EntityReference) throws -> Set<EntityReference> {
        switch entity {
        case .album: return [entity]
        case .asset(let id), .membership(_, let id):
            let albums = try AssetTable.fetch(id, database)?.albums ?? []
            let members = albums.filter(selection.grantedAlbums.contains)
                .map { EntityReference.membership(album: $0, asset: id) }
            return Set(members + [entity, .asset(id)])
        }
    }

    private func lastChange(of entity: EntityReference) throws -> Int64 {
        let statement = try database.statement("SELECT changed FROM entity WHERE kind = ? AND first = ? AND second = ?")
        return try statement.value(Int64.self, [entity.kind, entity.first, entity.second]) ?? 0
    }

    private func isVisible(_ entity: EntityReference) throws -> Bool {
        switch entity {
        case .asset(let id):
            return try AssetTable.fetch(id, database).map { selection.contains($0, for: device) } ?? false
        case .album(let id):
            return try selection.grantedAlbums.contains(id) && AlbumTable.fetch(id, database) != nil
        case .membership(let album, let asset):
            guard selection.grantedAlbums.contains(album) else { return false }
            let asset = try AssetTable.fetch(asset, database)
            return asset.map { $0.albums.contains(album) && selection.contains($0, for: device) } ?? false
        }
    }

    private func mark(_ entity: EntityReference, isVisible: Bool, number: Int64) throws {
        let key: SQLArguments = [device.blob, entity.kind, entity.first, entity.second]
        let isMember = try isMember(entity)
        if isVisible, !isMember {
            try database.statement(
                """
                INSERT INTO view_member (device, kind, first, second, entered) VALUES (?, ?, ?, ?, ?)
                ON CONFLICT (device, kind, first, second, entered) DO UPDATE SET gone = NULL
                """
            ).execute(key + [number])
        } else if !isVisible, isMember {
            try database.statement(
                """
                UPDATE view_member SET gone = ?5
                WHERE device = ?1 AND kind = ?2 AND first = ?3 AND second = ?4 AND gone IS NULL
                """
            ).execute(key + [number])
        }
    }

    /// Whether an entity is in the view according to the rows.
    private func isMember(_ entity: EntityReference) throws -> Bool {
        let statement = try database.statement(
            """
            SELECT 1 FROM view_member WHERE device = ? AND kind = ? AND first = ? AND second = ? AND gone IS NULL
            """
        )
        let key: SQLArguments = [device.blob, entity.kind, entity.first, entity.second]
        return try statement.value(Bool.self, key) ?? false
    }

    /// The page of a view in which nothing has changed.
    func emptyPage(_ identity: LibraryIdentity, grantVersion: UInt64) -> ChangePage {
        ChangePage(
            changes: [],
            position: ChangePosition(epoch: identity.epoch, viewVersion: grantVersion, number: identity.lastChange),
            hasMore: false
        )
    }

    /// The changes of the view after a number.
    func page(
        after start: ChangeNumber,
        _ identity: LibraryIdentity,
        limit: Int,
        grantVersion: UInt64
    ) throws -> ChangePage {
        // An asset and its memberships may share a number: a page never ends between them.
        let ties = 1 + selection.grantedAlbums.count
        let arguments: SQLArguments = [device.blob, start.rawValue, limit + 1 + ties]
        let rows = try database.statement(Self.feed).rows(arguments)
        let end: Int64? = try rows.prefix(limit).last?["number"]
        let shown = try rows.prefix { row in
            let number: Int64 = try row["number"]
            return number <= end ?? 0
        }
        let changes = try shown.map { row in
            let entity = try EntityReference(row)
            let wasSeen: Bool = try row["was_seen"]
            let isSeen: Bool = try row["is_seen"]
            let kind: EntityChange.Kind = !isSeen ? .removed : wasSeen ? .updated : .inserted
            return try SQLMetadataStore.change(kind, entity, state: row["state"], in: view, database)
        }
        let hasMore = rows.count > shown.count
        let last: Int64? = try shown.last?["number"]
        let number = hasMore ? last.map { ChangeNumber(rawValue: $0) } ?? start : identity.lastChange
        return ChangePage(
            changes: changes,
            position: ChangePosition(epoch: identity.epoch, viewVersion: grantVersion, number: number),
            hasMore: hasMore
        )
    }

    /// Each entity that was in the view at the position, or is now, with the last number at which it came, went, or
    /// changed while in it; only entities with something newer than the position are examined.
    private static let feed = """
        WITH candidate (kind, first, second) AS (
            SELECT kind, first, second FROM view_member WHERE device = ?1 AND entered > ?2
            UNION SELECT kind, first, second FROM view_member WHERE device = ?1 AND gone > ?2
            UNION SELECT kind, first, second FROM entity WHERE changed > ?2
        )
        SELECT kind, first, second, was_seen, is_seen, number, state FROM (
            SELECT kind, first, second, state,
                max(CASE WHEN entered <= ?2 AND (gone IS NULL OR gone > ?2) THEN 1 ELSE 0 END) AS was_seen,
                max(CASE WHEN gone IS NULL THEN 1 ELSE 0 END) AS is_seen,
                CASE
                    WHEN count(*) = count(gone) THEN max(gone)
                    WHEN changed > max(entered) THEN changed
                    ELSE max(entered)
                END AS number
            FROM candidate JOIN view_member USING (kind, first, second) JOIN entity USING (kind, first, second)
            WHERE device = ?1
            GROUP BY kind, first, second, changed, state
        ) AS seen
        WHERE number > ?2 AND (was_seen = 1 OR is_seen = 1) ORDER BY number, kind, first, second LIMIT ?3
        """
}

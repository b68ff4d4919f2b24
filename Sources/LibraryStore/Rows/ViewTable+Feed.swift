import Authorization
import LibraryAPI
import PhotoModel

extension ViewTable {
    /// The page of a view in which nothing has changed.
    func emptyPage(_ identity: LibraryIdentity, grantVersion: UInt64) -> ChangePage {
        .empty(at: ChangePosition(epoch: identity.epoch, viewVersion: grantVersion, number: identity.lastChange))
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
        let rows = try feed(after: start.rawValue, atMost: limit + 1 + ties).map { try FeedEntry($0) }
        let last = rows.prefix(limit).last?.place ?? 0
        let shown = rows.prefix { $0.place <= last }
        let hasMore = rows.count > shown.count
        let number = hasMore ? ChangeNumber(rawValue: last) : identity.lastChange
        // What moved again by the end of the page is told once, as it is now; what moves after it has left here.
        var entries: [EntityReference: FeedEntry] = [:]
        for entry in shown { entries[entry.entity] = entry.as(of: number.rawValue) }
        let changes = try entries.values.sorted { $0.isBefore($1) }.map { entry in
            try SQLMetadataStore.change(entry.kind, entry.entity, state: entry.state, in: view, database)
        }
        return ChangePage(
            changes: changes,
            position: ChangePosition(epoch: identity.epoch, viewVersion: grantVersion, number: number),
            hasMore: hasMore
        )
    }

    /// The view's first entities after a position, in the order of their numbers.
    ///
    /// An entity's number is that of something that happened to it, which the indexes have in order. So what happened is
    /// looked through in windows, each of which ends with the page: a page of a view of a million photos costs a page. A
    /// window is wider than the one before, since much may have happened elsewhere.
    private func feed(after start: Int64, atMost count: Int) throws -> [SQLRow] {
        let statement = try database.replannedStatement(Self.feed(database.dialect))
        var rows: [SQLRow] = []
        var (known, width) = (start, 2 * count)
        while rows.count < count {
            let end = try windowEnd(after: known, width: width)
            let bound = end ?? Int64.max
            rows += try statement.rows([device.blob, start, known, bound, count - rows.count])
            guard end != nil else { break }
            (known, width) = (bound, min(width * 4, Self.widest))
        }
        return rows
    }

    /// The most of each kind in a window, whose entities are in memory together.
    private static let widest = 1 << 16

    /// The number up to which no more than `width` members entered or left, and no more than `width` entities changed; nil
    /// if fewer of each remain.
    private func windowEnd(after number: Int64, width: Int) throws -> Int64? {
        try database.statement(
            """
            SELECT min(number) FROM (
                SELECT (
                    SELECT entered FROM view_member WHERE device = ?1 AND entered > ?2 ORDER BY entered LIMIT 1 OFFSET ?3
                ) AS number
                UNION ALL SELECT (
                    SELECT gone FROM view_member WHERE device = ?1 AND gone > ?2 ORDER BY gone LIMIT 1 OFFSET ?3
                )
                UNION ALL SELECT (SELECT changed FROM entity WHERE changed > ?2 ORDER BY changed LIMIT 1 OFFSET ?3)
            ) AS ends
            """
        ).value(Int64.self, [device.blob, number, width - 1])
    }

    /// Each entity that was in the view at the position, or is now, with the last number at which it came, went, or
    /// changed while in it; those whose number lies in a window, of which only what happened in it is examined.
    ///
    /// One that left after the position, and moved again later, also has a place where it left: a page that ends in
    /// between would otherwise be followed by pages for which it was never there.
    ///
    /// Left alone, SQLite would go through all members of the view and look for each among the candidates.
    static func feed(_ dialect: any SQLDialect) -> String {
        """
        WITH candidate (kind, first, second) AS (
            SELECT kind, first, second FROM view_member WHERE device = ?1 AND entered > ?3 AND entered <= ?4
            UNION SELECT kind, first, second FROM view_member WHERE device = ?1 AND gone > ?3 AND gone <= ?4
            UNION SELECT kind, first, second FROM entity WHERE changed > ?3 AND changed <= ?4
        ), seen AS (
            SELECT kind, first, second, state,
                min(CASE WHEN entered <= ?2 AND gone > ?2 THEN gone END) AS left_at,
                max(CASE WHEN entered <= ?2 AND (gone IS NULL OR gone > ?2) THEN 1 ELSE 0 END) AS was_seen,
                max(CASE WHEN gone IS NULL THEN 1 ELSE 0 END) AS is_seen,
                CASE
                    WHEN count(*) = count(gone) THEN max(gone)
                    WHEN changed > max(entered) THEN changed
                    ELSE max(entered)
                END AS number
            FROM candidate \(dialect.orderedJoin) view_member USING (kind, first, second)
                \(dialect.orderedJoin) entity USING (kind, first, second)
            WHERE device = ?1
            GROUP BY kind, first, second, changed, state
        )
        SELECT kind, first, second, was_seen, is_seen, number, state, place FROM (
            SELECT kind, first, second, was_seen, is_seen, number, state,
                CASE WHEN left_at > ?3 AND left_at <= ?4 AND left_at < number THEN left_at ELSE number END AS place
            FROM seen
        ) AS placed
        WHERE place > ?3 AND place <= ?4 AND (was_seen = 1 OR is_seen = 1)
        ORDER BY place, kind, first, second LIMIT ?5
        """
    }
}

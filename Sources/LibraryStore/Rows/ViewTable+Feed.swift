import Authorization
import LibraryAPI
import PhotoModel

extension ViewTable {
    /// The page of a view in which nothing has changed.
    func emptyPage(_ identity: LibraryIdentity, grantVersion: UInt64) -> ChangePage {
        .empty(at: ChangePosition(epoch: identity.epoch, viewVersion: grantVersion, number: identity.lastChange))
    }

    /// The changes of the view after a number.
    ///
    /// What left is told first, whatever its number, then what is in the view, in the order of the numbers. A page shows
    /// everything that is in the view at its end, so that no later one names what left without having been shown.
    ///
    /// - Parameters:
    ///   - start: the number up to which the viewer was shown what was in the view.
    ///   - departures: the number up to which it was told what left; nil for `start`.
    ///   - identity: the library as of this page.
    ///   - limit: entities on the page, apart from those that share a number.
    ///   - grantVersion: the version of the viewer's grant.
    /// - Returns: the page.
    /// - Throws: the database's error.
    func page(
        after start: ChangeNumber,
        departures: ChangeNumber? = nil,
        _ identity: LibraryIdentity,
        limit: Int,
        grantVersion: UInt64
    ) throws -> ChangePage {
        func position(_ number: ChangeNumber, departures: ChangeNumber) -> ChangePosition {
            ChangePosition(
                epoch: identity.epoch,
                viewVersion: grantVersion,
                number: number,
                departures: departures
            )
        }
        // An asset and its memberships may share a number: a page never ends between them.
        let ties = 1 + selection.grantedAlbums.count
        let left = try departed(after: departures ?? start, seenAt: start, atMost: limit + ties)
        guard left.count < limit else {
            let last = left.prefix(limit).last?.number ?? 0
            let changes = try changes(left.prefix { $0.number <= last })
            let end = position(start, departures: ChangeNumber(rawValue: last))
            return ChangePage(changes: changes, position: end, hasMore: true)
        }
        let room = limit - left.count
        let rows = try feed(after: start.rawValue, atMost: room + 1 + ties).map { try FeedEntry($0) }
        let last = rows.prefix(room).last?.place ?? 0
        let shown = rows.prefix { $0.place <= last }
        let hasMore = rows.count > shown.count
        let number = hasMore ? ChangeNumber(rawValue: last) : identity.lastChange
        var entries = Dictionary(left.map { ($0.entity, $0) }, uniquingKeysWith: { first, _ in first })
        for entry in shown {
            entries[entry.entity] = entry.as(of: number.rawValue, following: entries[entry.entity])
        }
        return ChangePage(
            changes: try changes(entries.values),
            position: position(number, departures: identity.lastChange),
            hasMore: hasMore
        )
    }

    /// Entries in their order, with the data that the viewer may see.
    private func changes(_ entries: some Sequence<FeedEntry>) throws -> [EntityChange] {
        try entries.sorted { $0.isBefore($1) }.map { entry in
            try SQLMetadataStore.change(entry.kind, entry.entity, state: entry.state, in: view, database)
        }
    }

    /// What was in the view at a number and left after another one, in the order in which it left.
    private func departed(
        after number: ChangeNumber,
        seenAt start: ChangeNumber,
        atMost count: Int
    ) throws -> [FeedEntry] {
        guard start > .zero else { return [] }
        let rows = try database.statement(
            """
            SELECT kind, first, second, gone FROM view_member WHERE device = ?1 AND gone > ?2 AND entered <= ?3
            ORDER BY gone, kind, first, second LIMIT ?4
            """
        ).rows([device.blob, number.rawValue, start.rawValue, count])
        return try rows.map { row in
            FeedEntry(try EntityReference(row), wasSeen: true, isSeen: false, state: nil, number: try row["gone"])
        }
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

    /// The number up to which no more than `width` members entered, and no more than `width` entities changed; nil if fewer
    /// of each remain.
    private func windowEnd(after number: Int64, width: Int) throws -> Int64? {
        try database.statement(
            """
            SELECT min(number) FROM (
                SELECT (
                    SELECT entered FROM view_member WHERE device = ?1 AND entered > ?2 ORDER BY entered LIMIT 1 OFFSET ?3
                ) AS number
                UNION ALL SELECT (SELECT changed FROM entity WHERE changed > ?2 ORDER BY changed LIMIT 1 OFFSET ?3)
            ) AS ends
            """
        ).value(Int64.self, [device.blob, number, width - 1])
    }

    /// Each entity that is in the view and came or changed in a window, at the number at which it came if that is in the
    /// window, or at which it changed.
    ///
    /// So it may be there twice: a page that ends before its last change must show it if it came before that end.
    ///
    /// Left alone, SQLite would go through all members of the view and look for each among the candidates. For `gone IS
    /// NULL`, PostgreSQL would look for each candidate in the index of all views, through everyone who has it.
    static func feed(_ dialect: any SQLDialect) -> String {
        """
        WITH candidate (kind, first, second) AS (
            SELECT kind, first, second FROM view_member WHERE device = ?1 AND entered > ?3 AND entered <= ?4
            UNION SELECT kind, first, second FROM entity WHERE changed > ?3 AND changed <= ?4
        )
        SELECT kind, first, second, state, was_seen, number, place FROM (
            SELECT kind, first, second, state,
                CASE WHEN entered <= ?2 THEN 1 ELSE 0 END AS was_seen,
                CASE WHEN changed > entered THEN changed ELSE entered END AS number,
                CASE WHEN entered > ?3 THEN entered ELSE changed END AS place
            FROM candidate \(dialect.orderedJoin) view_member USING (kind, first, second)
                \(dialect.orderedJoin) entity USING (kind, first, second)
            WHERE device = ?1 AND coalesce(gone, 0) = 0
        ) AS placed
        WHERE place <= ?4 ORDER BY place, kind, first, second LIMIT ?5
        """
    }
}

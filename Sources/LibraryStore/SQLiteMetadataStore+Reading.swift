import Authorization
import FoundationEssentials
import GRDB
package import LibraryAPI
import Persistence
package import PhotoModel

extension SQLiteMetadataStore {
    /// One page of a list: the place after the cursor is found by its sort keys, never by counting.
    package func page(_ query: AssetQuery, in view: LibraryView) async throws -> AssetPage {
        let order = ListOrder(query.options.sortDescriptors)
        let position = try query.cursor.map { try ListPosition($0, order: order, options: query.options) }
        let limit = min(query.limit, query.options.fetchLimit ?? query.limit)
        let access: AssetPage.Access = view == .everything ? .full : .limited
        guard limit > 0 else { return AssetPage(assets: [], access: access) }
        return try await database.read { database in
            let condition = FilterSQL(query.options)
            let scope = FilterSQL(view)
            var arguments = condition.arguments + scope.arguments
            var sql = "SELECT \(order.columns), key, document FROM asset WHERE \(condition.sql) AND \(scope.sql)"
            if let position {
                sql += " AND (\(order.condition))"
                arguments += order.arguments(position.values)
            }
            arguments += [limit + 1]
            sql += " ORDER BY \(order.sql) LIMIT ?"
            let rows = try Row.fetchAll(database, sql: sql, arguments: arguments)
            let shown = rows.prefix(limit)
            let count = order.steps.count
            let assets = try AssetRows.assets(shown.map { ($0[count], $0[count + 1]) }, database)
            let next = try rows.count > limit ? shown.last.map { try ListPosition($0, order: order) } : nil
            return AssetPage(assets: assets, next: try next?.cursor(options: query.options), access: access)
        }
    }

    /// One asset; nil when it is not there or not in the view.
    package func asset(_ id: AssetID, in view: LibraryView) async throws -> Asset? {
        try await database.read { database in
            try AssetRows.fetch(id, database).flatMap { view.contains($0) ? $0 : nil }
        }
    }

    /// How many assets of a list each span of time holds.
    package func spans(
        _ options: FetchOptions,
        by unit: TimelineUnit,
        in view: LibraryView
    ) async throws -> [TimelineSpan] {
        try await database.read { database in
            let condition = FilterSQL(options)
            let scope = FilterSQL(view)
            let rows = try Row.fetchAll(
                database,
                sql: """
                    SELECT \(unit.number) AS span, count(*) FROM asset WHERE \(condition.sql) AND \(scope.sql)
                    GROUP BY span ORDER BY span DESC LIMIT \(APILimits.timelineSpanCount)
                    """,
                arguments: condition.arguments + scope.arguments
            )
            return rows.map { row in
                TimelineSpan(from: unit.start(of: row[0]), until: unit.start(of: row[0] + 1), count: row[1])
            }
        }
    }

    /// How many assets a list holds.
    package func count(_ options: FetchOptions, in view: LibraryView) async throws -> Int {
        try await database.read { database in
            let condition = FilterSQL(options)
            let scope = FilterSQL(view)
            return try Int.fetchOne(
                database,
                sql: "SELECT count(*) FROM asset WHERE \(condition.sql) AND \(scope.sql)",
                arguments: condition.arguments + scope.arguments
            ) ?? 0
        }
    }

    /// Which of these digests are there, as far as the view shows.
    package func knownDigests(_ digests: [ContentDigest], in view: LibraryView) async throws -> [ContentDigest] {
        try await database.read { database in
            let scope = FilterSQL(view)
            let statement = try database.cachedStatement(
                sql: """
                    SELECT EXISTS (
                        SELECT 1 FROM resource JOIN asset ON asset.key = resource.asset
                        WHERE digest = ? AND \(scope.sql)
                    )
                    """
            )
            return try digests.filter { digest in
                try Bool.fetchOne(statement, arguments: [digest.blob] + scope.arguments) ?? false
            }
        }
    }
}

extension TimelineUnit {
    /// The number of the span that an asset lies in, counted from year 0 or from 1970, as SQL.
    ///
    /// SQLite divides towards zero; what is before 1970 has to be rounded down.
    fileprivate var number: String {
        guard let microseconds else { return "capture_month" }
        return
            "(capture_date - ((capture_date % \(microseconds)) + \(microseconds)) % \(microseconds)) / \(microseconds)"
    }

    private var microseconds: Int64? {
        switch self {
        case .month: nil
        case .day: 86_400_000_000
        case .hour: 3_600_000_000
        }
    }

    /// The first instant of a span.
    fileprivate func start(of number: Int64) -> WallTime {
        if let microseconds { return WallTime(microsecondsSince1970: number * microseconds) }
        let first = CivilTime(year: Int(number / 12), month: Int(number % 12) + 1, day: 1, utcOffsetSeconds: 0)
        return first?.instant ?? WallTime(microsecondsSince1970: .max)
    }
}

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

    /// How many assets of a list each month holds.
    package func months(_ options: FetchOptions, in view: LibraryView) async throws -> [MonthBucket] {
        try await database.read { database in
            let condition = FilterSQL(options)
            let scope = FilterSQL(view)
            let rows = try Row.fetchAll(
                database,
                sql: """
                    SELECT capture_month, count(*) FROM asset WHERE \(condition.sql) AND \(scope.sql)
                    GROUP BY capture_month ORDER BY capture_month DESC
                    """,
                arguments: condition.arguments + scope.arguments
            )
            return rows.map { row in
                let month: Int = row[0]
                let text = CivilTime(year: month / 12, month: month % 12 + 1, day: 1)?.description.prefix(7)
                return MonthBucket(month: text.map(String.init) ?? "", count: row[1])
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

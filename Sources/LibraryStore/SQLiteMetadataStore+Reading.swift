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

/// A total order of assets in SQL: the sort keys, then the identifier in the direction of the last key.
struct ListOrder {
    /// One column and its direction.
    struct Step {
        let column: String
        let isAscending: Bool
    }

    let steps: [Step]

    init(_ descriptors: [FetchOptions.SortDescriptor]) {
        var steps = descriptors.map { Step(column: $0.key.column, isAscending: $0.isAscending) }
        steps.append(Step(column: "id", isAscending: descriptors.last?.isAscending ?? true))
        self.steps = steps
    }

    var columns: String { steps.map(\.column).joined(separator: ", ") }

    var sql: String { steps.map { "\($0.column) \($0.isAscending ? "ASC" : "DESC")" }.joined(separator: ", ") }

    /// What lies behind a position: the first key is behind, or equal and the second is behind, and so on.
    ///
    /// The first key's own bound stands in front of all, so that the index is entered at the position.
    var condition: String {
        let alternatives = steps.indices.map { index in
            let equal = steps[..<index].map { "\($0.column) = ?" }
            let behind = "\(steps[index].column) \(steps[index].isAscending ? ">" : "<") ?"
            return "(" + (equal + [behind]).joined(separator: " AND ") + ")"
        }
        let first = "\(steps[0].column) \(steps[0].isAscending ? ">=" : "<=") ?"
        return "\(first) AND (" + alternatives.joined(separator: " OR ") + ")"
    }

    /// The values that `condition` takes.
    func arguments(_ values: [DatabaseValue]) -> StatementArguments {
        StatementArguments([values[0]] + steps.indices.flatMap { Array(values[...$0]) })
    }
}

/// A place in a list: the sort keys of the last asset that was told.
struct ListPosition {
    let values: [DatabaseValue]

    init(_ row: Row, order: ListOrder) throws {
        values = order.steps.indices.map { row[$0] }
    }

    /// Reads a cursor: a fingerprint of the query, then the keys; integers in decimal, the identifier in hexadecimal.
    init(_ cursor: ListCursor, order: ListOrder, options: FetchOptions) throws {
        let parts = cursor.text.split(separator: ".", omittingEmptySubsequences: false)
        guard cursor.text.utf8.count <= ListCursor.maximumByteCount, parts.count == order.steps.count + 1,
            try parts[0] == Self.fingerprint(options), let id = AssetID(String(parts[parts.count - 1]))
        else { throw Self.refusal }
        values =
            try parts.dropFirst().dropLast().map { part in
                guard let number = Int64(part) else { throw Self.refusal }
                return number.databaseValue
            } + [id.blob.databaseValue]
    }

    func cursor(options: FetchOptions) throws -> ListCursor {
        let keys = try values.map { value in
            if let number = Int64.fromDatabaseValue(value) { return "\(number)" }
            guard let blob = Data.fromDatabaseValue(value) else { throw RowDamage("a sort key") }
            return try AssetID(blob: blob).description
        }
        return ListCursor(text: ([try Self.fingerprint(options)] + keys).joined(separator: "."))
    }

    private static let refusal = StoreError(
        .cursorInvalid,
        "The cursor belongs to another query: keep the query as it is, or begin again."
    )

    /// Enough of a digest of the query to notice that a cursor belongs to another one.
    private static func fingerprint(_ options: FetchOptions) throws -> String {
        let text = try JSONColumn.encode(options)
        return String(ContentHasher.digest(text.utf8).description.prefix(12))
    }
}

extension FetchOptions.SortKey {
    fileprivate var column: String {
        switch self {
        case .captureDate: "capture_date"
        case .additionDate: "addition_date"
        case .rating: "rating"
        }
    }
}

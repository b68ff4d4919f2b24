import Authorization
import PhotoModel

/// The assets of a list within a view: what follows `SELECT` and its columns in a query that counts them.
///
/// In a limited view the assets of the view are found before a filter's words, keywords and albums are looked at, and
/// each is then tested by its own rows, see ``ListPlan``.
struct ListedRows {
    let sql: String
    let arguments: SQLArguments

    /// The rows of a list, or of the counts of its days.
    ///
    /// - Parameters:
    ///   - options: the list's options.
    ///   - view: the caller's view.
    ///   - table: the table that has the list's rows.
    ///   - columns: the columns that are read beside the filters'.
    ///   - dialect: the engine's SQL.
    init(
        _ options: FetchOptions,
        in view: LibraryView,
        of table: String = "asset",
        with columns: [String] = [],
        _ dialect: any SQLDialect
    ) {
        let options = view.visible(options)
        let scope = FilterSQL(view, dialect)
        guard view != .everything, options.filter?.memberships.isEmpty == false else {
            let condition = FilterSQL(options, dialect)
            sql = "FROM \(table) WHERE \(condition.sql) AND \(scope.sql)"
            arguments = condition.arguments + scope.arguments
            return
        }
        let condition = FilterSQL(options, dialect, standard: .alone)
        let read = FilterSQL.columns + columns + (options.asksForPlace ? FilterSQL.placeColumns : [])
        // A subquery with a limit is never merged with the query around it.
        sql = """
            FROM (
                SELECT \(read.joined(separator: ", ")) FROM \(table)
                WHERE is_trashed = \(options.showsTrash ? 1 : 0) AND \(scope.sql) LIMIT \(Int64.max)
            ) AS seen WHERE \(condition.sql)
            """
        arguments = scope.arguments + condition.arguments
    }
}

extension FilterSQL {
    /// The columns of `asset` that conditions read, except for places: the index of a list has all of them.
    static let columns = [
        "key", "id", "is_trashed", "is_hidden", "stands_out", "capture_date", "local_date", "is_favorite", "rating",
        "media_type", "media_subtypes", "playback_style", "in_burst", "device",
    ]

    /// The columns that conditions on places read.
    static let placeColumns = ["latitude", "longitude"]
}

extension AssetFilter {
    /// Whether it is a condition on another table.
    var isMembership: Bool {
        switch self {
        case .album, .keyword, .text: true
        default: false
        }
    }

    /// All conditions on other tables, anywhere in the tree.
    var memberships: [AssetFilter] { isMembership ? [self] : children.flatMap(\.memberships) }

    fileprivate var asksForPlace: Bool {
        switch self {
        case .near, .inside: true
        default: children.contains(where: \.asksForPlace)
        }
    }
}

extension FetchOptions {
    /// Whether the filter has a condition on places.
    var asksForPlace: Bool { filter?.asksForPlace ?? false }
}

extension LibraryView {
    /// Whether a rule has a condition on places.
    var asksForPlace: Bool {
        guard case .selection(let selection, _) = self else { return false }
        return selection.rules.contains(where: \.asksForPlace)
    }
}

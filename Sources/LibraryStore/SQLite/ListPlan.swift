import Authorization
import GRDB
import LibraryAPI
import PhotoModel

/// How one page of a list is found: always in the list's own order, so that the work ends with the page.
///
/// A list without memberships (text, keyword, album) walks the index that holds its order and every column that it asks
/// for. One with memberships first looks at the next few assets of the list, each asked whether it is a member: what is
/// common is found there, however many have it. What is not common is counted, up to a bound, and then either leads the
/// way (few assets, sorted) or is collected and met on the walk.
struct ListPlan {
    /// How far each step goes, in assets.
    struct Widths: Sendable {
        /// Assets of the list that are asked one by one.
        var first = 512
        /// The same, when the first ones were promising.
        var second = 8192
        /// Members among the first that are promising.
        var promising = 8
        /// Members that lead the way.
        var few = 2000
        /// Members that are collected; of more each asset is asked.
        var many = 20_000
    }

    let options: FetchOptions
    let view: LibraryView
    let order: ListOrder
    let position: ListPosition?
    /// Assets that are wanted at most.
    let limit: Int
    let widths: Widths
    let database: Database

    /// The page's rows: the order's columns, the key, the document, and the albums' identifiers in hexadecimal with
    /// commas between them.
    func rows() throws -> [Row] {
        let memberships = Set(options.filter?.memberships ?? [])
        guard !memberships.isEmpty else { return try fetch(from: "asset", .init(), [:]) }
        let probes = Dictionary(uniqueKeysWithValues: memberships.map { ($0, FilterSQL.Membership.probe) })
        for width in [widths.first, widths.second] {
            let found = try fetch(from: "(\(window(width)))", continuation.arguments, probes)
            if found.count == limit { return found }
            if found.count < widths.promising { break }
        }
        return try fetch(from: "asset", .init(), try forms(of: memberships))
    }

    /// The next assets of the list before any filter, with what filters ask for.
    private func window(_ width: Int) -> String {
        var columns = [
            "key", "id", "is_trashed", "is_hidden", "stands_out", "capture_date", "is_favorite", "rating", "media_type",
            "media_subtypes", "playback_style", "in_burst", "device",
        ]
        columns += order.steps.map(\.column).filter { !columns.contains($0) }
        if options.filter?.asksForPlace ?? false || view.asksForPlace { columns += ["latitude", "longitude"] }
        return """
            SELECT \(columns.joined(separator: ", ")) FROM asset WHERE is_trashed = \(options.showsTrash ? 1 : 0)
            \(continuation.sql) ORDER BY \(order.sql) LIMIT \(width)
            """
    }

    private var continuation: (sql: String, arguments: StatementArguments) {
        guard let position else { return ("", .init()) }
        return (" AND (\(order.condition))", order.arguments(position.values))
    }

    private func fetch(
        from source: String,
        _ sourceArguments: StatementArguments,
        _ forms: [AssetFilter: FilterSQL.Membership]
    ) throws -> [Row] {
        let condition = FilterSQL(options, forms)
        let scope = FilterSQL(view, forms)
        let outer = order.steps.map { "page.\($0.column)" }.joined(separator: ", ")
        let isWindow = source != "asset"
        let statement = try database.cachedStatement(
            sql: """
                SELECT \(outer), page.key, asset.document,
                    (SELECT group_concat(hex(album)) FROM album_asset WHERE album_asset.asset = page.key)
                FROM (
                    SELECT \(order.columns), key FROM \(source) WHERE \(condition.sql) AND \(scope.sql)
                    \(isWindow ? "" : continuation.sql) ORDER BY \(order.sql) LIMIT \(limit)
                ) AS page JOIN asset ON asset.key = page.key
                ORDER BY \(order.steps.map { "page.\($0.column) \($0.direction)" }.joined(separator: ", "))
                """
        )
        let arguments =
            sourceArguments + condition.arguments + scope.arguments
            + (isWindow ? StatementArguments() : continuation.arguments)
        return try Row.fetchAll(statement, arguments: arguments)
    }

    /// What each membership is best asked as, by how many members there are.
    private func forms(of memberships: Set<AssetFilter>) throws -> [AssetFilter: FilterSQL.Membership] {
        var forms: [AssetFilter: FilterSQL.Membership] = [:]
        var hasLeader = false
        let required = options.filter?.requiredMemberships ?? []
        for membership in memberships {
            let members = FilterSQL.members(of: membership)
            let statement = try database.cachedStatement(
                sql: "SELECT count(*) FROM (\(members.sql) LIMIT \(widths.many + 1))"
            )
            let count = try Int.fetchOne(statement, arguments: members.arguments) ?? 0
            if count <= widths.few, required.contains(membership) {
                forms[membership] = .leader
                hasLeader = true
            } else {
                forms[membership] = count <= widths.many ? .collected : .probe
            }
        }
        guard hasLeader else { return forms }
        return forms.mapValues { $0 == .leader ? .leader : .probe }
    }
}

extension AssetFilter {
    private var isMembership: Bool {
        switch self {
        case .album, .keyword, .text: true
        default: false
        }
    }

    private var parts: [AssetFilter] {
        switch self {
        case .any(let filters), .all(let filters): filters
        case .not(let filter): [filter]
        default: []
        }
    }

    /// What is asked of other tables, anywhere in the tree.
    fileprivate var memberships: [AssetFilter] { isMembership ? [self] : parts.flatMap(\.memberships) }

    /// The memberships without which nothing matches.
    fileprivate var requiredMemberships: [AssetFilter] {
        if isMembership { return [self] }
        guard case .all(let filters) = self else { return [] }
        return filters.flatMap(\.requiredMemberships)
    }

    fileprivate var asksForPlace: Bool {
        if case .near = self { return true }
        return parts.contains(where: \.asksForPlace)
    }
}

extension LibraryView {
    fileprivate var asksForPlace: Bool {
        guard case .selection(let selection, _) = self else { return false }
        return selection.rules.contains(where: \.asksForPlace)
    }
}

import Authorization
import LibraryAPI
import PhotoModel

/// How to find one page of a list: always in the list's own order, so that the work ends with the page.
///
/// A list without memberships (text, keyword, album) scans the index that has its order and every column it needs. A
/// list with memberships first tests the next few assets of the list for membership, which finds common members,
/// however many there are. Rarer ones come from the search table in capture order, if that is the list's order and the
/// filter has a text. Anything else is counted, up to a limit; then it either leads the query (few assets, sorted) or
/// is collected and matched during the scan.
///
/// In a limited view the assets of the view are found first, and each of them is tested by its own rows. Begun with the
/// members, the work would tell the caller by its duration whether a word occurs in photos that it may not see.
struct ListPlan {
    /// How far each step goes, in assets.
    struct Widths: Sendable {
        /// A scan of the next assets of the list.
        struct Look: Sendable {
            /// The number of assets tested one by one.
            var width: Int
            /// The minimum matches of earlier looks for this one to be worthwhile.
            var promise: Int
        }

        /// Each wider than the one before.
        ///
        /// What one asset in a hundred has does not fill a page of the widest: among 512 it rarely occurs as often as
        /// required here.
        var looks = [Look(width: 128, promise: 0), Look(width: 512, promise: 1), Look(width: 8192, promise: 14)]
        /// The looks if a search in order follows, which finds sooner what one asset in ten has.
        var searchedLooks = [Look(width: 128, promise: 0), Look(width: 512, promise: 12)]
        /// The minimum assets that a search in order returns before checking whether they fill the page.
        var searches = [128, 256, 2048]
        /// The most rows of a search's first statement, if the engine finds all rows before it returns one: a page of a
        /// hundred, and some that are not in the list.
        var firstSearch = 160
        /// The most members that may lead the query.
        var few = 2000
        /// The most members that are collected, or returned in order; beyond that each asset is tested.
        var many = 20_000
    }

    let options: FetchOptions
    let view: LibraryView
    let order: ListOrder
    let position: ListPosition?
    /// The most assets on the page.
    let limit: Int
    let widths: Widths
    /// The statements that are kept prepared.
    let texts: KeptTexts
    let database: any SQLSession

    /// The page, in the list's order.
    func page() throws -> ListedPage {
        let memberships = Set(options.filter?.memberships ?? [])
        guard !memberships.isEmpty else { return try fetch([:]) }
        guard view == .everything else { return try narrowed(memberships) }
        let probes = Dictionary(uniqueKeysWithValues: memberships.map { ($0, FilterSQL.Membership.probe) })
        let text = order.isByCapture ? options.filter?.requiredMemberships.first { $0.isSearch } : nil
        if let page = try looked(text == nil ? widths.looks : widths.searchedLooks, probes) { return page }
        if let text, let page = try searched(text, probes) { return page }
        return try fetch(try forms(of: memberships))
    }

    /// The page within a limited view.
    private func narrowed(_ memberships: Set<AssetFilter>) throws -> ListedPage {
        let forms = Dictionary(uniqueKeysWithValues: memberships.map { ($0, FilterSQL.Membership.alone) })
        if let keys = try seenKeys(atMost: widths.few) {
            let listed = "key IN (\(database.dialect.integers(in: "?")))"
            let list: SQLArguments = ["[\(keys.map(String.init).joined(separator: ","))]"]
            return try fetch(from: window(.max, within: (sql: listed, arguments: list), leading: true), forms)
        }
        let condition = FilterSQL(view, database.dialect)
        let scope = (sql: condition.sql, arguments: condition.arguments)
        if let page = try looked(widths.looks, forms, within: scope) { return page }
        return try fetch(from: window(.max, within: scope), forms)
    }

    /// Looks at the next assets of the list, further each time, while that promises anything.
    ///
    /// - Parameters:
    ///   - looks: how far.
    ///   - forms: how memberships are tested.
    ///   - scope: the condition that assets are in the view; nil to look at all assets.
    /// - Returns: the page; nil if no look filled it.
    /// - Throws: the database's error.
    private func looked(
        _ looks: [Widths.Look],
        _ forms: [AssetFilter: FilterSQL.Membership],
        within scope: (sql: String, arguments: SQLArguments)? = nil
    ) throws -> ListedPage? {
        var foundCount = 0
        for look in looks {
            if foundCount < look.promise { break }
            let found = try fetch(from: window(look.width, within: scope), forms)
            if found.end != nil { return found }
            foundCount = found.assets.count
        }
        return nil
    }

    /// The keys of the view's assets, whatever the filter; nil if there are more.
    private func seenKeys(atMost bound: Int) throws -> [Int64]? {
        let scope = FilterSQL(view, database.dialect, isLeading: true)
        let statement = try statement(
            "SELECT key FROM asset WHERE +is_trashed = \(trash) AND \(scope.sql) LIMIT \(bound + 1)"
        )
        let keys = try statement.values(Int64.self, scope.arguments)
        // In PostgreSQL's order of storing them the list would differ after an edit.
        return keys.count <= bound ? keys.sorted() : nil
    }

    /// The page from a search in the list's order; nil if many of its matches are not in the list.
    private func searched(_ filter: AssetFilter, _ probes: [AssetFilter: FilterSQL.Membership]) throws -> ListedPage? {
        guard case .text(let text) = filter else { return nil }
        let isAscending = order.steps[0].isAscending
        let start = position.flatMap { Int64(sqlValue: $0.values[0]) }
            .map { WordTable.rows(ofSecond: WordTable.second(ofCapture: $0)) }
        let bound = isAscending ? start?.lowerBound ?? .min : start?.upperBound ?? .max
        var rows = try WordSearch(
            for: SearchText.words(of: text),
            from: bound,
            isAscending: isAscending,
            firstCount: widths.firstSearch,
            database
        )
        var keys: [Int64] = []
        var next = try rows.next()
        for width in widths.searches where width > limit || next == nil {
            // Within a second the list has its own order, so a second is always read whole.
            var second: Int64?
            while let row = next, keys.count < width || WordTable.second(ofRow: row) == second {
                // An unset clock: a library may have any number of assets in one second.
                if keys.count == widths.many { return nil }
                keys.append(WordTable.key(ofRow: row))
                second = WordTable.second(ofRow: row)
                next = try rows.next()
            }
            let page = try fetch(probes.merging([filter: .leader(keys)]) { $1 })
            if page.end != nil || next == nil { return page }
        }
        return nil
    }

    /// The next assets of a list, with the columns that filters need.
    private struct Window {
        let sql: String
        let arguments: SQLArguments
        /// Whether its assets are in the view.
        let isInView: Bool
    }

    /// The next assets of the list before any filter.
    ///
    /// - Parameters:
    ///   - width: the most assets.
    ///   - scope: the condition that they are in the view; nil to look at all assets.
    ///   - isLeading: whether SQLite starts from the scope, and not from the index of a list.
    /// - Returns: the query for them.
    private func window(
        _ width: Int,
        within scope: (sql: String, arguments: SQLArguments)? = nil,
        leading isLeading: Bool = false
    ) -> Window {
        var columns = FilterSQL.columns
        columns += order.steps.map(\.column).filter { !columns.contains($0) }
        if options.asksForPlace || view.asksForPlace { columns += FilterSQL.placeColumns }
        let sql = """
            SELECT \(columns.joined(separator: ", ")) FROM asset
            WHERE \(isLeading ? "+" : "")is_trashed = \(trash) AND \(scope?.sql ?? "TRUE") \(continuation.sql)
            ORDER BY \(order.sql) LIMIT \(width)
            """
        return Window(
            sql: sql,
            arguments: (scope?.arguments ?? []) + continuation.arguments,
            isInView: scope != nil
        )
    }

    private var trash: Int { options.showsTrash ? 1 : 0 }

    private var continuation: (sql: String, arguments: SQLArguments) {
        guard let position else { return ("", []) }
        return (" AND (\(order.condition))", order.arguments(position.values))
    }

    private func fetch(
        from window: Window? = nil,
        _ forms: [AssetFilter: FilterSQL.Membership]
    ) throws -> ListedPage {
        let condition = FilterSQL(options, database.dialect, forms)
        let narrowing: LibraryView = window?.isInView == true ? .everything : view
        let scope = FilterSQL(narrowing, database.dialect, forms)
        let source = window.map { "(\($0.sql)) AS listed" } ?? "asset"
        let outer = order.steps.map { "page.\($0.column)" }.joined(separator: ", ")
        let isWindow = window != nil
        // A window is ordered, and read no further than the page, if the engine keeps its order.
        let ordering = isWindow && database.dialect.keepsOrder ? "" : "ORDER BY \(order.sql)"
        let rest = isWindow ? ordering : "\(continuation.sql) \(ordering)"
        let statement = try statement(
            """
            SELECT \(outer), page.key, asset.document,
                (SELECT \(database.dialect.list("album")) FROM album_member WHERE album_member.asset = page.key)
            FROM (
                SELECT \(order.columns), key FROM \(source) WHERE \(condition.sql) AND \(scope.sql)
                \(rest) LIMIT \(limit + 1)
            ) AS page JOIN asset ON asset.key = page.key
            ORDER BY \(order.steps.map { "page.\($0.column) \($0.direction)" }.joined(separator: ", "))
            """
        )
        let arguments =
            (window?.arguments ?? []) + condition.arguments + scope.arguments
            + (isWindow ? [] : continuation.arguments)
        // Read from the statement's current row: copying each row costs more than the row.
        let rows = try statement.cursor(arguments)
        var page = ListedPage()
        page.assets.reserveCapacity(min(limit, 1024))
        var last: ListPosition?
        while try rows.next() {
            if page.assets.count == limit {
                page.end = last
            } else {
                page.assets.append(try ListedAsset(rows, order: order))
                // Only a full page can have a next one, which begins after this asset.
                if page.assets.count == limit { last = ListPosition(rows, order: order) }
            }
        }
        return page
    }

    private func statement(_ text: String) throws -> any SQLStatement { try texts.statement(text, database) }

    /// The best form of each membership, by the number of members.
    private func forms(of memberships: Set<AssetFilter>) throws -> [AssetFilter: FilterSQL.Membership] {
        var forms: [AssetFilter: FilterSQL.Membership] = [:]
        var hasLeader = false
        let required = options.filter?.requiredMemberships ?? []
        for membership in memberships {
            let isRequired = required.contains(membership)
            if isRequired, let keys = try keys(of: membership, atMost: widths.few) {
                forms[membership] = .leader(keys)
                hasLeader = true
            } else {
                forms[membership] = try isMore(membership, than: widths.many) ? .probe : .collected
            }
        }
        guard hasLeader else { return forms }
        return forms.mapValues { if case .leader = $0 { $0 } else { .probe } }
    }

    /// The keys of a membership's assets; nil if there are more.
    private func keys(of membership: AssetFilter, atMost bound: Int) throws -> [Int64]? {
        let members = FilterSQL.members(of: membership, database.dialect)
        let statement = try statement("\(members.sql) LIMIT \(bound + 1)")
        let keys = try statement.values(Int64.self, members.arguments)
        return keys.count <= bound ? keys : nil
    }

    private func isMore(_ membership: AssetFilter, than bound: Int) throws -> Bool {
        let members = FilterSQL.members(of: membership, database.dialect)
        let statement = try statement("SELECT count(*) FROM (\(members.sql) LIMIT \(bound + 1)) AS member")
        return try statement.value(Int.self, members.arguments) ?? 0 > bound
    }
}

/// A page of a list, as read from rows.
struct ListedPage {
    /// Its assets.
    var assets: [ListedAsset] = []
    /// The position of its last asset; nil if the list ends with it.
    var end: ListPosition?
}

/// An asset of a page, as read from its row.
struct ListedAsset {
    /// Its JSON document.
    let document: [UInt8]
    /// Its albums' identifiers in hexadecimal, separated by commas; nil if it has none.
    let albums: String?

    fileprivate init(_ row: any SQLCursor, order: ListOrder) throws {
        let column = order.steps.count + 1
        document = try row.bytes(at: column) ?? []
        albums = String(sqlValue: row.value(at: column + 1))
    }
}

extension AssetFilter {
    /// Whether it is a text with words.
    fileprivate var isSearch: Bool {
        guard case .text(let text) = self else { return false }
        return !SearchText.words(of: text).isEmpty
    }

    /// The memberships that every match must have.
    fileprivate var requiredMemberships: [AssetFilter] {
        if isMembership { return [self] }
        guard case .all(let filters) = self else { return [] }
        return filters.flatMap(\.requiredMemberships)
    }
}

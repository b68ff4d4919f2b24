import Authorization
import FoundationEssentials
package import LibraryAPI
import Persistence
package import PhotoModel

extension SQLMetadataStore {
    /// One page of a list; the position after the cursor is found by its sort keys, never by counting.
    package func page(_ query: AssetQuery, in view: LibraryView) async throws -> AssetPage {
        try await read(query, in: view) { database in
            let found = try find(query, in: view, database)
            let assets = try found.assets.map { listed in
                var asset = try JSONColumn.decode(listed.document, as: Asset.self)
                asset.albums = Set(try Self.albums(listed.albums, in: view))
                return asset
            }
            return AssetPage(assets: assets, next: found.next, access: Self.access(view))
        }
    }

    /// The same page in JSON: documents are copied from their rows, and only their albums are added.
    package func encodedPage(_ query: AssetQuery, in view: LibraryView) async throws -> [UInt8] {
        try await read(query, in: view) { database in
            let found = try find(query, in: view, database)
            var bytes = Array("{\"access\":\"\(Self.access(view).rawValue)\",\"assets\":[".utf8)
            bytes.reserveCapacity(found.assets.reduce(1024) { $0 + $1.document.count + 1 })
            for (index, listed) in found.assets.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                let albums = try Self.albums(listed.albums, in: view)
                bytes += albums.isEmpty ? listed.document : try Self.document(listed.document, in: albums)
            }
            bytes.append(UInt8(ascii: "]"))
            if let next = found.next { bytes += try Array(",\"next\":\(JSONColumn.encode(next))".utf8) }
            bytes.append(UInt8(ascii: "}"))
            return bytes
        }
    }

    /// Reads for a page, which may have to look at the whole view if it is filtered.
    private func read<Value: Sendable>(
        _ query: AssetQuery,
        in view: LibraryView,
        _ body: @escaping @Sendable (any SQLSession) throws -> Value
    ) async throws -> Value {
        let isWhole = query.options.filter != nil || view != .everything
        return try await isWhole ? readWhole(body) : store.read(body)
    }

    private struct FoundPage {
        var assets: [ListedAsset] = []
        var next: ListCursor?
    }

    private func find(_ query: AssetQuery, in view: LibraryView, _ database: any SQLSession) throws -> FoundPage {
        let order = ListOrder(query.options.sortDescriptors)
        let fingerprint = try ListPosition.fingerprint(query.options)
        let position = try query.cursor.map { try ListPosition($0, order: order, fingerprint: fingerprint) }
        let limit = min(query.limit, query.options.fetchLimit ?? query.limit)
        guard limit > 0 else { return FoundPage() }
        let page = try ListPlan(
            options: view.visible(query.options),
            view: view,
            order: order,
            position: position,
            limit: limit,
            widths: widths,
            texts: listTexts,
            database: database
        ).page()
        return FoundPage(assets: page.assets, next: try page.end?.cursor(fingerprint: fingerprint))
    }

    private static func access(_ view: LibraryView) -> AssetPage.Access { view == .everything ? .full : .limited }

    private static func albums(_ list: String?, in view: LibraryView) throws -> [AlbumID] {
        try AssetTable.albums(list).filter(view.names)
    }

    /// A document with its albums.
    ///
    /// Quotes inside texts are escaped, so a match is never part of one.
    private static func document(_ bytes: [UInt8], in albums: [AlbumID]) throws -> [UInt8] {
        let name = Array("\"albums\":[".utf8)
        guard let place = bytes.indices.first(where: { bytes[$0...].starts(with: name) }) else {
            throw RowDamage("a document without albums")
        }
        let list = albums.map { "\"\($0)\"" }.joined(separator: ",")
        return bytes[..<(place + name.count)] + Array(list.utf8) + bytes[(place + name.count)...]
    }

    /// One asset; nil if it is not there or not in the view.
    package func asset(_ id: AssetID, in view: LibraryView) async throws -> Asset? {
        try await store.read { database in
            try AssetTable.fetch(id, in: view, database)
        }
    }

    /// Assets of a list that are in the view.
    package func assets(_ ids: [AssetID], in view: LibraryView) async throws -> [Asset] {
        try await readWhole { database in
            try ids.compactMap { try AssetTable.fetch($0, in: view, database) }
        }
    }

    /// The number of assets of a list in each time span.
    package func spans(
        _ options: FetchOptions,
        by unit: TimelineUnit,
        in view: LibraryView
    ) async throws -> [TimelineSpan] {
        try await readWhole { database in
            // All assets are counted by day already, which gives what such a list needs.
            let counted = options.filter == nil && view == .everything ? unit.countedNumber : nil
            let listed = ListedRows(
                options,
                in: view,
                of: counted == nil ? "asset" : "capture_count",
                with: ["capture_month"],
                database.dialect
            )
            let statement = try listTexts.statement(
                """
                SELECT \(counted ?? unit.number) AS span, \(counted == nil ? "count(*)" : "sum(assets)") AS count
                \(listed.sql)
                GROUP BY span ORDER BY span DESC LIMIT \(APILimits.timelineSpanCount)
                """,
                database
            )
            return try statement.rows(listed.arguments).map { row in
                // Times accepted by an older server are clamped to the ends.
                let number = (try row["span"] as Int64).clamped(to: -(1 << 62)...1 << 62)
                let (start, end) = (unit.start(of: number), unit.start(of: number + 1))
                return TimelineSpan(from: start, until: end, count: try row["count"])
            }
        }
    }

    /// The kinds of assets in a list, in one pass.
    package func kinds(_ options: FetchOptions, in view: LibraryView) async throws -> [AssetFilter.Kind] {
        try await readWhole { database in
            let listed = ListedRows(options, in: view, database.dialect)
            let kinds = AssetFilter.Kind.allCases
            let columns = kinds.map { "max(CASE WHEN \(FilterSQL(.kind($0), database.dialect).sql) THEN 1 ELSE 0 END)" }
                .joined(separator: ", ")
            let row = try database.row("SELECT \(columns) \(listed.sql)", listed.arguments)
            return try kinds.enumerated().compactMap { index, kind in (try row?[index] as Bool?) == true ? kind : nil }
        }
    }

    /// The number of assets in a list.
    package func count(_ options: FetchOptions, in view: LibraryView) async throws -> Int {
        try await readWhole { database in
            let listed = ListedRows(options, in: view, database.dialect)
            let statement = try listTexts.statement("SELECT count(*) \(listed.sql)", database)
            return try statement.value(Int.self, listed.arguments) ?? 0
        }
    }

    /// Those of the given digests that exist within the view.
    package func knownDigests(_ digests: [ContentDigest], in view: LibraryView) async throws -> [ContentDigest] {
        let find: @Sendable (any SQLSession) throws -> [ContentDigest] = { database in
            let scope = FilterSQL(view, database.dialect)
            let statement = try database.statement(
                """
                SELECT EXISTS (
                    SELECT 1 FROM asset
                    WHERE key IN (SELECT asset FROM resource WHERE digest = ?) AND \(scope.sql)
                )
                """
            )
            return try digests.filter { digest in
                try statement.value(Bool.self, [digest.blob] + scope.arguments) ?? false
            }
        }
        // A selection may list a hundred thousand assets, which are looked through for each digest.
        guard case .selection = view else { return try await store.read(find) }
        return try await readWhole(find)
    }
}

extension TimelineUnit {
    /// The number of an asset's time span, counted from year 0 or from 1970, as SQL.
    ///
    /// SQLite divides towards zero; times before 1970 must be rounded down.
    fileprivate var number: String {
        guard let microseconds else { return "capture_month" }
        return
            "(local_date - ((local_date % \(microseconds)) + \(microseconds)) % \(microseconds)) / \(microseconds)"
    }

    /// The number, if days are counted for it; nil for spans of less than a day.
    fileprivate var countedNumber: String? {
        switch self {
        case .month: "capture_month"
        case .day: "day"
        case .hour: nil
        }
    }

    private var microseconds: Int64? {
        switch self {
        case .month: nil
        case .day: 86_400_000_000
        case .hour: 3_600_000_000
        }
    }

    /// The start of a span.
    fileprivate func start(of number: Int64) -> LocalTime {
        if let microseconds {
            let (product, overflow) = number.multipliedReportingOverflow(by: microseconds)
            return LocalTime(microsecondsSince1970: overflow ? (number < 0 ? .min : .max) : product)
        }
        guard number >= 0 else { return LocalTime(microsecondsSince1970: .min) }
        let first = CivilTime(year: Int(number / 12), month: Int(number % 12) + 1, day: 1, utcOffsetSeconds: 0)
        return LocalTime(microsecondsSince1970: first?.instant?.microsecondsSince1970 ?? .max)
    }
}

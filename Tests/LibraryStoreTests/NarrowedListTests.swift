import Authorization
import Foundation
import LibraryAPI
import PhotoModel
import PostgreSQLTestSupport
import TestSupport
import Testing

@testable import LibraryStore

/// Filtered lists of limited devices: what they hold, and that what they do depends on nothing else.
struct NarrowedListTests {
    @Test(
        "T151: a limited device's search does the same, whether or not its words are in photos that it may not see",
        arguments: RowEngine.installed,
        [2, 2000]
    )
    func hiddenWords(in engine: RowEngine, few: Int) async throws {
        let fixture = try StoreFixture(in: engine)
        defer { withExtendedLifetime(fixture) {} }
        let library = try await fixture.create()
        let metadata = try #require(library.metadata as? SQLMetadataStore)
        let count = StatementCount()
        var limited = try await metadata.over(CountedRowStore(rows: metadata.store, count: count), fixture)
        // A view of more assets is not listed, but looked through.
        limited.widths.few = few
        let keyword = try #require(Keyword("harbour"))
        let filters: [AssetFilter] = [
            .text("harbour"), .all([.text("harb"), .text("boat")]), .keyword(keyword),
            .any([.keyword(keyword), .text("harbour")]),
        ]
        let ownCount = 6
        var assets = Self.photos(count: 24, ofWhichOwn: ownCount, with: keyword)
        for view in [LibraryView.selection(Selection(), StoreFixture.device), .own(StoreFixture.device)] {
            var rounds: [[RanStatement]] = []
            for isThere in [false, true] {
                for index in assets.indices.dropFirst(ownCount) {
                    assets[index].title = isThere ? "Another boat in the harbour" : "Quiet"
                    assets[index].keywords = isThere ? [keyword] : []
                }
                try await metadata.insertForTests(assets)
                count.record()
                let found = try await Self.counts(of: filters, in: view, of: limited)
                rounds.append(count.takeRecorded())
                #expect(found.allSatisfy { $0 == ownCount }, "\(found)")
            }
            #expect(rounds[0] == rounds[1])
            let statements = rounds[1]
            let plans = try await metadata.store.read { database in
                try statements.map { try Self.plan(of: $0, database) }
            }
            for (statement, plan) in zip(statements, plans) {
                #expect(!plan.contains { Self.readsMembers($0, engine) }, "\(statement.text): \(plan)")
            }
        }
    }

    /// Photos at one place, the first ones of the device, with the keyword.
    private static func photos(count: Int, ofWhichOwn ownCount: Int, with keyword: Keyword) -> [Asset] {
        var generator = SeededGenerator(seed: 3)
        return (0..<count).map { index in
            var asset = AssetGenerator.asset(&generator, id: AssetID(rawValue: UInt128(index + 1)))
            asset.deviceID = index < ownCount ? StoreFixture.device : StoreFixture.otherDevice
            asset.title = "A boat in the harbour"
            asset.keywords = [keyword]
            asset.location = Location(latitude: 54, longitude: 10)
            asset.albums = []
            (asset.isHidden, asset.trashedAt, asset.burst) = (false, nil, nil)
            return asset
        }
    }

    /// How many assets each kind of list of each filter holds.
    private static func counts(
        of filters: [AssetFilter],
        in view: LibraryView,
        of metadata: SQLMetadataStore
    ) async throws -> [Int] {
        var counts: [Int] = []
        for filter in filters {
            for key in FetchOptions.SortKey.allCases {
                let options = FetchOptions(filter: filter, sortDescriptors: [.init(key: key, isAscending: false)])
                counts.append(try await metadata.page(AssetQuery(options: options), in: view).assets.count)
            }
            let options = FetchOptions(filter: filter)
            counts.append(try await metadata.count(options, in: view))
            counts.append(try await metadata.spans(options, by: .day, in: view).map(\.count).reduce(0, +))
            let places = try await metadata.places(PlaceQuery(options: options), in: view)
            counts.append(places.clusters.map(\.count).reduce(0, +))
            _ = try await metadata.kinds(options, in: view)
        }
        return counts
    }

    /// The lines of the engine's plan.
    private static func plan(of statement: RanStatement, _ database: any SQLSession) throws -> [String] {
        let arguments = SQLArguments(statement.arguments)
        guard database.dialect.keepsPlans else {
            return try database.rows("EXPLAIN QUERY PLAN " + statement.text, arguments).map { try $0["detail"] }
        }
        return try database.values(String.self, "EXPLAIN " + statement.text, arguments)
    }

    /// Whether a plan's line finds the assets with a word or keyword, instead of looking at one asset's.
    private static func readsMembers(_ line: String, _ engine: RowEngine) -> Bool {
        switch engine {
        case .sqlite:
            line.contains("asset_word VIRTUAL TABLE") || line.contains(" keyword ") && !line.contains("asset=?")
        case .postgreSQL: line.contains("@@") || line.contains("(text = ") && !line.contains("asset = ")
        }
    }

    @Test("filtered lists within limited views are the evaluator's, by whatever plan", arguments: [false, true])
    func filters(isNarrow: Bool) async throws {
        let seed = environmentNumber("TINTYPE_SEED") ?? UInt64.random(in: 0..<1 << 48)
        var generator = SeededGenerator(seed: seed)
        let library = try await GeneratedLibrary(&generator, count: 120, isNarrow: isNarrow)
        try await compare(200, in: library, isNarrow: isNarrow, &generator, seed)
    }

    @Test(
        "filtered lists within limited views in PostgreSQL are the evaluator's, by whatever plan",
        .enabled(if: TestServer.isInstalled, "PostgreSQL is not installed"),
        arguments: [false, true]
    )
    func filtersInPostgreSQL(isNarrow: Bool) async throws {
        let seed = environmentNumber("TINTYPE_SEED") ?? UInt64.random(in: 0..<1 << 48)
        try await TestServer.withSchemas { make in
            let rows = try await offTheSharedThreads {
                try PostgreSQLRowStore(make(), isNew: true, timeZone: GeneratedLibrary.timeZone)
            }
            var generator = SeededGenerator(seed: seed)
            let library = try await GeneratedLibrary(&generator, count: 120, isNarrow: isNarrow, in: rows)
            try await library.metadata.refreshPlans()
            try await compare(80, in: library, isNarrow: isNarrow, &generator, seed)
        }
    }

    /// Asks random views for what random filters let through, and holds it against the evaluators.
    private func compare(
        _ count: Int,
        in library: GeneratedLibrary,
        isNarrow: Bool,
        _ generator: inout SeededGenerator,
        _ seed: UInt64
    ) async throws {
        for _ in 0..<count {
            let selection = Selection(
                assets: Set(library.assets.filter { _ in generator.oneIn(10) }.map(\.id)),
                rules: (0..<generator.below(3)).map { _ in AssetGenerator.filter(&generator, depth: 2) },
                grantedAlbums: Set(AssetGenerator.albums.filter { _ in generator.oneIn(4) })
            )
            let device = generator.pick(AssetGenerator.devices)
            let view = generator.oneIn(4) ? LibraryView.own(device) : .selection(selection, device)
            var options = FetchOptions(filter: AssetGenerator.filter(&generator, depth: 3))
            options.includesHidden = generator.oneIn(2)
            options.includesAllBurstAssets = generator.oneIn(2)
            options.showsTrash = generator.oneIn(3)
            if generator.oneIn(2) {
                let key = generator.pick(FetchOptions.SortKey.allCases)
                options.sortDescriptors = [.init(key: key, isAscending: generator.oneIn(2))]
            }
            let seen = library.assets.compactMap(view.shown)
            let expected = options.fetch(from: seen)
            var found: [Asset] = []
            var query = AssetQuery(options: options, limit: isNarrow ? 2 + generator.below(5) : 500)
            repeat {
                let page = try await library.metadata.page(query, in: view)
                found += page.assets
                query.cursor = page.next
            } while query.cursor != nil
            #expect(found == expected, "\(options) \(view) (seed \(seed))")
            #expect(try await library.metadata.count(options, in: view) == expected.count, "seed \(seed)")
            let spans = try await library.metadata.spans(options, by: .hour, in: view)
            #expect(spans.map(\.count).reduce(0, +) == expected.count, "seed \(seed)")
            let kinds = try await library.metadata.kinds(options, in: view)
            for kind in AssetFilter.Kind.allCases {
                let isThere = expected.contains { AssetFilter.kind(kind).matches($0) }
                #expect(kinds.contains(kind) == isThere, "\(kind) (seed \(seed))")
            }
        }
    }
}

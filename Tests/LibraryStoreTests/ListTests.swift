import Authorization
import Foundation
import LibraryAPI
import Persistence
import PhotoModel
import PostgreSQLTestSupport
import TestSupport
import Testing

@testable import LibraryStore

/// Lists, filters and counts in SQL, held against the evaluators in memory.
struct ListTests {
    @Test("only the first forms of lists are kept prepared, however many are asked")
    func keptTexts() {
        let texts = KeptTexts(maximumCount: 2)
        #expect(["a", "b", "c", "a", "b", "c"].map(texts.keep) == [true, true, false, true, true, false])
    }

    @Test(
        "004.34: the filter tree in SQL means what the evaluator in memory means, by whatever plan",
        arguments: [false, true]
    )
    func filters(isNarrow: Bool) async throws {
        let seed = environmentNumber("TINTYPE_SEED") ?? UInt64.random(in: 0..<1 << 48)
        var generator = SeededGenerator(seed: seed)
        let library = try await GeneratedLibrary(&generator, count: 120, isNarrow: isNarrow)
        try await compareFilters(400, in: library, isNarrow: isNarrow, &generator, seed)
    }

    @Test(
        "the filter tree in PostgreSQL means what the evaluator in memory means, by whatever plan",
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
            // What autovacuum does at any time: joins by hashing, which keep no order, become worth their while.
            try await library.metadata.refreshPlans()
            try await compareFilters(150, in: library, isNarrow: isNarrow, &generator, seed)
        }
    }

    /// Asks for what random filters let through, a page after another, and holds it against the evaluator.
    private func compareFilters(
        _ count: Int,
        in library: GeneratedLibrary,
        isNarrow: Bool,
        _ generator: inout SeededGenerator,
        _ seed: UInt64
    ) async throws {
        for _ in 0..<count {
            let filter = AssetGenerator.filter(&generator, depth: 4)
            var options = FetchOptions(filter: filter, includesHidden: true, includesAllBurstAssets: true)
            options.includesHidden = generator.oneIn(2)
            options.includesAllBurstAssets = generator.oneIn(2)
            options.showsTrash = generator.oneIn(3)
            if generator.oneIn(3) {
                let key = generator.pick(FetchOptions.SortKey.allCases)
                options.sortDescriptors = [.init(key: key, isAscending: generator.oneIn(2))]
            }
            let found = try await all(library, options, pageSize: isNarrow ? 2 + generator.below(5) : 500)
            let expected = Set(library.assets.filter(options.includes))
            #expect(found == options.fetch(from: library.assets), "\(filter) (seed \(seed))")
            #expect(Set(found) == expected, "\(filter) (seed \(seed))")
            #expect(try await library.metadata.count(options, in: .everything) == expected.count)
        }
    }

    @Test("every order is the evaluator's, and pages of any size join to the whole without doubles or gaps")
    func ordersAndPages() async throws {
        let seed = environmentNumber("TINTYPE_SEED") ?? UInt64.random(in: 0..<1 << 48)
        var generator = SeededGenerator(seed: seed)
        let library = try await GeneratedLibrary(&generator, count: 60)
        for _ in 0..<40 {
            let keys = FetchOptions.SortKey.allCases.shuffled(using: &generator).prefix(generator.below(4))
            let options = FetchOptions(
                sortDescriptors: keys.map { .init(key: $0, isAscending: generator.oneIn(2)) },
                includesHidden: true,
                includesAllBurstAssets: true
            )
            let found = try await all(library, options, pageSize: 1 + generator.below(20))
            #expect(found == options.fetch(from: library.assets), "\(options.sortDescriptors) (seed \(seed))")
        }
    }

    private func all(_ library: GeneratedLibrary, _ options: FetchOptions, pageSize: Int) async throws -> [Asset] {
        var found: [Asset] = []
        var query = AssetQuery(options: options, limit: pageSize)
        while true {
            let page = try await library.metadata.page(query, in: .everything)
            let encoded = try await library.metadata.encodedPage(query, in: .everything)
            #expect(try JSONDecoder().decode(AssetPage.self, from: Data(encoded)) == page)
            found += page.assets
            guard let next = page.next else { return found }
            query.cursor = next
        }
    }

    @Test("what a view shows in SQL is what the selection says in memory")
    func views() async throws {
        let seed = environmentNumber("TINTYPE_SEED") ?? UInt64.random(in: 0..<1 << 48)
        var generator = SeededGenerator(seed: seed)
        let library = try await GeneratedLibrary(&generator, count: 80)
        for _ in 0..<100 {
            let selection = Selection(
                assets: Set(library.assets.filter { _ in generator.oneIn(10) }.map(\.id)),
                rules: (0..<generator.below(3)).map { _ in AssetGenerator.filter(&generator, depth: 3) },
                grantedAlbums: Set(AssetGenerator.albums.filter { _ in generator.oneIn(4) })
            )
            let device = generator.pick(AssetGenerator.devices)
            for view in [LibraryView.selection(selection, device), .own(device)] {
                let options = FetchOptions(includesHidden: true, includesAllBurstAssets: true)
                let query = AssetQuery(options: options, limit: 500)
                let found = Set(try await library.metadata.page(query, in: view).assets)
                let expected = library.assets.filter { $0.trashedAt == nil && view.contains($0) }.map { asset in
                    var asset = asset
                    asset.albums.formIntersection(view == .own(device) ? [] : selection.grantedAlbums)
                    return asset
                }
                #expect(found == Set(expected), "seed \(seed)")
            }
        }
    }

    @Test(
        "a map's clusters add up to the list, each tells where its assets are, and they are as few as its grid's cells"
    )
    func places() async throws {
        let seed = environmentNumber("TINTYPE_SEED") ?? UInt64.random(in: 0..<1 << 48)
        var generator = SeededGenerator(seed: seed)
        let library = try await GeneratedLibrary(&generator, count: 150)
        let device = generator.pick(AssetGenerator.devices)
        for _ in 0..<60 {
            let edges = [generator.below(181), generator.below(181)].sorted().map { Double($0) - 90 }
            let box = try #require(
                GeographicBox(
                    west: Double(generator.below(361)) - 180,
                    south: edges[0],
                    east: Double(generator.below(361)) - 180,
                    north: edges[1]
                )
            )
            let options = FetchOptions(
                filter: generator.oneIn(2) ? nil : AssetGenerator.filter(&generator, depth: 3),
                includesHidden: generator.oneIn(2),
                includesAllBurstAssets: generator.oneIn(2),
                showsTrash: generator.oneIn(4)
            )
            let query = PlaceQuery(options: options, box: box, columnCount: 1 + generator.below(32))
            let view = generator.oneIn(3) ? LibraryView.own(device) : .everything
            let expected = library.assets.filter { asset in
                var seen = asset
                if view != .everything { seen.albums = [] }
                return options.includes(seen) && asset.location.map(box.contains) ?? false && view.contains(asset)
            }
            let found = try await library.metadata.places(query, in: view)
            #expect(found.access == (view == .everything ? .full : .limited))
            #expect(found.clusters.map(\.count).reduce(0, +) == expected.count, "\(query) (seed \(seed))")
            #expect(found.clusters.count <= (query.columnCount + 2) * (query.columnCount + 2))
            for cluster in found.clusters {
                let members = expected.filter { $0.location.map(cluster.box.contains) ?? false }
                #expect(members.count == cluster.count && members.contains { $0.id == cluster.assetID }, "seed \(seed)")
                #expect(cluster.box.contains(cluster.center))
                #expect(
                    max(cluster.box.east - cluster.box.west, cluster.box.north - cluster.box.south) <= query.cellDegrees
                )
            }
        }
    }

    @Test(
        "a map's cells are as large as its columns leave room for, and no smaller than the smallest",
        arguments: [(360.0, 16, 22.5), (360.0, 15, 45.0), (10.0, 10, 1.40625), (0.0, 32, 360.0 / 1_048_576)]
    )
    func cells(width: Double, columns: Int, degrees: Double) throws {
        let box = try #require(GeographicBox(west: -width / 2, south: 0, east: width / 2, north: 0))
        #expect(PlaceQuery(box: box, columnCount: columns).cellDegrees == degrees)
    }

    @Test(
        "a timeline's spans add up to the list, each within its bounds, newest first",
        arguments: TimelineUnit.allCases
    )
    func timeline(_ unit: TimelineUnit) async throws {
        var generator = SeededGenerator(seed: 11)
        let library = try await GeneratedLibrary(&generator, count: 50)
        let options = FetchOptions(includesHidden: true, includesAllBurstAssets: true)
        let spans = try await library.metadata.spans(options, by: unit, in: .everything)
        let dates = options.fetch(from: library.assets).map(\.localCaptureDate)
        #expect(spans.map(\.count).reduce(0, +) == dates.count)
        for span in spans {
            #expect(dates.count { span.from <= $0 && $0 < span.until } == span.count)
        }
        #expect(zip(spans, spans.dropFirst()).allSatisfy { $1.until <= $0.from })
        let digits = unit == .month ? 7 : unit == .day ? 10 : 13
        #expect(
            spans.map { $0.from.description.prefix(digits) }
                == Set(dates.map { $0.description.prefix(digits) }).sorted().reversed()
        )
    }

    @Test("the kinds that a list holds are told, of what the caller sees and of nothing else")
    func kinds() async throws {
        let seed = environmentNumber("TINTYPE_SEED") ?? UInt64.random(in: 0..<1 << 48)
        var generator = SeededGenerator(seed: seed)
        let library = try await GeneratedLibrary(&generator, count: 12)
        let own = library.assets.compactMap(\.deviceID).first ?? DeviceID(rawValue: 1)
        let selection = Selection(rules: [.rating(atLeast: try #require(Rating(rawValue: 3)))])
        for view in [LibraryView.everything, .own(own), .selection(selection, own)] {
            for filter in [nil, AssetFilter.images, .not(.images)] {
                for (includesHidden, showsTrash) in [(false, false), (true, false), (false, true)] {
                    let options = FetchOptions(filter: filter, includesHidden: includesHidden, showsTrash: showsTrash)
                    let told = try await library.metadata.kinds(options, in: view)
                    for kind in AssetFilter.Kind.allCases {
                        var narrowed = options
                        narrowed.filter = .all([.kind(kind)] + (filter.map { [$0] } ?? []))
                        let count = try await library.metadata.count(narrowed, in: view)
                        #expect(told.contains(kind) == (count > 0), "\(kind) \(view) (seed \(seed))")
                    }
                }
            }
        }
    }

    @Test("days are counted however assets change: put elsewhere in time, trashed, hidden, shown, or gone")
    func counted() async throws {
        let seed = environmentNumber("TINTYPE_SEED") ?? UInt64.random(in: 0..<1 << 48)
        var generator = SeededGenerator(seed: seed)
        let library = try await GeneratedLibrary(&generator, count: 80)
        var assets = library.assets
        for _ in 0..<4 {
            for showsTrash in [false, true] {
                for unit in TimelineUnit.allCases {
                    let options = FetchOptions(
                        includesHidden: generator.oneIn(2),
                        includesAllBurstAssets: generator.oneIn(2),
                        showsTrash: showsTrash
                    )
                    let dates = options.fetch(from: assets).map(\.localCaptureDate)
                    let spans = try await library.metadata.spans(options, by: unit, in: .everything)
                    #expect(spans.map(\.count).reduce(0, +) == dates.count, "seed \(seed)")
                    for span in spans {
                        let expected = dates.count { span.from <= $0 && $0 < span.until }
                        #expect(span.count == expected && expected > 0, "\(span) (seed \(seed))")
                    }
                }
            }
            for index in assets.indices where generator.oneIn(2) {
                let other = AssetGenerator.asset(&generator)
                assets[index].captureDateOverride = other.captureDateOverride
                assets[index].trashedAt = other.trashedAt
                assets[index].isHidden = other.isHidden
                assets[index].burst = other.burst
                assets[index] = GeneratedLibrary.filed(assets[index])
            }
            let gone = assets.remove(at: generator.below(assets.count))
            try await library.metadata.insertForTests(assets)
            try await library.metadata.store.write([.library]) { try AssetTable.remove(gone.id, $0) }
        }
    }

    @Test("a cursor of another query, or none of ours, is refused")
    func cursors() async throws {
        var generator = SeededGenerator(seed: 12)
        let library = try await GeneratedLibrary(&generator, count: 10)
        let options = FetchOptions(includesHidden: true, includesAllBurstAssets: true)
        let cursor = try await library.metadata.page(AssetQuery(options: options, limit: 1), in: .everything).next
        let other = FetchOptions(filter: .images, includesHidden: true, includesAllBurstAssets: true)
        let text = try #require(cursor).text
        let cursors = [text, "", "x", text + ".1", String(text.dropLast()), text.replacing("-", with: "")]
        for (index, text) in cursors.enumerated() {
            let query = AssetQuery(options: index == 0 ? other : options, cursor: ListCursor(text: text))
            let code = await errorCode { _ = try await library.metadata.page(query, in: .everything) }
            #expect(code == .cursorInvalid, "\(text)")
        }
    }

    @Test("a fetch limit and an empty list end a list; a limited view says so")
    func ends() async throws {
        var generator = SeededGenerator(seed: 13)
        let library = try await GeneratedLibrary(&generator, count: 10)
        var options = FetchOptions(includesHidden: true, includesAllBurstAssets: true)
        options.fetchLimit = 0
        #expect(try await library.metadata.page(AssetQuery(options: options), in: .everything).assets == [])
        let view = LibraryView.selection(Selection(), DeviceID(rawValue: 77))
        let page = try await library.metadata.page(AssetQuery(), in: view)
        #expect(page.assets == [] && page.next == nil && page.access == .limited)
    }
}

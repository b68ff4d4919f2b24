import Foundation
import LibraryAPI
import PhotoModel
import PostgreSQLTestSupport
import TestSupport
import Testing

@testable import LibraryStore

/// Searches for words, held against the evaluators in memory.
struct WordSearchTests {
    @Test("a search that is told in the list's order gives pages that join, also after an asset was given another time")
    func searches() async throws {
        let seed = environmentNumber("TINTYPE_SEED") ?? UInt64.random(in: 0..<1 << 48)
        var generator = SeededGenerator(seed: seed)
        let library = try await GeneratedLibrary(&generator, count: 150, isNarrow: true)
        try await compareSearches(in: library, &generator, seed)
    }

    @Test(
        "a search in PostgreSQL, which is asked for a few rows at a time, gives pages that join",
        .enabled(if: TestServer.isInstalled, "PostgreSQL is not installed")
    )
    func searchesInPostgreSQL() async throws {
        let seed = environmentNumber("TINTYPE_SEED") ?? UInt64.random(in: 0..<1 << 48)
        try await TestServer.withSchemas { make in
            let rows = try await offTheSharedThreads {
                try PostgreSQLRowStore(make(), isNew: true, timeZone: GeneratedLibrary.timeZone)
            }
            var generator = SeededGenerator(seed: seed)
            let library = try await GeneratedLibrary(&generator, count: 60, isNarrow: true, in: rows)
            try await compareSearches(in: library, &generator, seed)
        }
    }

    /// Searches for each word in both orders, a page after another, before and after assets were given other times.
    private func compareSearches(
        in library: GeneratedLibrary,
        _ generator: inout SeededGenerator,
        _ seed: UInt64
    ) async throws {
        var assets = library.assets
        for isMoved in [false, true] {
            if isMoved {
                for index in assets.indices where generator.oneIn(2) {
                    assets[index].captureDateOverride = generator.pick(library.assets).captureDate
                    assets[index].title = generator.oneIn(2) ? nil : assets[index].title
                    assets[index] = GeneratedLibrary.filed(assets[index])
                }
                try await library.metadata.insertForTests(assets)
            }
            for word in AssetGenerator.words + ["a", "nowhere"] {
                for isAscending in [false, true] {
                    let options = FetchOptions(
                        filter: .all([.text(word), generator.oneIn(2) ? .all([]) : .kind(.favorites)]),
                        sortDescriptors: [.init(key: .captureDate, isAscending: isAscending)],
                        includesHidden: true,
                        includesAllBurstAssets: true
                    )
                    var found: [AssetID] = []
                    var query = AssetQuery(options: options, limit: 1 + generator.below(6))
                    repeat {
                        let page = try await library.metadata.page(query, in: .everything)
                        found += page.assets.map(\.id)
                        query.cursor = page.next
                    } while query.cursor != nil
                    #expect(found == options.fetch(from: assets).map(\.id), "\(word) (seed \(seed))")
                }
            }
        }
    }
}

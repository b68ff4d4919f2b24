import Foundation
import LibraryAPI
import LibraryStoreTestSupport
import Persistence
import PersistenceTestSupport
import PhotoModel
import TestSupport

@testable import LibraryStore

/// Assets that were generated, in a database of their own.
struct GeneratedLibrary {
    let directory: TemporaryDirectory
    let metadata: SQLMetadataStore
    let assets: [Asset]

    /// A library whose plan for a page, when it is narrow, takes every step though the library is small.
    init(
        _ generator: inout SeededGenerator,
        count: Int,
        isNarrow: Bool = false,
        in rows: (any RowStore)? = nil
    ) async throws {
        directory = try TemporaryDirectory()
        let fixture = try StoreFixture(seed: generator.next())
        let blocking = BlockingPool(width: 1)
        var store = try SQLMetadataStore(
            over: rows
                ?? SQLiteRowStore(
                    LibraryLayout(root: directory.path).database,
                    timeZone: Self.timeZone,
                    blocking: blocking
                ),
            library: LibraryID(rawValue: 1),
            isNew: true,
            timeZone: Self.timeZone,
            effects: fixture.effects,
            blocking: blocking
        )
        if isNarrow {
            store.widths = ListPlan.Widths(
                looks: [.init(width: 3, promise: 0), .init(width: 9, promise: 1)],
                searchedLooks: [.init(width: 2, promise: 0)],
                searches: [3, 8],
                firstSearch: 2,
                few: 4,
                many: 12
            )
        }
        metadata = store
        for (index, id) in AssetGenerator.albums.enumerated() {
            try await metadata.insertForTests(Album(id: id, title: "\(index)"))
        }
        let generated = (0..<count).map { _ in AssetGenerator.asset(&generator) }
        try await metadata.insertForTests(generated)
        assets = generated.map(Self.filed)
    }

    static let timeZone = TimeZone(identifier: "America/Los_Angeles") ?? .gmt

    /// An asset as the library tells it: with the offset that it assumes where there is none.
    static func filed(_ asset: Asset) -> Asset {
        var asset = asset
        let date = Date(timeIntervalSince1970: Double(asset.captureDate.microsecondsSince1970) / 1_000_000)
        let isKnown = asset.captureTime.utcOffsetSeconds != nil
        asset.assumedUTCOffsetSeconds = isKnown ? nil : timeZone.secondsFromGMT(for: date)
        return asset
    }
}

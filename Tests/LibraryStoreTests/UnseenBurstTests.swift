import Authorization
import LibraryAPI
import Persistence
import PhotoModel
import Testing

@testable import LibraryStore

/// Bursts that an earlier server left without a representative.
struct UnseenBurstTests {
    private let fixture: StoreFixture

    init() throws { fixture = try StoreFixture() }

    private func open(isNew: Bool) throws -> SQLMetadataStore {
        try PosixFileSystem().createDirectories(fixture.root)
        return try SQLMetadataStore(
            fixture.layout,
            library: LibraryID(rawValue: 1),
            isNew: isNew,
            effects: fixture.effects,
            blocking: BlockingPool(width: 1)
        )
    }

    @Test("a server that opens a library shows a picture of each burst of which lists showed none, once")
    func opening() async throws {
        let earlier = try open(isNew: true)
        let time = try #require(WallTime("2026-05-31T12:00:00Z"))
        let assets = (1...4 as ClosedRange<UInt128>).map { number -> Asset in
            var asset = Asset(
                id: AssetID(rawValue: number),
                mediaType: .image,
                captureTime: CaptureTime(wall: time, source: .fileMetadata, isSynchronized: true)
            )
            // Of one burst nothing is shown, of the other one picture.
            asset.burst = BurstMembership(id: BurstID(rawValue: (number + 1) / 2), representsBurst: number == 4)
            return asset
        }
        try await earlier.insertForTests(assets)
        let query = AssetQuery(options: FetchOptions())
        let before = try await earlier.page(query, in: .everything).assets
        #expect(before.map(\.id.rawValue) == [4])
        let start = try await earlier.identity().lastChange.rawValue
        // As a migration from an earlier version leaves it.
        try await earlier.store.write([.library]) { try $0.execute("UPDATE library SET shows_bursts = 0") }

        let store = try open(isNew: false)
        let after = try await store.page(query, in: .everything).assets
        #expect(Set(after.map(\.id.rawValue)) == [1, 4])
        #expect(try await store.identity().lastChange.rawValue == start + 1, "devices are told of one")
        var unseen = try #require(after.first { $0.id.rawValue == 1 })
        unseen.burst?.representsBurst = false
        try await store.insertForTests([unseen])
        let again = try open(isNew: false)
        let later = try await again.page(query, in: .everything).assets
        #expect(later.map(\.id.rawValue) == [4], "later starts read no burst")
    }
}

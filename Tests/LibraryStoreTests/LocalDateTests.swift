import Foundation
import LibraryAPI
import Persistence
import PhotoModel
import Testing

@testable import LibraryStore

/// Days are those of the place of a capture, or of the library where that is unknown.
struct LocalDateTests {
    private let fixture: StoreFixture

    init() throws {
        fixture = try StoreFixture()
    }

    private func open(_ zone: String, isNew: Bool = false) throws -> SQLMetadataStore {
        let timeZone = try #require(TimeZone(identifier: zone))
        try FileManager.default.createDirectory(atPath: fixture.root.text, withIntermediateDirectories: true)
        return try SQLMetadataStore(
            fixture.layout,
            library: LibraryID(rawValue: 1),
            isNew: isNew,
            timeZone: timeZone,
            effects: fixture.effects,
            blocking: BlockingPool(width: 1)
        )
    }

    private func asset(_ number: UInt128, _ wall: String, offset: Int?) throws -> Asset {
        let time = try CaptureTime(
            wall: #require(WallTime(wall)),
            utcOffsetSeconds: offset,
            source: .fileMetadata,
            isSynchronized: true
        )
        return Asset(id: AssetID(rawValue: number), mediaType: .image, captureTime: time)
    }

    private func days(_ store: SQLMetadataStore, _ unit: TimelineUnit = .day) async throws -> [String] {
        try await store.spans(FetchOptions(), by: unit, in: .everything).map { "\($0.from) \($0.count)" }
    }

    private func found(_ store: SQLMetadataStore, from: String?, until: String?) async throws -> [UInt128] {
        let range = AssetFilter.DateRange(
            from: from.flatMap { LocalTime($0) }.map(AssetFilter.DateBound.local),
            until: until.flatMap { LocalTime($0) }.map(AssetFilter.DateBound.local)
        )
        let options = FetchOptions(filter: .captured(range))
        let page = try await store.page(AssetQuery(options: options), in: .everything)
        #expect(try await store.count(options, in: .everything) == page.assets.count)
        return page.assets.map(\.id.rawValue)
    }

    @Test("D4: a photo of 31 May, 22:00 at UTC−7, stands under May, and is found by that day")
    func ownDay() async throws {
        let store = try open("UTC", isNew: true)
        try await store.insertForTests([
            asset(1, "2026-06-01T05:00:00Z", offset: -25_200), asset(2, "2026-05-31T12:00:00Z", offset: 0),
            // The first of June has begun in Auckland while it is the last of May in Greenwich.
            asset(3, "2026-05-31T13:00:00Z", offset: 43_200),
        ])
        #expect(try await days(store) == ["2026-06-01T00:00:00 1", "2026-05-31T00:00:00 2"])
        #expect(try await days(store, .month) == ["2026-06-01T00:00:00 1", "2026-05-01T00:00:00 2"])
        #expect(try await days(store, .hour).contains("2026-05-31T22:00:00 1"))
        #expect(try await found(store, from: "2026-05-31", until: "2026-06-01") == [1, 2])
        #expect(try await found(store, from: "2026-06-01", until: nil) == [3])
        // Newest first goes by the clocks of the places, so that each day stays together.
        #expect(try await found(store, from: nil, until: nil) == [3, 1, 2])
    }

    @Test("what has no offset of its own goes by the library's time zone, and moves with it; devices are told")
    func libraryZone() async throws {
        let first = try open("Europe/Berlin", isNew: true)
        let known = try asset(1, "2026-05-31T22:30:00Z", offset: 0)
        var unknown = try asset(2, "2026-05-31T22:30:00Z", offset: nil)
        unknown.title = "gate"
        try await first.insertForTests([known, unknown])
        #expect(try await days(first) == ["2026-06-01T00:00:00 1", "2026-05-31T00:00:00 1"])
        #expect(try await first.asset(unknown.id, in: .everything)?.assumedUTCOffsetSeconds == 7200)
        let before = try await first.identity().lastChange

        let second = try open("Europe/Berlin")
        #expect(try await second.identity().lastChange == before, "nothing changed")
        let third = try open("America/New_York")
        #expect(try await days(third) == ["2026-05-31T00:00:00 2"])
        #expect(try await third.asset(unknown.id, in: .everything)?.assumedUTCOffsetSeconds == -14_400)
        #expect(try await third.asset(known.id, in: .everything) == known)
        #expect(try await third.identity().lastChange.rawValue == before.rawValue + 1, "one asset is another one now")
        let search = FetchOptions(filter: .text("gate"))
        #expect(try await third.page(AssetQuery(options: search), in: .everything).assets.map(\.id) == [unknown.id])

        let winter = try asset(3, "2026-01-01T04:30:00Z", offset: nil)
        try await third.insertForTests([winter])
        #expect(try await days(third, .month).last == "2025-12-01T00:00:00 1", "the clock of winter counts in winter")
    }
}

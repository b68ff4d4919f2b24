import Foundation
import LibraryAPI
import LibraryClient
import PhotoModel
import Testing

/// Answers about changes that an honest library never gives.
struct FeedAttackTests {
    private static func page(_ count: Int, hasMore: Bool) throws -> TransportResponse {
        let encoder = JSONEncoder()
        let removed = try encoder.encode(ChangeLine.change(EntityChange(.removed, .asset(AssetID(rawValue: 1)))))
        let end = try encoder.encode(ChangeLine.end(.init(token: ChangeToken(text: "t"), hasMore: hasMore)))
        let lines = Array(repeating: removed, count: count) + [end]
        return TransportResponse(status: 200, body: lines.flatMap { Array($0) + [0x0A] })
    }

    private static func ranges(_ ends: (Int?, Int?)...) throws -> TransportResponse {
        func key(_ number: Int?) -> EntityKey? { number.map { EntityKey(.asset(AssetID(rawValue: UInt128($0)))) } }
        let hash = try #require(ContentDigest(bytes: [UInt8](repeating: 7, count: 32)))
        let ranges = ends.map { ChangeRange(from: key($0.0), until: key($0.1), count: 1000, hash: hash) }
        return TransportResponse(status: 200, body: Array(try JSONEncoder().encode(ChangeRangePage(ranges: ranges))))
    }

    @Test("T100: a page of the feed, or a part of the view, with more entities than were asked for is refused")
    func longPages() async throws {
        let most = 10 + APILimits.changePageTieCount
        let feed = LibraryClient(
            try ScriptedTransport(
                .success(Self.page(most, hasMore: true)),
                .success(Self.page(most + 1, hasMore: true)),
                .success(Self.page(APILimits.changePageCount + 1, hasMore: false))
            )
        )
        #expect(try await feed.changes(since: nil, limit: 10).changes.count == most, "these share one number")
        let long = await #expect(throws: LibraryClientError.self) { try await feed.changes(since: nil, limit: 10) }
        #expect(long?.code == .malformedAnswer)
        let part = await #expect(throws: LibraryClientError.self) { try await feed.entities(.init()) }
        #expect(part?.code == .malformedAnswer)
    }

    @Test("T99: a page with a change that describes an asset or album as another one is refused")
    func otherEntities() async throws {
        let time = CaptureTime(wall: WallTime(microsecondsSince1970: 0), source: .deviceClock, isSynchronized: true)
        let asset = Asset(id: AssetID(rawValue: 1), mediaType: .image, captureTime: time)
        func pages(_ entity: EntityReference) throws -> LibraryClient {
            let change = try JSONEncoder().encode(ChangeLine.change(EntityChange(.inserted, entity, asset: asset)))
            let end = try JSONEncoder().encode(ChangeLine.end(.init(token: ChangeToken(text: "t"), hasMore: false)))
            let body = Array(change) + [0x0A] + Array(end) + [0x0A]
            return LibraryClient(ScriptedTransport(.success(TransportResponse(status: 200, body: body))))
        }
        #expect(try await pages(.asset(asset.id)).changes(since: nil).changes.map(\.asset) == [asset])
        for entity in [
            EntityReference.asset(AssetID(rawValue: 2)), .album(AlbumID(rawValue: 1)),
            .membership(album: AlbumID(rawValue: 1), asset: asset.id),
        ] {
            let feed = try pages(entity)
            let error = await #expect(throws: LibraryClientError.self) { try await feed.changes(since: nil) }
            #expect(error?.code == .malformedAnswer)
        }
    }

    @Test("T100: a feed that says that there is more, and gives nothing, is not read again and again")
    func endlessFeed() async throws {
        let feed = LibraryClient(
            try ScriptedTransport(.success(Self.page(0, hasMore: false)), .success(Self.page(0, hasMore: true)))
        )
        #expect(try await feed.changes(since: nil).changes.isEmpty)
        let error = await #expect(throws: LibraryClientError.self) { try await feed.changes(since: nil) }
        #expect(error?.code == .malformedAnswer)
    }

    @Test("T100: ranges of the view that overlap, turn back, leave a part out or are too many are not compared")
    func ranges() async throws {
        let good = LibraryClient(try ScriptedTransport(.success(Self.ranges((nil, 5), (5, 9), (9, nil)))))
        #expect(try await good.changeRanges(.init(), count: 3).count == 3)
        let wrong = [
            try Self.ranges(), try Self.ranges((nil, 5)), try Self.ranges((5, nil)),
            try Self.ranges((nil, 5), (6, nil)), try Self.ranges((nil, 5), (4, nil)),
            try Self.ranges((nil, nil), (nil, nil)),
            try Self.ranges((nil, 5), (5, 3), (3, nil)), try Self.ranges((nil, 5), (5, 6), (6, 7), (7, nil)),
        ]
        for answer in wrong {
            let library = LibraryClient(ScriptedTransport(.success(answer)))
            let error = await #expect(throws: LibraryClientError.self) {
                try await library.changeRanges(.init(), count: 3)
            }
            #expect(error?.code == .malformedAnswer)
        }
    }
}

import AgentStore
import Foundation
import LibraryAPI
import PhotoModel
import TestSupport
import Testing

@testable import PhotoLibrary

struct FetchResultTests {
    private static func asset(_ number: UInt128, at seconds: Int64) -> Asset {
        let wall = WallTime(microsecondsSince1970: LibraryBench.now.microsecondsSince1970 + seconds * 1_000_000)
        let time = CaptureTime(wall: wall, source: .deviceClock, isSynchronized: true)
        return Asset(id: AssetID(rawValue: number), mediaType: .image, captureTime: time)
    }

    private static func bench(_ count: Int) throws -> LibraryBench {
        let bench = try LibraryBench()
        try bench.grant(addOnly: .authorized, readWrite: .authorized)
        for number in 1...count { try bench.show(asset(UInt128(number), at: Int64(number))) }
        return bench
    }

    private static func ids(_ numbers: UInt128...) -> [AssetID] { numbers.map(AssetID.init(rawValue:)) }

    /// Takes an asset out of the view, as a page of the feed does.
    private static func remove(_ number: UInt128, from bench: LibraryBench) throws {
        let change = EntityChange(.removed, .asset(AssetID(rawValue: number)))
        let end = ChangeLine.PageEnd(token: ChangeToken(text: "removed \(number)"), hasMore: false)
        try bench.store.apply(ChangeFeedPage(changes: [change], end: end))
    }

    @Test("004.81: a list counts without loading, gives assets by place, and stays as it was while the view changes")
    func snapshot() async throws {
        let bench = try Self.bench(5)
        let result = try await bench.library.fetchResult()
        #expect(result.count == 5 && result.identifiers == Self.ids(5, 4, 3, 2, 1) && !result.isEmpty)
        #expect(try await result.object(at: 1)?.id.rawValue == 4)
        #expect(result.index(of: AssetID(rawValue: 2)) == 3)
        try Self.remove(4, from: bench)
        try bench.show(Self.asset(6, at: 6))
        #expect(result.count == 5)
        #expect(try await result.object(at: 1) == nil, "it has left the view")
        #expect(try await result.objects(at: 0..<3).map { $0?.id.rawValue } == [5, nil, 3])
        var seen: [UInt128] = []
        for try await asset in result { seen.append(asset.id.rawValue) }
        #expect(seen == [5, 3, 2, 1])
        #expect(try await bench.library.fetchResult().identifiers == Self.ids(6, 5, 3, 2, 1))
        for index in [-1, 5] {
            let error = await #expect(throws: PhotoLibraryError.self) { try await result.object(at: index) }
            #expect(error?.code == .invalid)
        }
        let limited = try await bench.library.fetchResult(FetchOptions(fetchLimit: 2))
        #expect(limited.identifiers == Self.ids(6, 5))
    }

    @Test("An iteration goes past a page, also where a whole page has left the view")
    func pages() async throws {
        let count = 2 * AssetFetchResult.pageCount + 1
        let bench = try Self.bench(count)
        let result = try await bench.library.fetchResult(
            FetchOptions(sortDescriptors: [.init(key: .captureDate, isAscending: true)])
        )
        for number in 1...AssetFetchResult.pageCount { try Self.remove(UInt128(number), from: bench) }
        var seen: [UInt128] = []
        for try await asset in result { seen.append(asset.id.rawValue) }
        #expect(seen == (AssetFetchResult.pageCount + 1...count).map { UInt128($0) })
    }

    @Test("Another order than capture dates is the one that options give")
    func otherOrder() async throws {
        let bench = try Self.bench(4)
        try await bench.library.performChanges { changes in
            changes.editAsset(AssetID(rawValue: 2)) { $0.rating = Rating(rawValue: 5) }
            changes.editAsset(AssetID(rawValue: 3)) { $0.isHidden = true }
        }
        let options = FetchOptions(sortDescriptors: [
            .init(key: .rating, isAscending: false), .init(key: .captureDate, isAscending: true),
        ])
        let result = try await bench.library.fetchResult(options)
        #expect(result.identifiers == Self.ids(2, 1, 4))
        let assets = try await bench.library.fetchAssets(options)
        #expect(result.identifiers == assets.map(\.id))
    }

    @Test("004.95: a list's differences are what was removed, inserted, changed and moved since, by index")
    func details() async throws {
        let bench = try Self.bench(5)
        let library = bench.library
        let before = try await library.fetchResult()
        #expect(try await library.changeDetails(for: before) == nil)
        try Self.remove(4, from: bench)
        try bench.show(Self.asset(6, at: 6))
        try await library.performChanges { changes in
            changes.editAsset(AssetID(rawValue: 3)) { $0.caption = "Gate" }
            changes.editAsset(AssetID(rawValue: 1)) {
                $0.creationDate = LibraryBench.now.advanced(by: .seconds(100))
            }
        }
        let details = try #require(try await library.changeDetails(for: before))
        #expect(details.hasIncrementalChanges && details.hasMoves)
        // Before: 5 4 3 2 1. After: 1 6 5 3 2.
        let after = details.fetchResultAfterChanges
        #expect(after.identifiers == Self.ids(1, 6, 5, 3, 2))
        #expect(details.fetchResultBeforeChanges.identifiers == Self.ids(5, 4, 3, 2, 1))
        #expect(details.removedIndexes == [1] && details.insertedIndexes == [1])
        #expect(details.changedIndexes == [0, 3])
        #expect(details.moves == [.init(from: 4, to: 0)])
        #expect(try await library.changeDetails(for: after) == nil)
        try await library.performChanges { changes in
            changes.editAsset(AssetID(rawValue: 5)) { $0.caption = "Hall" }
        }
        let only = try #require(try await library.changeDetails(for: after))
        #expect(only.changedIndexes == [2] && only.removedIndexes.isEmpty && !only.hasMoves)
    }

    @Test("What a list does not hold changes nothing of it; more than is remembered is shown as a whole")
    func unrelated() async throws {
        let bench = try Self.bench(2)
        let favorites = try await bench.library.fetchResult(FetchOptions(filter: .kind(.favorites)))
        try bench.show(Self.asset(3, at: 3))
        #expect(try await bench.library.changeDetails(for: favorites) == nil)
        // A list of another time than this box remembers.
        let other = try await Self.bench(9).library.fetchResult()
        let details = try #require(try await bench.library.changeDetails(for: other))
        #expect(!details.hasIncrementalChanges && details.fetchResultAfterChanges.count == 3)
        #expect(details.removedIndexes.isEmpty && details.insertedIndexes.isEmpty && !details.hasMoves)
    }

    @Test("T99: an asset that the library described as another one, too, is twice in a list, and ends no program")
    func repeated() async throws {
        let bench = try Self.bench(1)
        let change = EntityChange(.inserted, .asset(AssetID(rawValue: 2)), asset: Self.asset(1, at: 1))
        let end = ChangeLine.PageEnd(token: ChangeToken(text: "twice"), hasMore: false)
        try bench.store.apply(ChangeFeedPage(changes: [change], end: end))
        let before = try await bench.library.fetchResult()
        #expect(before.identifiers == Self.ids(1, 1))
        try bench.show(Self.asset(3, at: 3))
        let details = try #require(try await bench.library.changeDetails(for: before))
        #expect(details.insertedIndexes == [0])
    }

    @Test("An album shows its assets in its own order: as put, by date, newest first; hidden ones not at all")
    func albums() async throws {
        let bench = try Self.bench(4)
        let library = bench.library
        let album = try await library.performChanges { $0.createAlbum(titled: "Winter") }
        try await library.performChanges { $0.addAssets(Self.ids(2, 3, 1, 4), to: album) }
        let put = try await library.fetchResult(inAlbum: album)
        #expect(put.identifiers == Self.ids(2, 3, 1, 4))
        try await library.performChanges { changes in
            changes.editAlbum(album) { $0.order = .newestFirst }
            changes.editAsset(AssetID(rawValue: 3)) { $0.isHidden = true }
        }
        #expect(try await library.fetchResult(inAlbum: album).identifiers == Self.ids(4, 2, 1))
        let details = try #require(try await library.changeDetails(for: put))
        #expect(details.removedIndexes == [1] && details.hasMoves)
        try await library.performChanges { changes in
            changes.editAlbum(album) { $0.order = .captureDate }
            changes.removeAssets(Self.ids(2), from: album)
        }
        #expect(try await library.fetchResult(inAlbum: album).identifiers == Self.ids(1, 4))
        try await library.performChanges { $0.deleteAlbum(album) }
        let gone = await #expect(throws: PhotoLibraryError.self) { try await library.fetchResult(inAlbum: album) }
        #expect(gone?.code == .notFound)
    }

    @Test("Applied as a batch update, a difference makes the new list of the old one, with as few moves as possible")
    func law() {
        checkProperty("differences of lists", cases: 500, maximumSize: 12) { random, size in
            let before = (0..<size).map { AssetID(rawValue: UInt128($0)) }
            var after = before.filter { _ in Int.random(in: 0..<4, using: &random) > 0 }
            for _ in 0..<Int.random(in: 0...3, using: &random) where after.count > 1 {
                let moved = after.remove(at: Int.random(in: after.indices, using: &random))
                after.insert(moved, at: Int.random(in: 0...after.count, using: &random))
            }
            for number in 0..<Int.random(in: 0...3, using: &random) {
                let new = AssetID(rawValue: 100 + UInt128(number))
                after.insert(new, at: Int.random(in: 0...after.count, using: &random))
            }
            let updated = Set(after.filter { _ in Bool.random(using: &random) })
            let difference = IndexDifference(from: before, to: after, updated: updated)
            let taken = Set(difference.removed + difference.moves.map(\.from))
            var list = before.indices.filter { !taken.contains($0) }.map { before[$0] }
            let put = difference.inserted.map { ($0, after[$0]) } + difference.moves.map { ($0.to, before[$0.from]) }
            for (index, asset) in put.sorted(by: { $0.0 < $1.0 }) { list.insert(asset, at: index) }
            guard list == after else { return "\(before) to \(after): \(difference)" }
            guard difference.moves.count <= 3 else { return "more moves than were made: \(difference.moves)" }
            guard Set(difference.changed.map { after[$0] }) == updated.intersection(before) else { return "changes" }
            return difference.isEmpty == (before == after && updated.isDisjoint(with: before)) ? nil : "emptiness"
        }
    }
}

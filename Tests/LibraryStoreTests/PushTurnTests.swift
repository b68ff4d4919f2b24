import Authorization
import LibraryAPI
import LibraryStoreTestSupport
import Persistence
import PhotoModel
import Replication
import TestSupport
import Testing

@testable import LibraryStore

/// What a turn of a push costs: each statement that it waits for is a round trip to a database server.
struct PushTurnTests {
    private static let caller = StoreCaller.device(StoreFixture.device)

    @Test(
        "a turn of a push reads the rows of all its changes together, and waits for none of its writes",
        arguments: RowEngine.installed
    )
    func waits(engine: RowEngine) async throws {
        let fixture = try StoreFixture(in: engine)
        let store = try await fixture.create()
        var assets: [AssetID] = []
        for _ in 0..<40 {
            let (manifest, bytes) = fixture.capture()
            try await fixture.save(manifest, bytes, to: store)
            assets.append(manifest.id)
        }
        let metadata = try #require(store.metadata as? SQLMetadataStore)
        let trips = RoundTrips()
        let counted = try await metadata.over(RoundTripRowStore(rows: metadata.store, trips: trips), fixture)
        let time = UInt64(fixture.clock.now.millisecondsSince1970)
        var replica = TestReplica(0xABC, device: StoreFixture.device, milliseconds: time)
        _ = try await counted.contact(replica.contact(), ticket: nil, by: Self.caller)
        let (changes, before) = (try Self.changes(of: assets, by: &replica), trips.all.count)
        #expect(changes.count <= WriterTurn.usual, "one turn")
        let answer = try await counted.push(replica.push(changes), by: Self.caller)
        #expect(answer.refused == [] && answer.acknowledged == UInt64(changes.count))
        let waits = try #require(trips.all.dropFirst(before).first)
        // Of the 81 entities, each was read four times.
        #expect(waits <= 30, "\(trips.all)")
        for (index, id) in assets.enumerated() {
            let asset = try #require(try await metadata.asset(id, in: .everything))
            #expect(asset.title == "title \(index)" && asset.isFavorite && asset.keywords.map(\.text) == ["gate"])
            #expect(asset.albums == [AlbumID(rawValue: 5)])
        }
    }

    @Test("whose each asset of a push is, and which do not exist, is told apart in the one read of all")
    func owners() async throws {
        let fixture = try StoreFixture()
        let store = try await fixture.create()
        var assets: [AssetID] = []
        for owner in [StoreFixture.device, StoreFixture.device, StoreFixture.otherDevice] {
            let (manifest, bytes) = fixture.capture()
            try await fixture.save(manifest, bytes, by: .device(owner), to: store)
            assets.append(manifest.id)
        }
        let time = UInt64(fixture.clock.now.millisecondsSince1970)
        var replica = TestReplica(0xABC, device: StoreFixture.device, milliseconds: time)
        _ = try await store.metadata.contact(replica.contact(), ticket: nil, by: Self.caller)
        let unknown = AssetID(rawValue: 9)
        for (named, isUse) in [([assets[0], assets[1], unknown], false), ([assets[0], assets[2]], true)] {
            var changes: [Change?] = []
            for asset in named {
                let id = EntityReference.asset(asset).id
                changes.append(
                    try replica.state.add(.text("red"), to: AssetField.keyword, of: id, by: &replica.author)
                )
            }
            let answer = try await store.metadata.push(replica.push(changes), by: Self.caller)
            #expect(answer.refused.map(\.problem.code) == (named.contains(unknown) ? [.notFound] : []))
            let device = try #require(try await store.metadata.device(StoreFixture.device))
            #expect((device.profile.lastRead != nil) == isUse)
        }
    }

    @Test(
        "a state too long to be read ahead is read in its turn, and changes beside it merge",
        arguments: RowEngine.installed
    )
    func longStates(engine: RowEngine) async throws {
        let fixture = try StoreFixture(in: engine)
        let store = try await fixture.create()
        var assets: [AssetID] = []
        for _ in 0..<2 {
            let (manifest, bytes) = fixture.capture()
            try await fixture.save(manifest, bytes, to: store)
            assets.append(manifest.id)
        }
        let time = UInt64(fixture.clock.now.millisecondsSince1970)
        var replica = TestReplica(0xABC, device: StoreFixture.device, milliseconds: time)
        _ = try await store.metadata.contact(replica.contact(), ticket: nil, by: Self.caller)
        let words = (0..<60).map { "\($0) \(String(repeating: "word", count: 20))" }
        for part in [words[..<30], words[30...], ["last"]] {
            var changes: [Change?] = []
            for asset in assets {
                let id = EntityReference.asset(asset).id
                for word in part {
                    changes.append(
                        try replica.state.add(.text(word), to: AssetField.keyword, of: id, by: &replica.author)
                    )
                }
            }
            let answer = try await store.metadata.push(replica.push(changes), by: Self.caller)
            #expect(answer.refused == [])
        }
        for asset in assets {
            let kept = try #require(try await store.metadata.asset(asset, in: .everything))
            #expect(Set(kept.keywords.map(\.text)) == Set(words + ["last"]))
        }
    }

    /// Three changes of each asset, and a place in an album for each.
    private static func changes(of assets: [AssetID], by replica: inout TestReplica) throws -> [Change?] {
        var changes: [Change?] = []
        let keys = try PositionKey.run(of: assets.count, between: nil, nil, by: replica.author.replica)
        for (index, asset) in assets.enumerated() {
            let id = EntityReference.asset(asset).id
            let title = FieldValue.text("title \(index)")
            changes.append(try replica.state.set(title, field: AssetField.title, of: id, by: &replica.author))
            changes.append(
                try replica.state.set(.bool(true), field: AssetField.favorite, of: id, by: &replica.author)
            )
            changes.append(try replica.state.add(.text("gate"), to: AssetField.keyword, of: id, by: &replica.author))
            changes += try replica.state.place(asset: asset.rawValue, in: 5, at: keys[index], by: &replica.author)
        }
        return changes
    }
}

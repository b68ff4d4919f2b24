import Authorization
import LibraryAPI
import LibraryStoreTestSupport
import PhotoModel
import Replication
import Synchronization
import Testing

@testable import LibraryStore

/// Albums with many photos that disappear, and come back, in many turns of the writer.
struct AlbumTurnTests {
    private static let members = 12

    /// What others do and find between the turns of a deletion.
    private final class Others: Sendable {
        private let world: TurnWorld
        private let counts = Mutex<[Int]>([])

        init(_ world: TurnWorld) { self.world = world }

        /// The number of rows of memberships after each turn.
        var rowCounts: [Int] { counts.withLock(\.self) }

        /// Looks for the album, and saves a photo.
        func act() async throws {
            let count = try await world.count("album_asset")
            counts.withLock { $0.append(count) }
            try await AlbumTurnTests.requireGone(from: world)
            let (manifest, bytes) = world.fixture.capture(sizes: [10])
            try await world.fixture.save(manifest, bytes, by: .device(StoreFixture.otherDevice), to: world.store)
        }
    }

    /// Looks for the album, and for what is only in it, by everything that reads it.
    private static func requireGone(from world: TurnWorld) async throws {
        let (metadata, album, member) = (world.metadata, world.album, world.assets[0])
        #expect(try await metadata.album(album) == nil)
        #expect(try await metadata.albums(in: .everything, limit: 9, cursor: nil).albums.isEmpty)
        #expect(try await metadata.asset(member, in: .everything)?.albums == [])
        #expect(try await metadata.asset(member, in: world.view) == nil)
        let query = AssetQuery(options: FetchOptions(), limit: 500)
        #expect(try await metadata.page(query, in: .everything).assets.allSatisfy { $0.albums.isEmpty })
        #expect(try await metadata.page(query, in: world.view).assets.count == 18)
        for filter in [AssetFilter.album(album), .all([.album(album), .not(.videos)])] {
            let options = FetchOptions(filter: filter)
            #expect(try await metadata.count(options, in: .everything) == 0)
            #expect(try await metadata.page(AssetQuery(options: options), in: .everything).assets == [])
        }
        let code = await errorCode {
            _ = try await metadata.page(ofAlbum: album, limit: 9, cursor: nil, in: .everything)
        }
        #expect(code == .notFound)
    }

    @Test(
        "T86: a large album is deleted in many turns of the writer, and to everybody it is gone after the first one",
        arguments: RowEngine.installed
    )
    func deletion(in engine: RowEngine) async throws {
        let world = try await TurnWorld(in: engine)
        var follower = FeedFollower(viewer: try await world.grant())
        try await follower.pull(from: world.metadata)
        #expect(try await follower.held == world.expected() && follower.held.count == 18 + 2 * Self.members + 1)
        let others = Others(world)
        let watched = try await world.metadata.watched(world.fixture) { try await others.act() }
        try await watched.deleteAlbum(world.album, by: TurnWorld.administrator)
        let counts = others.rowCounts
        let steps = zip(counts, counts.dropFirst()).map { $0 - $1 }
        #expect(counts.first == Self.members && counts.last == 0 && (steps.max() ?? 0) <= 4, "\(counts)")
        #expect(counts.count > 6, "three turns of new numbers and three of rows")
        #expect(try await world.count("unsettled_album") == 0)
        try await follower.pull(from: world.metadata)
        #expect(try await follower.held == world.expected() && follower.held.count == 18)
    }

    @Test(
        "T86: a deletion that was interrupted after any turn leaves nothing visible, and is completed by upkeep",
        arguments: RowEngine.installed
    )
    func interruptedDeletion(in engine: RowEngine) async throws {
        var world = try await TurnWorld(in: engine)
        var isInterrupted = true
        var turns = 0
        while isInterrupted {
            turns += 1
            if turns > 1 { try await world.renewAlbum() }
            var follower = FeedFollower(viewer: try await world.grant())
            try await follower.pull(from: world.metadata)
            let plan = CrashPlan(after: turns)
            let watched = try await world.metadata.watched(world.fixture) { try plan.count() }
            try? await watched.deleteAlbum(world.album, by: TurnWorld.administrator)
            isInterrupted = plan.hasCrashed
            try await Self.requireGone(from: world)
            if turns.isMultiple(of: 2) {
                // The device's own request does what its feed needs.
                try await follower.pull(from: world.metadata)
                #expect(try await follower.held == world.expected(), "after \(turns) turns")
            }
            let left = try await world.count("unsettled_album")
            #expect(try await world.metadata.resumeTurns() == left)
            #expect(try await world.count("unsettled_album") == 0)
            #expect(try await world.count("album_asset") == 0)
            try await follower.pull(from: world.metadata)
            #expect(try await follower.held == world.expected() && follower.held.count == 18)
        }
        #expect(turns > 6)
    }

    @Test(
        "T86: an album that comes back while it is being deleted has all its photos again, in their order",
        arguments: RowEngine.installed
    )
    func interruptedReturn(in engine: RowEngine) async throws {
        let world = try await TurnWorld(in: engine)
        let time = UInt64(world.fixture.clock.now.millisecondsSince1970)
        var replica = TestReplica(0xABC, device: StoreFixture.otherDevice, milliseconds: time)
        let other = StoreCaller.device(StoreFixture.otherDevice)
        _ = try await world.metadata.contact(replica.contact(), ticket: nil, by: other)
        var isInterrupted = true
        var turns = 0
        while isInterrupted {
            turns += 1
            var follower = FeedFollower(viewer: try await world.grant())
            try await follower.pull(from: world.metadata)
            let deleting = CrashPlan(after: turns % 7 + 1)
            let interrupted = try await world.metadata.watched(world.fixture) { try deleting.count() }
            try? await interrupted.deleteAlbum(world.album, by: TurnWorld.administrator)

            // Who had not heard of it confirms the album, as an addition does.
            let plan = CrashPlan(after: turns)
            let watched = try await world.metadata.watched(world.fixture) { try plan.count() }
            let changes = [try replica.state.confirmAlbum(world.album.rawValue, by: &replica.author)]
            let push = try replica.push(changes)
            _ = try? await watched.push(push, by: other)
            isInterrupted = plan.hasCrashed
            if turns.isMultiple(of: 2) {
                try await follower.pull(from: world.metadata)
                #expect(try await follower.held == world.expected(), "after \(turns) turns")
            }
            _ = try await world.metadata.resumeTurns()
            let page = try await world.metadata.page(ofAlbum: world.album, limit: 99, cursor: nil, in: .everything)
            #expect(page.assets.map(\.id) == Array(world.assets[..<Self.members]), "after \(turns) turns")
            #expect(try await world.count("unsettled_album") == 0)
            try await follower.pull(from: world.metadata)
            #expect(try await follower.held == world.expected() && follower.held.count == 18 + 2 * Self.members + 1)
        }
        #expect(turns > 4)
    }
}

import Authorization
import Foundation
import LibraryAPI
import PhotoModel
import TestSupport
import Testing

@testable import LibraryStore

/// Views of limited devices that are brought up to date together, held against those that are so one by one.
struct FollowedViewTests {
    @Test(
        "views that are followed together have the pages and rows of those that are followed one by one",
        arguments: RowEngine.installed
    )
    func equality(in engine: RowEngine) async throws {
        let seed = environmentNumber("TINTYPE_SEED") ?? UInt64.random(in: 0..<1 << 48)
        for round in UInt64(0)..<2 {
            var together = try await FollowedWorld(seed: seed &+ round, in: engine)
            var alone = try await FollowedWorld(seed: seed &+ round, in: engine)
            for step in 0..<30 {
                let place = "seed \(seed), round \(round), step \(step)"
                let (one, other) = (try await together.follow(atOnce: true), try await alone.follow(atOnce: false))
                #expect(one == other, "\(place)")
                let (rows, otherRows) = (try await together.members(), try await alone.members())
                #expect(rows == otherRows, "\(place)")
            }
        }
    }

    @Test("looks at many views leave one that must be built to its own look", arguments: RowEngine.installed)
    func unbuilt(in engine: RowEngine) async throws {
        let fixture = try StoreFixture(in: engine)
        let store = try await fixture.create()
        let metadata = try #require(store.metadata as? SQLMetadataStore)
        let owners = [StoreFixture.device, StoreFixture.otherDevice]
        let viewers = owners.map { ChangeViewer.limited($0, Selection(), grantVersion: 9) }
        let position = try await metadata.changes(after: nil, limit: 10, for: viewers[0]).position
        for owner in owners {
            let (manifest, bytes) = fixture.capture()
            try await fixture.save(manifest, bytes, by: .device(owner), to: store)
        }
        let looks = viewers.map { ChangeLook(after: position, limit: 10, for: $0) }
        let pages = try await metadata.sharedChanges(looks).map { try $0.get() }
        #expect(pages.map { $0?.changes.count } == [1, nil])
        let built = try await metadata.store.read { try $0.value(Int.self, "SELECT count(*) FROM view") }
        #expect(built == 1)
    }
}

/// A library in which something happens before all devices ask.
private struct FollowedWorld {
    /// A row of `view_member`.
    struct Member: Equatable {
        let device: Data
        let kind: Int
        let first: Data
        let second: Data
        let entered: Int64
        let gone: Int64?
    }

    private var world: LookedAtWorld
    private var positions: [ChangePosition?]

    init(seed: UInt64, in engine: RowEngine) async throws {
        world = try await LookedAtWorld(seed: seed, in: engine)
        positions = world.selections.map { _ in nil }
    }

    /// Lets something happen, and gives what all devices are told then.
    mutating func follow(atOnce: Bool) async throws -> [String] {
        for _ in 0..<3 { try await world.act() }
        // Settling it would change the library between two looks.
        try await world.setUntold(nil)
        let looks = world.looks(after: positions)
        var pages: [ChangePage] = []
        if atOnce {
            pages = try await world.metadata.changes(looks).map { try $0.get() }
        } else {
            for look in looks { pages.append(try await world.metadata.changes([look])[0].get()) }
        }
        positions = pages.map { $0.position }
        return pages.map { page in
            let changes = page.changes.map { "\($0.kind) \($0.entity)" }
            return "\(page.position.number) \(page.hasMore) \(changes)"
        }
    }

    func members() async throws -> [Member] {
        try await world.metadata.store.read { database in
            try database.rows(
                """
                SELECT device, kind, first, second, entered, gone FROM view_member
                ORDER BY device, kind, first, second, entered
                """
            ).map { row in
                Member(
                    device: try row["device"],
                    kind: try row["kind"],
                    first: try row["first"],
                    second: try row["second"],
                    entered: try row["entered"],
                    gone: try row["gone"]
                )
            }
        }
    }
}

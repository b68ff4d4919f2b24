import Authorization
import LibraryAPI
import Persistence
import PhotoModel
import Synchronization
import TestSupport
import Testing

@testable import LibraryStore

/// Looks at many limited views, between whose transactions the library changes.
struct RacedLookTests {
    @Test(
        "T54: what changes between a look at many views and their pages is told later, and nothing hidden meanwhile",
        arguments: RowEngine.installed
    )
    func races(in engine: RowEngine) async throws {
        let seed = environmentNumber("TINTYPE_SEED") ?? UInt64.random(in: 0..<1 << 48)
        for round in UInt64(0)..<4 {
            let world = try await LookedAtWorld(seed: seed &+ round, in: engine)
            let others = Others(world, seed: seed &+ round)
            let raced = try await world.raced(by: others)
            var followers = Followers(world)
            for step in 0..<40 {
                others.begin(4)
                try await others.act()
                try await followers.look(raced, "seed \(seed), round \(round), step \(step)")
            }
            others.begin(0)
            while try await followers.look(raced, "seed \(seed), round \(round), at the end") {}
            try await followers.compare("seed \(seed), round \(round)")
        }
    }

    @Test(
        "T54: of a photo that is hidden before the page that would show it, a device is not told that it was removed",
        arguments: RowEngine.installed
    )
    func hiddenBeforePage(in engine: RowEngine) async throws {
        let fixture = try StoreFixture(in: engine)
        let store = try await fixture.create()
        let metadata = try #require(store.metadata as? SQLMetadataStore)
        // The photo that is hidden after the next transaction; as text, see `AlbumCaller` in ViewAttackTests.
        let next = Mutex<String?>(nil)
        let raced = try await metadata.over(
            WatchedRowStore(rows: metadata.store) {
                let photo = next.withLock { photo in
                    defer { photo = nil }
                    return photo
                }
                guard let id = photo.flatMap({ AssetID($0) }) else { return }
                var edit = AssetEdit()
                edit.isHidden = true
                _ = try await metadata.edit(id, edit, in: .everything, by: .administrator("ana"))
            },
            fixture
        )
        var positions: [ChangePosition?] = [nil, nil]
        for saves in [false, true, false] {
            if saves {
                let (manifest, bytes) = fixture.capture()
                try await fixture.save(manifest, bytes, to: store)
                next.withLock { $0 = manifest.id.description }
            }
            let looks = zip([StoreFixture.device, StoreFixture.otherDevice], positions).map { owner, position in
                let viewer = ChangeViewer.limited(owner, Selection(), grantVersion: 9)
                return ChangeLook(after: position, limit: 10, for: viewer)
            }
            let pages = try await raced.changes(looks).map { try $0.get() }
            #expect(pages.map(\.changes) == [[], []])
            #expect(next.withLock(\.self) == nil, "it was hidden")
            positions = pages.map { $0.position }
        }
    }
}

/// Those who save assets while others look.
private final class Others: Sendable {
    private struct State {
        var generator: SeededGenerator
        var rest = 0
    }

    private let metadata: SQLMetadataStore
    private let assets: [AssetID]
    private let state: Mutex<State>

    init(_ world: LookedAtWorld, seed: UInt64) {
        metadata = world.metadata
        assets = world.assets
        state = Mutex(State(generator: SeededGenerator(seed: ~seed)))
    }

    /// Allows so many acts.
    func begin(_ count: Int) { state.withLock { $0.rest = count } }

    /// Saves an asset in any state, if an act is left.
    func act() async throws {
        let asset = state.withLock { state -> Asset? in
            guard state.rest > 0 else { return nil }
            state.rest -= 1
            let id = state.generator.pick(assets)
            return AssetGenerator.asset(&state.generator, id: id)
        }
        if let asset { try await LookedAtWorld.save(asset, in: metadata) }
    }
}

/// Rows between whose transactions others act.
private struct RacedRowStore: ForwardingRowStore {
    let rows: any RowStore
    let others: Others

    func read<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLSession) throws -> Value
    ) async throws -> Value {
        let value = try await rows.read(body)
        try await others.act()
        return value
    }

    func write<Value: Sendable>(
        _ locks: [RowLock],
        _ body: @escaping @Sendable (any SQLSession) throws -> Value
    ) async throws -> Value {
        let value = try await rows.write(locks, body)
        try await others.act()
        return value
    }
}

/// All devices of a world, which follow their feeds by looks at all of them, and hold what they were told.
private struct Followers {
    private let world: LookedAtWorld
    private var positions: [ChangePosition?]
    private var held: [Set<EntityReference>]

    init(_ world: LookedAtWorld) {
        self.world = world
        positions = world.selections.map { _ in nil }
        held = world.selections.map { _ in [] }
    }

    /// Looks once for all; returns whether anything was told.
    @discardableResult
    mutating func look(_ metadata: SQLMetadataStore, _ place: String) async throws -> Bool {
        var isTold = false
        for (index, result) in await metadata.changes(world.looks(after: positions)).enumerated() {
            let page = try result.get()
            for change in page.changes {
                if change.kind == .removed {
                    let wasHeld = held[index].remove(change.entity) != nil
                    #expect(wasHeld, "never shown: \(change.entity), device \(index + 1), \(place)")
                } else {
                    held[index].insert(change.entity)
                    if case .asset = change.entity { #expect(change.asset != nil, "device \(index + 1), \(place)") }
                }
            }
            positions[index] = page.position
            isTold = isTold || !page.changes.isEmpty || page.hasMore
        }
        return isTold
    }

    /// Compares with what is in the views.
    func compare(_ place: String) async throws {
        for (look, told) in zip(world.looks(after: positions), held) {
            let entities = try await world.metadata.entities(.init(), for: look.viewer).changes.map(\.entity)
            #expect(Set(entities) == told, "\(look.viewer), \(place)")
        }
    }
}

extension LookedAtWorld {
    /// The same library, in which others act between two transactions.
    fileprivate func raced(by others: Others) async throws -> SQLMetadataStore {
        try await metadata.over(RacedRowStore(rows: metadata.store, others: others), fixture)
    }
}

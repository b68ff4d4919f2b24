import Authorization
import LibraryAPI
import Persistence
import PhotoModel
import TestSupport
import Testing

@testable import LibraryStore

/// Looks at many limited views at once, held against looks at each view alone.
struct SharedLookTests {
    @Test(
        "looks at many views at once find what looks at each alone find, whatever changed",
        arguments: RowEngine.installed
    )
    func equality(in engine: RowEngine) async throws {
        let seed = environmentNumber("TINTYPE_SEED") ?? UInt64.random(in: 0..<1 << 48)
        var seen: Set<String> = []
        var sharedCount = 0
        for round in UInt64(0)..<4 {
            var world = try await LookedAtWorld(seed: seed &+ round, in: engine)
            for step in 0..<40 {
                try await world.act()
                let place = "seed \(seed), round \(round), step \(step)"
                for state in try await world.states() {
                    #expect(state.together == state.alone, "\(state.look), \(place)")
                    seen.insert(state.alone)
                }
                guard step % 5 == 4 else { continue }
                // Settling it would change the library between two looks.
                try await world.setUntold(nil)
                let looks = world.looks()
                var shared: [ChangePage?] = looks.map { _ in nil }
                if step % 10 == 4 { shared = try await world.metadata.sharedChanges(looks).map { try $0.get() } }
                let pages = await world.metadata.changes(looks)
                for (index, look) in looks.enumerated() {
                    let alone = try await world.metadata.changes([look])[0].get()
                    #expect(try pages[index].get() == alone, "\(look.viewer), \(place)")
                    guard let page = shared[index] else { continue }
                    #expect(page == alone, "\(look.viewer), shared, \(place)")
                    sharedCount += page.changes.count
                }
            }
        }
        #expect(sharedCount > 0)
        #expect(seen == ["behind", "current", "unchanged", "refused"])
    }

    @Test(
        "a photo of one limited device costs as many statements where a hundred others wait as where nine do",
        arguments: RowEngine.installed
    )
    func statements(in engine: RowEngine) async throws {
        let fixture = try StoreFixture(in: engine)
        let store = try await fixture.create()
        let metadata = try #require(store.metadata as? SQLMetadataStore)
        let count = StatementCount()
        let counted = try await metadata.over(CountedRowStore(rows: metadata.store, count: count), fixture)
        var positions = [ChangePosition?](repeating: nil, count: 101)
        var counts: [Int] = []
        for (width, saves) in [(101, false), (10, true), (101, false), (101, true)] {
            if saves {
                let (manifest, bytes) = fixture.capture()
                try await fixture.save(manifest, bytes, to: store)
            }
            let looks = (0..<width).map { index in
                let device = DeviceID(rawValue: StoreFixture.device.rawValue + UInt128(index))
                let viewer = ChangeViewer.limited(device, Selection(), grantVersion: 9)
                return ChangeLook(after: positions[index], limit: 10, for: viewer)
            }
            _ = count.take()
            let pages = try await counted.changes(looks).map { try $0.get() }
            counts.append(count.take())
            #expect(pages.map(\.changes.count) == (0..<width).map { saves && $0 == 0 ? 1 : 0 })
            for (index, page) in pages.enumerated() { positions[index] = page.position }
        }
        #expect(counts[1] == counts[3] && counts[3] <= 18, "\(counts)")
    }

    @Test(
        "a look at many views reads documents of what changed elsewhere only for rules",
        arguments: RowEngine.installed
    )
    func documents(in engine: RowEngine) async throws {
        let fixture = try StoreFixture(in: engine)
        let store = try await fixture.create()
        let metadata = try #require(store.metadata as? SQLMetadataStore)
        let count = StatementCount()
        let counted = try await metadata.over(CountedRowStore(rows: metadata.store, count: count), fixture)
        let keyword = try #require(Keyword("harbour"))
        let devices = [StoreFixture.otherDevice, DeviceID(rawValue: StoreFixture.otherDevice.rawValue + 1)]
        for rules: [AssetFilter] in [[], [.keyword(keyword)]] {
            let version: UInt64 = rules.isEmpty ? 9 : 10
            var looks: [ChangeLook] = []
            for device in devices {
                let viewer = ChangeViewer.limited(device, Selection(rules: rules), grantVersion: version)
                let position = try await metadata.changes(after: nil, limit: 10, for: viewer).position
                looks.append(ChangeLook(after: position, limit: 10, for: viewer))
            }
            let (manifest, bytes) = fixture.capture()
            try await fixture.save(manifest, bytes, by: .device(StoreFixture.device), to: store)
            count.record()
            let pages = try await counted.changes(looks).map { try $0.get() }
            let statements = count.takeRecorded()
            #expect(pages.allSatisfy { $0.changes.isEmpty } && !statements.isEmpty)
            let readsDocuments = statements.contains { $0.text.contains("document") }
            #expect(readsDocuments == !rules.isEmpty)
        }
    }

    @Test(
        "a second device whose photo is found by the same look costs the writer what it writes: two statements",
        arguments: RowEngine.installed
    )
    func statementsOfEach(in engine: RowEngine) async throws {
        let fixture = try StoreFixture(in: engine)
        let store = try await fixture.create()
        let metadata = try #require(store.metadata as? SQLMetadataStore)
        let count = StatementCount()
        let counted = try await metadata.over(CountedRowStore(rows: metadata.store, count: count), fixture)
        let owners = [StoreFixture.device, StoreFixture.otherDevice]
        var positions: [ChangePosition?] = [nil, nil]
        var counts: [Int] = []
        for savers in [0, 1, 2] {
            for owner in owners.prefix(savers) {
                let (manifest, bytes) = fixture.capture()
                try await fixture.save(manifest, bytes, by: .device(owner), to: store)
            }
            let looks = zip(owners, positions).map { owner, position in
                let viewer = ChangeViewer.limited(owner, Selection(), grantVersion: 9)
                return ChangeLook(after: position, limit: 10, for: viewer)
            }
            _ = count.take()
            let pages = try await counted.changes(looks).map { try $0.get() }
            counts.append(count.take())
            #expect(pages.map { $0.changes.count } == [savers > 0 ? 1 : 0, savers > 1 ? 1 : 0])
            positions = pages.map { $0.position }
        }
        #expect(counts[2] - counts[1] == 2, "\(counts)")
    }

    @Test(
        "devices that are hundreds of changes behind cost one statement more together than those that are not",
        arguments: RowEngine.installed
    )
    func farBehind(in engine: RowEngine) async throws {
        let fixture = try StoreFixture(in: engine)
        let store = try await fixture.create()
        let metadata = try #require(store.metadata as? SQLMetadataStore)
        let count = StatementCount()
        let counted = try await metadata.over(CountedRowStore(rows: metadata.store, count: count), fixture)
        let owners = [StoreFixture.device, StoreFixture.otherDevice]
        var counts: [Int] = []
        for elsewhere in [0, ViewTable.lookedThrough] {
            var looks: [ChangeLook] = []
            for owner in owners {
                let viewer = ChangeViewer.limited(owner, Selection(), grantVersion: 9)
                let position = try await metadata.changes(after: nil, limit: 10, for: viewer).position
                looks.append(ChangeLook(after: position, limit: 10, for: viewer))
            }
            try await metadata.store.write([.library]) { database in
                for number in 0..<elsewhere {
                    try EntityTable.touch(.asset(AssetID(rawValue: UInt128(number))), database)
                }
            }
            for owner in owners {
                let (manifest, bytes) = fixture.capture()
                try await fixture.save(manifest, bytes, by: .device(owner), to: store)
            }
            _ = count.take()
            let pages = try await counted.changes(looks).map { try $0.get() }
            counts.append(count.take())
            #expect(pages.map(\.changes.count) == [1, 1])
        }
        #expect(counts[1] - counts[0] == 1, "\(counts)")
    }
}

/// Limited devices with random selections, and assets that come, change and go.
struct LookedAtWorld {
    /// A view's state, and the views that were looked at together.
    struct State {
        let look: String
        let together: String
        let alone: String
    }

    let metadata: SQLMetadataStore
    let assets: [AssetID]
    let selections: [Selection]
    let fixture: StoreFixture
    private let store: LibraryStore
    private var generator: SeededGenerator
    /// Where each device asked first, and last.
    private var positions: [[ChangePosition]]

    init(seed: UInt64, in engine: RowEngine) async throws {
        var generator = SeededGenerator(seed: seed)
        fixture = try StoreFixture(seed: seed, in: engine)
        store = try await fixture.create()
        metadata = try #require(store.metadata as? SQLMetadataStore)
        for album in AssetGenerator.albums {
            try await metadata.insertForTests(Album(id: album, title: "Album"))
        }
        let assets = (0..<12).map { _ in AssetID(rawValue: UInt128(generator.next())) }
        selections = (0..<9).map { _ in
            Selection(
                assets: Set(assets.filter { _ in generator.oneIn(5) }),
                rules: (0..<max(0, generator.below(4) - 1)).map { _ in AssetGenerator.filter(&generator, depth: 3) },
                grantedAlbums: Set(AssetGenerator.albums.filter { _ in generator.oneIn(4) })
            )
        }
        self.assets = assets
        self.generator = generator
        positions = selections.map { _ in [] }
        // One has never asked.
        for index in selections.indices.dropLast() { try await follow(index) }
    }

    /// Does something that may concern some of the devices.
    mutating func act() async throws {
        switch generator.below(12) {
        case 0:
            let album = generator.pick(AssetGenerator.albums)
            try await touch([.album(album)])
        case 1:
            let asset = generator.pick(assets)
            try await purge(asset)
        case 2:
            // About as many as a reader looks through.
            let count = ViewTable.lookedThrough - 2 + generator.below(4)
            var entities: [EntityReference] = []
            for _ in 0..<count { entities.append(.asset(AssetID(rawValue: UInt128(generator.next())))) }
            try await touch(entities)
        case 3:
            let album = generator.pick(AssetGenerator.albums)
            try await setUntold(album)
        case 4...6:
            let index = generator.below(selections.count - 1)
            try await follow(index)
        default: try await save()
        }
    }

    /// Looks of the current grants, from each position that was kept.
    func looks() -> [ChangeLook] {
        selections.indices.flatMap { index in
            [looked(at: index)] + positions[index].map { looked(at: index, after: $0) }
        }
    }

    /// A look at each view, after these positions.
    func looks(after positions: [ChangePosition?]) -> [ChangeLook] {
        selections.indices.map { looked(at: $0, after: positions[$0]) }
    }

    /// The state of each view by a look at all of them, and by one at it alone; also of earlier and later grants.
    func states() async throws -> [State] {
        let others = selections.indices.flatMap { index in
            [looked(at: index, version: 4), looked(at: index, version: 6)]
        }
        let views = (looks() + others).compactMap { LimitedLook($0) }
        return try await metadata.store.read { database in
            let last = try SQLMetadataStore.identity(database).lastChange
            let shared = try SharedLook(views, lookingThrough: ViewTable.lookedThrough, database)
            return views.map { look in
                let (start, version) = (look.position?.number ?? .zero, look.grantVersion)
                let together = try? shared.state(of: look, since: start)
                let alone = try? look.rows(database).state(at: last, since: start, grantVersion: version)
                return State(
                    look: "\(look.device), \(look.selection), version \(version), after \(start)",
                    together: together.map { "\($0)" } ?? "refused",
                    alone: alone.map { "\($0)" } ?? "refused"
                )
            }
        }
    }

    private func looked(at index: Int, after position: ChangePosition? = nil, version: UInt64 = 5) -> ChangeLook {
        let device = DeviceID(rawValue: UInt128(index + 1))
        return ChangeLook(
            after: position,
            limit: 3,
            for: .limited(device, selections[index], grantVersion: version)
        )
    }

    /// A device reads its feed to the end.
    private mutating func follow(_ index: Int) async throws {
        while true {
            let look = looked(at: index, after: positions[index].last)
            let page = try await metadata.changes([look])[0].get()
            positions[index] = Array(positions[index].prefix(1)) + [page.position]
            if !page.hasMore { return }
        }
    }

    /// Saves an asset in any state, over an earlier one.
    private mutating func save() async throws {
        let id = generator.pick(assets)
        let asset = AssetGenerator.asset(&generator, id: id)
        try await Self.save(asset, in: metadata)
    }

    /// Saves an asset over an earlier one, with its memberships.
    static func save(_ asset: Asset, in metadata: SQLMetadataStore) async throws {
        try await metadata.store.write([.library]) { try AssetTable.remove(asset.id, $0) }
        try await metadata.insertForTests([asset])
        try await metadata.store.write([.library]) { database in
            for album in AssetGenerator.albums {
                let membership = EntityReference.membership(album: album, asset: asset.id)
                if asset.albums.contains(album) {
                    try EntityTable.touch(membership, database)
                } else {
                    try Self.remove(membership, database)
                }
            }
            try EntityTable.touch(.asset(asset.id), database)
        }
    }

    private func purge(_ id: AssetID) async throws {
        try await metadata.store.write([.library]) { database in
            try AssetTable.remove(id, database)
            try Self.remove(.asset(id), database)
        }
    }

    private static func remove(_ entity: EntityReference, _ database: any SQLSession) throws {
        let number = try EntityTable.nextNumber(database).rawValue
        try database.execute(
            """
            UPDATE entity SET removed = ?, changed = ?
            WHERE kind = ? AND first = ? AND second = ? AND removed IS NULL
            """,
            [number, number, entity.kind, entity.first, entity.second]
        )
    }

    private func touch(_ entities: [EntityReference]) async throws {
        try await metadata.store.write([.library]) { database in
            for entity in entities { try EntityTable.touch(entity, database) }
        }
    }

    /// Makes an album the only one whose memberships do not follow it yet.
    func setUntold(_ album: AlbumID?) async throws {
        try await metadata.store.write([.library]) { database in
            try database.execute("DELETE FROM unsettled_album")
            guard let album else { return }
            let last = try EntityTable.lastNumber(database).rawValue
            try database.execute(
                "INSERT INTO unsettled_album (album, since, settled) VALUES (?, ?, ?)",
                [album.blob, last, album.blob]
            )
        }
    }
}

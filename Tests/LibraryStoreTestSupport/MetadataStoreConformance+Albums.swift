import Authorization
import LibraryAPI
import LibraryStore
import PhotoModel
import Replication
import Testing

extension MetadataStoreConformance {
    static let albums = [
        Promise(name: "photos of an album are moved behind another one or to its front, and its pages keep the order") {
            suite in
            let scene = try await AlbumScene(suite, count: 5)
            let ids = scene.assets
            #expect(try await scene.order() == ids)
            try await scene.move([ids[0]], behind: ids[3])
            #expect(try await scene.order(limit: 2) == [ids[1], ids[2], ids[3], ids[0], ids[4]])
            try await scene.move([ids[4], ids[2]], behind: nil)
            #expect(try await scene.order(limit: 1) == [ids[4], ids[2], ids[1], ids[3], ids[0]])
        },
        Promise(name: "who is not in an album is neither moved nor a place in it, and a cursor that left it is refused")
        {
            suite in
            let scene = try await AlbumScene(suite, count: 3)
            let ids = scene.assets
            let stranger = AssetID(rawValue: 5)
            func move(_ assets: [AssetID], behind place: AssetID?) async -> ErrorCode? {
                await refusal { try await scene.move(assets, behind: place) }
            }
            #expect(await move([stranger], behind: nil) == .notFound)
            #expect(await move([ids[0]], behind: stranger) == .notFound)
            #expect(await move([ids[0]], behind: ids[0]) == .notFound)
            #expect(await move([ids[1], ids[1]], behind: nil) == .notFound)
            let cursor = ListCursor(text: stranger.description)
            let code = await refusal {
                _ = try await scene.store.page(ofAlbum: scene.album, limit: 2, cursor: cursor, in: .everything)
            }
            #expect(code == .cursorInvalid)
            #expect(try await scene.order() == ids)
        },
        Promise(name: "a wish for an album is granted, or kept with its reason until a decision allows it") { suite in
            let (world, store) = try await suite.store()
            func save(
                _ album: DesiredAlbum,
                by caller: StoreCaller
            ) async throws -> (asset: AssetID, outcome: AlbumOutcome?) {
                var manifest = world.manifest()
                manifest.desiredAlbum = album
                return (manifest.id, try await world.save(manifest, by: caller, to: store).album)
            }
            guard case .created(let album)? = try await save(.title("Gate"), by: suite.caller).outcome else {
                Issue.record("the album was not made")
                return
            }
            #expect(try await save(.id(album), by: suite.caller).outcome == .applied(album))
            #expect(try await save(.id(AlbumID(rawValue: 5)), by: suite.caller).outcome == .deferred(.notFound))

            let device = DeviceID(rawValue: 0xD3)
            try await world.addDevice(device, to: store)
            try await world.decide(device, .answer(.addOnly, for: Set(AccessLevel.allCases)), in: store)
            let (asset, outcome) = try await save(.title("Gate"), by: .device(device))
            #expect(outcome == .deferred(.denied))
            #expect(try await store.applyDeferredAlbums(of: device) == 0)
            try await world.decide(device, .answer(.all, for: Set(AccessLevel.allCases)), in: store)
            #expect(try await store.applyDeferredAlbums(of: device) == 1)
            #expect(try await store.receipt(for: asset, of: .device(device))?.album == .applied(album))
            let page = try await store.albums(in: .everything, limit: 10, cursor: nil)
            #expect(page.albums.map(\.assetCount) == [3])
        },
        Promise(name: "a deleted album takes along what a limited device saw by it, and brings it back if it returns") {
            suite in
            let scene = try await AlbumScene(suite, count: 3)
            var feed = try await LimitedFeed(scene)
            try await feed.pull()
            #expect(feed.held == scene.entities)
            try await scene.store.deleteAlbum(scene.album, by: .administrator("ana"))
            #expect(try await scene.store.asset(scene.assets[0], in: feed.view) == nil)
            #expect(try await scene.store.asset(scene.assets[0], in: .everything)?.albums == [])
            try await feed.pull()
            #expect(feed.held == [])

            // Who had not heard of it confirms it, as an addition does.
            var replica = scene.world.replica(0xABC, of: ConformanceWorld.otherDevice)
            _ = try await scene.store.contact(replica.contact(), ticket: nil, by: suite.other)
            let change = try replica.state.confirmAlbum(scene.album.rawValue, by: &replica.author)
            let push = try replica.push([change])
            #expect(try await scene.store.push(push, by: suite.other).refused == [])
            #expect(try await scene.order() == scene.assets)
            try await feed.pull()
            #expect(feed.held == scene.entities)
            #expect(try await scene.store.resumeTurns() == 0, "requests complete what they began")
        },
    ]
}

/// What a device holds that was granted only the album of a scene.
private struct LimitedFeed {
    let store: any MetadataStore
    let viewer: ChangeViewer
    let view: LibraryView
    private var position: ChangePosition?
    private(set) var held: Set<EntityReference> = []

    init(_ scene: AlbumScene) async throws {
        let device = DeviceID(rawValue: 0xD4)
        let selection = Selection(grantedAlbums: [scene.album])
        store = scene.store
        try await scene.world.addDevice(device, to: store)
        try await scene.world.decide(device, .answer(.selected, for: Set(AccessLevel.allCases)), in: store)
        try await scene.world.decide(device, .selection(selection), in: store)
        let version = try #require(try await store.device(device)).record.grantVersion
        viewer = .limited(device, selection, grantVersion: version)
        view = .selection(selection, device)
    }

    mutating func pull() async throws {
        while true {
            let page = try await store.changes(after: position, limit: 2, for: viewer)
            for change in page.changes {
                if change.kind == .removed { held.remove(change.entity) } else { held.insert(change.entity) }
            }
            position = page.position
            if !page.hasMore { return }
        }
    }
}

/// An album with photos, in the order in which they came.
private struct AlbumScene {
    let world: ConformanceWorld
    let store: any MetadataStore
    let album: AlbumID
    let assets: [AssetID]

    init(_ suite: MetadataStoreConformance, count: Int) async throws {
        let (world, store) = try await suite.store()
        let album = try await store.createAlbum(AlbumEdit(title: "Hills"), by: suite.caller)
        var assets: [AssetID] = []
        for _ in 0..<count { assets.append(try await world.save(to: store).receipt.receipt.assetID) }
        try await store.add(assets, to: album.id, in: .everything, by: suite.caller)
        self.world = world
        self.store = store
        self.album = album.id
        self.assets = assets
    }

    /// The album, its photos, and their memberships.
    var entities: Set<EntityReference> {
        var entities: Set<EntityReference> = [.album(album)]
        for asset in assets {
            entities.insert(.asset(asset))
            entities.insert(.membership(album: album, asset: asset))
        }
        return entities
    }

    /// The album's photos, by pages.
    func order(limit: Int = 100) async throws -> [AssetID] {
        var list: [AssetID] = []
        var cursor: ListCursor?
        repeat {
            let page = try await store.page(ofAlbum: album, limit: limit, cursor: cursor, in: .everything)
            list += page.assets.map(\.id)
            cursor = page.next
        } while cursor != nil
        return list
    }

    func move(_ assets: [AssetID], behind place: AssetID?) async throws {
        try await store.move(inAlbum: album, behind: place, assets, in: .everything, by: .administrator("ana"))
    }
}

import Authorization
import LibraryAPI
import LibraryStoreTestSupport
import PhotoModel
import Testing

@testable import LibraryStore

/// A library with an album of which a limited device sees everything, beside listed assets and its own.
struct TurnWorld: Sendable {
    static let administrator = StoreCaller.administrator("ana")

    let fixture: StoreFixture
    let store: LibraryStore
    let metadata: SQLMetadataStore
    /// Those of the album, in its order, those that are listed, hidden ones, and the device's own.
    let assets: [AssetID]
    private(set) var album: AlbumID
    private(set) var selection: Selection

    init(in engine: RowEngine) async throws {
        fixture = try StoreFixture(in: engine)
        store = try await fixture.create()
        metadata = try #require(store.metadata as? SQLMetadataStore)
        var assets: [AssetID] = []
        for index in 0..<40 {
            let (manifest, bytes) = fixture.capture(sizes: [10])
            let owner = index < 30 ? StoreFixture.otherDevice : StoreFixture.device
            try await fixture.save(manifest, bytes, by: .device(owner), to: store)
            assets.append(manifest.id)
        }
        self.assets = assets
        album = AlbumID(rawValue: 0)
        selection = Selection()
        try await renewAlbum()
    }

    /// Makes another album with the same photos, and selects it instead.
    mutating func renewAlbum() async throws {
        album = try await metadata.createAlbum(AlbumEdit(title: "Granted"), by: Self.administrator).id
        try await metadata.add(Array(assets[..<12]), to: album, in: .everything, by: Self.administrator)
        selection = Selection(assets: Set(assets[12..<20]), grantedAlbums: [album])
    }

    var view: LibraryView { .selection(selection, StoreFixture.device) }

    func viewer(_ version: Int) -> ChangeViewer {
        .limited(StoreFixture.device, selection, grantVersion: UInt64(version))
    }

    /// Grants the device its selection; returns the viewer.
    func grant() async throws -> ChangeViewer {
        var version: UInt64 = 0
        // Taken back first, so that it is granted anew each time.
        for selection in [Selection(), selection] {
            version = try await metadata.decide(
                StoreFixture.device,
                .selection(selection),
                by: .administrator("ana"),
                reason: "test",
                audit: AuditContext()
            ).grantVersion
        }
        return .limited(StoreFixture.device, selection, grantVersion: version)
    }

    /// What is in the view by the lists.
    func expected() async throws -> Set<EntityReference> {
        let query = AssetQuery(options: FetchOptions(includesAllBurstAssets: true), limit: 500)
        var entities: Set<EntityReference> = []
        for asset in try await metadata.page(query, in: view).assets {
            entities.insert(.asset(asset.id))
            for album in asset.albums { entities.insert(.membership(album: album, asset: asset.id)) }
        }
        if try await metadata.album(album) != nil { entities.insert(.album(album)) }
        return entities
    }

    /// What is in the view by its feed, enumerated from the beginning until nothing is new.
    func held(_ version: Int, by metadata: SQLMetadataStore) async throws -> Set<EntityReference> {
        var follower = FeedFollower(viewer: viewer(version))
        try await follower.pull(from: metadata)
        return follower.held
    }

    /// The number of a table's rows.
    func count(_ table: String) async throws -> Int {
        try await metadata.store.read { try $0.value(Int.self, "SELECT count(*) FROM \(table)") ?? 0 }
    }
}

/// Who follows the feed of a view, and holds what it was told.
struct FeedFollower {
    let viewer: ChangeViewer
    private var position: ChangePosition?
    private(set) var held: Set<EntityReference> = []

    init(viewer: ChangeViewer) { self.viewer = viewer }

    /// Pulls until nothing is new, and compares with the ranges.
    mutating func pull(from metadata: SQLMetadataStore) async throws {
        while true {
            let page = try await metadata.changes(after: position, limit: 7, for: viewer)
            for change in page.changes {
                if change.kind == .removed { held.remove(change.entity) } else { held.insert(change.entity) }
            }
            position = page.position
            if !page.hasMore, page.changes.isEmpty { break }
        }
        let ranges = try await metadata.entities(.init(), for: viewer).changes.map(\.entity)
        #expect(Set(ranges) == held && ranges.count == held.count)
    }
}

import Authorization
import GRDB
import LibraryAPI
import LibraryStoreTestSupport
import Persistence
import PhotoModel
import Replication
import Synchronization
import TestSupport
import Testing

@testable import LibraryStore

/// What a limited device can tell of what it may not see.
struct ViewAttackTests {
    private let administrator = StoreCaller.administrator("ana")
    private let other = StoreCaller.device(StoreFixture.otherDevice)
    private let limited = StoreCaller.device(StoreFixture.device)

    private struct World {
        let fixture: StoreFixture
        let store: LibraryStore
        let metadata: SQLMetadataStore
        /// Saved by another device, and not granted.
        let hidden: AssetID
        /// Saved by the device itself.
        let own: AssetID
    }

    private func world() async throws -> World {
        let fixture = try StoreFixture()
        let store = try await fixture.create()
        let (hidden, hiddenBytes) = fixture.capture()
        try await fixture.save(hidden, hiddenBytes, by: other, to: store)
        let (own, ownBytes) = fixture.capture()
        try await fixture.save(own, ownBytes, to: store)
        try await fixture.decide(StoreFixture.device, .selected, in: store)
        let metadata = try #require(store.metadata as? SQLMetadataStore)
        return World(fixture: fixture, store: store, metadata: metadata, hidden: hidden.id, own: own.id)
    }

    private func viewer(_ selection: Selection = Selection()) -> ChangeViewer {
        .limited(StoreFixture.device, selection, grantVersion: 9)
    }

    @Test("T54: of an asset's albums a limited device is told those that it was granted, by whatever it reads")
    func albums() async throws {
        let world = try await world()
        let metadata = world.metadata
        var edit = AlbumEdit()
        var albums: [AlbumID] = []
        for title in ["Granted", "Another"] {
            edit.title = title
            let album = try await metadata.createAlbum(edit, by: administrator).id
            try await metadata.add([world.own], to: album, in: .everything, by: administrator)
            albums.append(album)
        }
        let selection = Selection(grantedAlbums: [albums[0]])
        let view = LibraryView.selection(selection, StoreFixture.device)
        let granted: Set<AlbumID> = [albums[0]]
        #expect(try await metadata.asset(world.own, in: .everything)?.albums == Set(albums))
        #expect(try await metadata.asset(world.own, in: view)?.albums == granted)
        #expect(try await metadata.asset(world.own, in: .own(StoreFixture.device))?.albums == [])
        let query = AssetQuery(options: FetchOptions())
        #expect(try await metadata.page(query, in: view).assets.map(\.albums) == [granted])
        let text = String(decoding: try await metadata.encodedPage(query, in: view), as: UTF8.self)
        #expect(text.contains(albums[0].description) && !text.contains(albums[1].description))
        let members = try await metadata.page(ofAlbum: albums[0], limit: 10, cursor: nil, in: view)
        #expect(members.assets.map(\.albums) == [granted])
        let changes = try await metadata.changes(after: nil, limit: 10, for: viewer(selection)).changes
        #expect(changes.compactMap(\.asset).map(\.albums) == [granted])
        let ranges = try await metadata.entities(.init(), for: viewer(selection)).changes
        #expect(ranges.compactMap(\.asset).map(\.albums) == [granted])
        var title = AssetEdit()
        title.title = "Mine"
        #expect(try await metadata.edit(world.own, title, in: view, by: limited).albums == granted)
        for (album, count) in [(albums[0], 1), (albums[1], 0), (AlbumID(rawValue: 404), 0)] {
            let options = FetchOptions(filter: .all([.album(album), .not(.album(albums[1]))]))
            #expect(try await metadata.count(options, in: view) == count)
            #expect(try await metadata.page(AssetQuery(options: options), in: view).assets.count == count)
        }
    }

    @Test(
        "T172: a device that may not read is told of backups by its own photos, and keeps no photo longer than before",
        arguments: RowEngine.installed
    )
    func backups(in engine: RowEngine) async throws {
        let fixture = try StoreFixture(in: engine)
        let store = try await fixture.create()
        try await fixture.decide(StoreFixture.device, .addOnly, in: store)
        func save(by caller: StoreCaller) async throws -> ChangeNumber {
            let (manifest, bytes) = fixture.capture()
            return try await fixture.save(manifest, bytes, by: caller, to: store).receipt.receipt.changeNumber
        }
        func told(ofBackupUpTo number: ChangeNumber) async throws -> ChangeNumber? {
            try await store.metadata.setBackupWatermark(number, at: fixture.clock.now)
            return try await store.metadata.standing(of: StoreFixture.device, missing: 1).backupWatermark
        }
        #expect(try await store.metadata.standing(of: StoreFixture.device, missing: 1).backupWatermark == nil)
        // Perhaps by the same box, as an earlier device.
        let former = try await save(by: other)
        let first = try await save(by: limited)
        let between = try await save(by: other)
        let second = try await save(by: limited)
        let last = try await save(by: other)
        #expect(try await told(ofBackupUpTo: former) == former)
        #expect(try await told(ofBackupUpTo: first) == first)
        #expect(try await told(ofBackupUpTo: between) == first)
        #expect(try await told(ofBackupUpTo: second) == second)
        #expect(try await told(ofBackupUpTo: last) == second)
        let answers: [(AccessDecision.Answer, ChangeNumber)] = [(.none, second), (.selected, last), (.all, last)]
        for (answer, expected) in answers {
            try await fixture.decide(StoreFixture.device, answer, in: store)
            #expect(try await told(ofBackupUpTo: last) == expected, "\(answer)")
        }
    }

    @Test("T173: a push that changes nothing tells a limited device no number, whatever others changed since")
    func pushedNothing() async throws {
        let world = try await world()
        let metadata = world.metadata
        let time = UInt64(world.fixture.clock.now.millisecondsSince1970)
        var replica = TestReplica(0xABC, device: StoreFixture.device, milliseconds: time)
        _ = try await metadata.contact(replica.contact(), ticket: nil, by: limited)
        func pushed(_ push: ChangePush) async throws -> ChangePushResponse {
            try await metadata.push(push, by: limited)
        }
        let (own, hidden) = (EntityReference.asset(world.own).id, EntityReference.asset(world.hidden).id)
        let push = try replica.push([
            replica.state.set(.bool(true), field: AssetField.favorite, of: own, by: &replica.author)
        ])
        let answer = try await pushed(push)
        #expect(answer.acknowledged == 1 && answer.refused == [])
        #expect(try await metadata.identity().lastChange == answer.changeNumber)
        let (manifest, bytes) = world.fixture.capture()
        try await world.fixture.save(manifest, bytes, by: other, to: world.store)
        let repeated = try await pushed(push)
        #expect(repeated.acknowledged == 1 && repeated.changeNumber == nil)
        #expect(try await pushed(ChangePush(incarnation: push.incarnation, changes: [])).changeNumber == nil)
        let forbidden = try replica.push([
            replica.state.set(.bool(true), field: AssetField.favorite, of: hidden, by: &replica.author)
        ])
        let refused = try await pushed(forbidden)
        #expect(refused.acknowledged == 2 && refused.refused.map(\.counter) == [2] && refused.changeNumber == nil)
        try await world.fixture.decide(StoreFixture.device, .all, in: world.store)
        let whole = try await pushed(forbidden)
        #expect(try await metadata.identity().lastChange == whole.changeNumber, "to whoever sees everything")
    }

    @Test("T59: a limited device learns no cover outside its view, and cannot set one")
    func covers() async throws {
        let world = try await world()
        let metadata = world.metadata
        let album = try await metadata.createAlbum(
            AlbumEdit(title: "Granted", coverAssetID: world.hidden),
            by: administrator
        )
        #expect(album.coverAssetID == world.hidden)
        let selection = Selection(grantedAlbums: [album.id])
        let view = LibraryView.selection(selection, StoreFixture.device)
        /// The hash that a replica computes of what it was sent.
        func shownHash() async throws -> ContentDigest {
            var hasher = ContentHasher.Running()
            for change in try await metadata.entities(.init(), for: viewer(selection)).changes {
                hasher.update(EntityKey(change.entity).bytes[...])
                hasher.update(ContentHasher.digest(change.state?.bytes ?? []).bytes[...])
                for resource in (change.asset?.resources ?? []).sorted(by: { $0.id < $1.id }) {
                    hasher.update(resource.digest.bytes[...])
                }
            }
            return hasher.digest
        }
        func told() async throws -> [AssetID?] {
            let listed = try await metadata.albums(in: view, limit: 9, cursor: nil).albums.map(\.album.coverAssetID)
            let changes = try await metadata.changes(after: nil, limit: 10, for: viewer(selection)).changes
            let change = try #require(changes.first { $0.album != nil })
            let state = try ReplicaState(canonicalBytes: #require(change.state).bytes)
            #expect(
                try await metadata.ranges(.init(), count: 1, for: viewer(selection)).map(\.hash) == [
                    try await shownHash()
                ]
            )
            let cover = try #require(state.entityView(EntityReference.album(album.id).id)).register(AlbumField.cover)
            #expect(change.state?.bytes.firstRange(of: Array(world.hidden.blob)) == nil)
            var identifiers = listed + [change.album?.coverAssetID]
            if case .identifier(let bits)? = cover?.value { identifiers.append(AssetID(rawValue: bits)) }
            return identifiers
        }
        #expect(try await told() == [nil, nil])
        let outside = AlbumEdit(coverAssetID: world.hidden)
        #expect(await errorCode { _ = try await metadata.editAlbum(album.id, outside, by: limited) } == .notFound)
        _ = try await metadata.editAlbum(album.id, AlbumEdit(coverAssetID: world.own), by: limited)
        #expect(try await told() == [world.own, world.own, world.own])
    }

    /// A limited device's requests about an album; assets are named by text, because Swift 6.3.1 on x86-64 loses asynchronous
    /// calls with many 128-bit arguments or captures.
    private struct AlbumCaller {
        let metadata: SQLMetadataStore
        let album: AlbumID
        let view: LibraryView
        let caller = StoreCaller.device(StoreFixture.device)

        func move(_ asset: String, behind place: String?) async -> ErrorCode? {
            await errorCode {
                let assets = [asset].compactMap { AssetID($0) }
                let place = place.flatMap { AssetID($0) }
                try await metadata.move(inAlbum: album, behind: place, assets, in: view, by: caller)
            }
        }

        func remove(_ asset: String) async -> ErrorCode? {
            await errorCode {
                guard let asset = AssetID(asset) else { return }
                try await metadata.remove(asset, from: album, in: view, by: caller)
            }
        }

        func page(after asset: String) async -> ErrorCode? {
            await errorCode {
                _ = try await metadata.page(ofAlbum: album, limit: 1, cursor: ListCursor(text: asset), in: view)
            }
        }
    }

    @Test(
        "T74: a member of a granted album that is hidden or in the trash is to a limited device none, and stays one",
        arguments: [true, false]
    )
    func hiddenMembers(isTrashed: Bool) async throws {
        let world = try await world()
        let metadata = world.metadata
        let album = try await metadata.createAlbum(AlbumEdit(title: "Granted"), by: administrator).id
        try await metadata.add([world.hidden, world.own], to: album, in: .everything, by: administrator)
        if isTrashed {
            _ = try await metadata.trash(world.hidden, in: .everything, by: administrator)
        } else {
            var edit = AssetEdit()
            edit.isHidden = true
            _ = try await metadata.edit(world.hidden, edit, in: .everything, by: administrator)
        }
        let view = LibraryView.selection(Selection(grantedAlbums: [album]), StoreFixture.device)
        let device = AlbumCaller(metadata: metadata, album: album, view: view)
        for asset in [world.hidden, AssetID(rawValue: 404)] {
            #expect(await device.move(asset.description, behind: nil) == .notFound)
            #expect(await device.move(world.own.description, behind: asset.description) == .notFound)
            #expect(await device.remove(asset.description) == .notFound)
            #expect(await device.page(after: asset.description) == .cursorInvalid)
        }
        #expect(await device.move(world.own.description, behind: nil) == nil)
        let members = try await metadata.database.read { database in
            try Int.fetchOne(database, sql: "SELECT count(*) FROM album_asset")
        }
        #expect(members == 2, "nothing was taken out")
        #expect(await device.remove(world.own.description) == nil)
    }

    @Test("T74: a list of albums continues behind a granted album only, as if no other existed")
    func albumCursors() async throws {
        let world = try await world()
        let metadata = world.metadata
        var albums: [AlbumID] = []
        for title in ["Another", "First", "Second"] {
            albums.append(try await metadata.createAlbum(AlbumEdit(title: title), by: administrator).id)
        }
        let view = LibraryView.selection(Selection(grantedAlbums: Set(albums[1...])), StoreFixture.device)
        func page(after album: String) async throws -> [AlbumID] {
            let cursor = ListCursor(text: album)
            return try await metadata.albums(in: view, limit: 9, cursor: cursor).albums.map(\.album.id)
        }
        #expect(try await page(after: albums[1].description) == [albums[2]])
        for album in [albums[0], AlbumID(rawValue: 404)] {
            #expect(await errorCode { _ = try await page(after: album.description) } == .cursorInvalid)
        }
    }

    @Test(
        "T84: what a limited device saw by an album leaves its view and its feed with the album, and returns with it",
        arguments: [true, false]
    )
    func deletedAlbum(isGranted: Bool) async throws {
        let world = try await world()
        let metadata = world.metadata
        let album = try await metadata.createAlbum(AlbumEdit(title: "Granted"), by: administrator).id
        try await metadata.add([world.hidden, world.own], to: album, in: .everything, by: administrator)
        let selection = isGranted ? Selection(grantedAlbums: [album]) : Selection(rules: [.album(album)])
        let record = try await metadata.decide(
            StoreFixture.device,
            .selection(selection),
            by: .administrator("ana"),
            reason: "test",
            audit: AuditContext()
        )
        let viewer = ChangeViewer.limited(StoreFixture.device, selection, grantVersion: record.grantVersion)
        var position: ChangePosition?
        var held: Set<EntityReference> = []
        func pull() async throws {
            while true {
                let page = try await metadata.changes(after: position, limit: 1, for: viewer)
                for change in page.changes {
                    if change.kind == .removed { held.remove(change.entity) } else { held.insert(change.entity) }
                }
                position = page.position
                if !page.hasMore { break }
            }
            let ranges = try await metadata.entities(.init(), for: viewer).changes
            #expect(Set(ranges.map(\.entity)) == held)
        }
        let assets: Set<EntityReference> = [.asset(world.own), .asset(world.hidden)]
        let members: Set<EntityReference> = [
            .album(album), .membership(album: album, asset: world.own), .membership(album: album, asset: world.hidden),
        ]
        try await pull()
        #expect(held == (isGranted ? assets.union(members) : assets))

        try await metadata.deleteAlbum(album, by: administrator)
        #expect(try await metadata.asset(world.hidden, in: viewer.view) == nil)
        #expect(try await metadata.count(FetchOptions(), in: viewer.view) == 1)
        try await pull()
        #expect(held == [.asset(world.own)])

        // Who had not heard of it adds one of them again, and all are back.
        let time = UInt64(world.fixture.clock.now.millisecondsSince1970)
        var replica = TestReplica(0xABC, device: StoreFixture.otherDevice, milliseconds: time)
        _ = try await metadata.contact(replica.contact(), ticket: nil, by: other)
        let place = try PositionKey.run(of: 1, between: nil, nil, by: replica.author.replica)[0]
        let (asset, name) = (world.own.rawValue, album.rawValue)
        let changes = try replica.state.place(asset: asset, in: name, at: place, by: &replica.author)
        let answer = try await metadata.push(replica.push(changes), by: other)
        #expect(answer.refused == [])
        try await pull()
        #expect(held == (isGranted ? assets.union(members) : assets))
    }

    @Test("T54: an asset that is hidden from a device takes the same work as one that is not there")
    func sameWork() async throws {
        let world = try await world()
        let view = LibraryView.selection(Selection(), StoreFixture.device)
        let metadata = world.metadata
        try await metadata.database.read { database in
            let session = SQLiteSession(database: database)
            func work(_ id: AssetID) throws -> [String] {
                let statements = Mutex<[String]>([])
                database.trace { event in
                    if case .statement(let statement) = event { statements.withLock { $0.append(statement.sql) } }
                }
                defer { database.trace() }
                #expect(try AssetTable.fetch(id, in: view, session) == nil)
                return statements.withLock(\.self)
            }
            let hidden = try work(world.hidden)
            #expect(hidden.count == 1, "the row with its albums")
            for absent in [AssetID(rawValue: 1), AssetID(rawValue: .max), AssetID(rawValue: world.hidden.rawValue + 1)]
            {
                #expect(try work(absent) == hidden)
            }
            #expect(try AssetTable.fetch(world.own, in: view, session)?.id == world.own)
        }
    }

    @Test(
        "T54: a change of an asset that is hidden is refused in the words of one that is not there",
        arguments: [true, false]
    )
    func sameRefusal(isLimited: Bool) async throws {
        let world = try await world()
        if !isLimited { try await world.fixture.decide(StoreFixture.device, .none, in: world.store) }
        let time = UInt64(world.fixture.clock.now.millisecondsSince1970)
        var replica = TestReplica(0xABC, device: StoreFixture.device, milliseconds: time)
        _ = try await world.metadata.contact(replica.contact(), ticket: nil, by: limited)
        let entities = [world.hidden, AssetID(rawValue: 404)].flatMap { id in
            [EntityReference.asset(id), .membership(album: AlbumID(rawValue: 5), asset: id)]
        }
        let push = try replica.push(
            entities.map {
                try replica.state.set(.bool(true), field: AssetField.favorite, of: $0.id, by: &replica.author)
            }
        )
        let refused = try await world.metadata.push(push, by: limited).refused.map(\.problem)
        #expect(refused.count == 4 && Array(refused.prefix(2)) == Array(refused.suffix(2)))
    }

    @Test("T54: what changes elsewhere is no change for a limited device, and its asking takes the writer from nobody")
    func elsewhere() async throws {
        let world = try await world()
        let metadata = world.metadata
        let viewer = viewer()
        var position = try await metadata.changes(after: nil, limit: 10, for: viewer).position
        #expect(try await metadata.hasChanges(after: position, for: viewer) == false)
        func followed() async throws -> Int64? {
            try await metadata.database.read { try Int64.fetchOne($0, sql: "SELECT processed FROM view") }
        }
        let begin = try await followed()
        for number in 0...ViewTable.lookedThrough {
            var edit = AssetEdit()
            edit.title = "title \(number)"
            _ = try await metadata.edit(world.hidden, edit, in: .everything, by: administrator)
            #expect(try await metadata.hasChanges(after: position, for: viewer) == false)
            let page = try await metadata.changes(after: position, limit: 10, for: viewer)
            #expect(page.changes == [] && !page.hasMore)
            position = page.position
        }
        #expect(try await followed() == begin, "one entity is one look, however often it changed")
        for _ in 0...ViewTable.lookedThrough {
            let (manifest, bytes) = world.fixture.capture()
            try await world.fixture.save(manifest, bytes, by: other, to: world.store)
            #expect(try await metadata.hasChanges(after: position, for: viewer) == false)
        }
        let much = try await followed()
        #expect(much != begin, "much elsewhere is followed in rows")
        var edit = AssetEdit()
        edit.title = "Mine"
        _ = try await metadata.edit(world.own, edit, in: .everything, by: administrator)
        #expect(try await metadata.hasChanges(after: position, for: viewer))
        let page = try await metadata.changes(after: position, limit: 10, for: viewer)
        #expect(page.changes.map(\.entity) == [.asset(world.own)])
        #expect(try await followed() != much)
    }

    @Test("A damaged photo in one view fails the look at that view, and no other look that was asked with it")
    func damagedBeside() async throws {
        let world = try await world()
        let metadata = world.metadata
        let viewers = [
            viewer(), ChangeViewer.limited(StoreFixture.otherDevice, Selection(), grantVersion: 9),
        ]
        var looks: [ChangeLook] = []
        for viewer in viewers {
            let position = try await metadata.changes(after: nil, limit: 10, for: viewer).position
            looks.append(ChangeLook(after: position, limit: 10, for: viewer))
        }
        var edit = AssetEdit()
        edit.title = "New"
        for asset in [world.own, world.hidden] {
            _ = try await metadata.edit(asset, edit, in: .everything, by: administrator)
        }
        try await metadata.database.write { database in
            try database.execute(sql: "UPDATE asset SET document = '{}' WHERE id = ?", arguments: [world.own.blob])
        }
        let pages = await metadata.changes(looks)
        #expect(throws: (any Error).self) { try pages[0].get() }
        #expect(try pages[1].get().changes.map(\.entity) == [.asset(world.hidden)])
    }
}

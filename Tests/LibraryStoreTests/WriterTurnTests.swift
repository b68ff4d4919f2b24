import Authorization
import Foundation
import GRDB
import LibraryStoreTestSupport
import PhotoModel
import Replication
import Synchronization
import Testing

@testable import LibraryAPI
@testable import LibraryStore

/// Requests about many assets, which yield the writer in between.
struct WriterTurnTests {
    private struct World {
        let fixture: StoreFixture
        let store: LibraryStore
        let metadata: SQLMetadataStore
        let assets: [AssetID]

        /// The assets of an album, by position.
        func order(of album: AlbumID) async throws -> [AssetID] {
            try await metadata.database.read { database in
                try Data.fetchAll(
                    database,
                    sql: """
                        SELECT asset.id FROM album_asset JOIN asset ON asset.key = asset WHERE album = ? ORDER BY position
                        """,
                    arguments: [album.blob]
                ).map { try AssetID(blob: $0) }
            }
        }
    }

    private static func world(saving count: Int, album: DesiredAlbum? = nil) async throws -> World {
        let fixture = try StoreFixture()
        let store = try await fixture.create()
        if album != nil { _ = try await fixture.decide(StoreFixture.device, .addOnly, in: store) }
        var assets: [AssetID] = []
        for _ in 0..<count {
            let (manifest, bytes) = fixture.capture(album: album)
            _ = try await fixture.save(manifest, bytes, to: store)
            assets.append(manifest.id)
        }
        let metadata = try #require(store.metadata as? SQLMetadataStore)
        return World(fixture: fixture, store: store, metadata: metadata, assets: assets)
    }

    private static func edit() -> AssetEdit {
        var edit = AssetEdit()
        edit.addedKeywords = (0..<100).compactMap { Keyword("word \($0)") }
        return edit
    }

    @Test("T62: a bulk edit takes many turns of the writer, each of bounded work")
    func bulkEdit() async throws {
        let world = try await Self.world(saving: 40)
        let observer = LinesPerTransaction()
        world.metadata.database.add(transactionObserver: observer, extent: .databaseLifetime)
        let bulk = BulkEdit(assets: world.assets, edit: Self.edit())
        let outcomes = try await world.metadata.edit(bulk, in: .everything, by: .administrator("ana"))
        #expect(outcomes.allSatisfy { (try? $0.get())?.keywords.count == 100 } && outcomes.count == 40)
        let lines = observer.lines.withLock(\.self)
        #expect(lines.filter { $0 > 0 }.count >= 10 && (lines.max() ?? 0) <= 8)
    }

    @Test("T62: a bulk edit whose caller is refused meanwhile changes nothing more, and says so for each asset")
    func refusedMeanwhile() async throws {
        let world = try await Self.world(saving: 10)
        let judged = Atomic(0)
        let caller = StoreCaller.device(StoreFixture.device) { _ in
            guard judged.wrappingAdd(1, ordering: .relaxed).oldValue == 0 else {
                throw StoreError(.identityRevoked, "It was revoked.")
            }
        }
        let outcomes = try await world.metadata.edit(
            BulkEdit(assets: world.assets, edit: Self.edit()),
            in: .everything,
            by: caller
        )
        #expect(outcomes.count == world.assets.count)
        let changed = outcomes.count { (try? $0.get()) != nil }
        #expect(1..<world.assets.count ~= changed)
        for (id, outcome) in zip(world.assets, outcomes) {
            let asset = try await world.metadata.asset(id, in: .everything)
            #expect(asset?.keywords.isEmpty == ((try? outcome.get()) == nil))
        }
    }

    @Test("T94: changes of assets with long documents take turns by what is read and written, in bulk and pushed")
    func longDocuments() async throws {
        let fixture = try StoreFixture()
        let store = try await fixture.create()
        var assets: [AssetID] = []
        for _ in 0..<40 {
            var (manifest, bytes) = fixture.capture()
            manifest.caption = String(repeating: "x", count: APILimits.captionByteCount)
            try await fixture.save(manifest, bytes, to: store)
            assets.append(manifest.id)
        }
        let metadata = try #require(store.metadata as? SQLMetadataStore)
        let observer = LinesPerTransaction()
        metadata.database.add(transactionObserver: observer, extent: .databaseLifetime)
        var edit = AssetEdit()
        edit.isFavorite = true
        let bulk = BulkEdit(assets: assets, edit: edit)
        let outcomes = try await metadata.edit(bulk, in: .everything, by: .administrator("ana"))
        #expect(outcomes.allSatisfy { (try? $0.get())?.isFavorite == true } && outcomes.count == 40)
        // Eight units for the edit, eight for a document of 16 KiB, and eight for the state.
        #expect((observer.lines.withLock(\.self).max() ?? 0) <= WriterTurn.usual / 24 + 1)
        observer.lines.withLock { $0 = [0] }

        let caller = StoreCaller.device(StoreFixture.device)
        let time = UInt64(fixture.clock.now.millisecondsSince1970)
        var replica = TestReplica(0xABC, device: StoreFixture.device, milliseconds: time)
        _ = try await metadata.contact(replica.contact(), ticket: nil, by: caller)
        var changes: [Change?] = []
        for asset in assets {
            let id = EntityReference.asset(asset).id
            changes.append(
                try replica.state.set(.text("gate"), field: AssetField.title, of: id, by: &replica.author)
            )
        }
        let answer = try await metadata.push(replica.push(changes), by: caller)
        #expect(answer.refused == [] && answer.acknowledged == 40)
        // One for the change, eight for its state, and eight for the document.
        #expect((observer.lines.withLock(\.self).max() ?? 0) <= WriterTurn.usual / 16)
    }

    @Test("T94: long texts take more of a push's turn than short ones, where nothing was before them")
    func longChanges() async throws {
        let world = try await Self.world(saving: 60)
        let caller = StoreCaller.device(StoreFixture.device)
        let time = UInt64(world.fixture.clock.now.millisecondsSince1970)
        var replica = TestReplica(0xABC, device: StoreFixture.device, milliseconds: time)
        _ = try await world.metadata.contact(replica.contact(), ticket: nil, by: caller)
        for (length, most) in [(3000, WriterTurn.usual / 6 + 1), (1, 60)] {
            let observer = LinesPerTransaction()
            world.metadata.database.add(transactionObserver: observer, extent: .databaseLifetime)
            var changes: [Change?] = []
            for asset in world.assets {
                let (id, text) = (EntityReference.asset(asset).id, String(repeating: "c", count: length))
                let field = length > 1 ? AssetField.caption : AssetField.title
                changes.append(try replica.state.set(.text(text), field: field, of: id, by: &replica.author))
            }
            let answer = try await world.metadata.push(replica.push(changes), by: caller)
            #expect(answer.refused == [] && answer.acknowledged == replica.author.incarnation.counter)
            let lines = observer.lines.withLock(\.self)
            #expect(lines.reduce(0, +) == 60 && (lines.max() ?? 0) <= most, "\(lines)")
        }
    }

    @Test("T121: memberships with long states take turns by what is read and written, moved or added")
    func longMemberships() async throws {
        let world = try await Self.world(saving: 12)
        let metadata = world.metadata
        let caller = StoreCaller.administrator("ana")
        let album = try await metadata.createAlbum(AlbumEdit(title: "Gate"), by: caller).id
        try await metadata.add(world.assets, to: album, in: .everything, by: caller)
        let device = StoreCaller.device(StoreFixture.device)
        let time = UInt64(world.fixture.clock.now.millisecondsSince1970)
        var replica = TestReplica(0xABC, device: StoreFixture.device, milliseconds: time)
        _ = try await metadata.contact(replica.contact(), ticket: nil, by: device)
        let observer = LinesPerTransaction()
        metadata.database.add(transactionObserver: observer, extent: .databaseLifetime)
        for isAddition in [false, true] {
            // A removed membership forgets its fields, but may be given some again.
            for asset in isAddition ? world.assets : [] {
                try await metadata.remove(asset, from: album, in: .everything, by: caller)
            }
            // Fields of a later version, which devices may write: each fills a quarter of a turn.
            let value = FieldValue.bytes([UInt8](repeating: isAddition ? 7 : 8, count: 30_000))
            var changes: [Change?] = []
            for asset in world.assets {
                let id = EntityReference.membership(album: album, asset: asset).id
                for field in [900, 901].map(FieldID.init(rawValue:)) {
                    changes.append(try replica.state.set(value, field: field, of: id, by: &replica.author))
                }
            }
            let answer = try await metadata.push(replica.push(changes), by: device)
            #expect(answer.refused == [])
            observer.lines.withLock { $0 = [0] }
            if isAddition {
                try await metadata.add(world.assets, to: album, in: .everything, by: caller)
                #expect(try await world.order(of: album) == world.assets)
                #expect((observer.lines.withLock(\.self).max() ?? 0) <= 5, "the album's line is one of them")
            } else {
                let moved = Array(world.assets.dropFirst().reversed())
                try await metadata.move(inAlbum: album, behind: world.assets[0], moved, in: .everything, by: caller)
                #expect(try await world.order(of: album) == [world.assets[0]] + moved)
                #expect((observer.lines.withLock(\.self).max() ?? 0) <= 4)
            }
        }
    }

    @Test("T139: an asset of many albums is purged in many turns of the writer, each of bounded work")
    func purgedMember() async throws {
        let world = try await Self.world(saving: 1)
        let caller = StoreCaller.administrator("ana")
        for number in 0..<80 {
            let album = try await world.metadata.createAlbum(AlbumEdit(title: "Gate \(number)"), by: caller).id
            try await world.metadata.add(world.assets, to: album, in: .everything, by: caller)
        }
        _ = try await world.metadata.trash(world.assets[0], in: .everything, by: caller)
        let observer = LinesPerTransaction()
        world.metadata.database.add(transactionObserver: observer, extent: .databaseLifetime)
        _ = try await world.metadata.purge(world.assets[0], by: caller)
        let lines = observer.lines.withLock(\.self)
        #expect((lines.max() ?? 0) <= WriterTurn.usual / 8 + 1 && lines.reduce(0, +) == 81, "\(lines)")
        #expect(try await world.metadata.asset(world.assets[0], in: .everything) == nil)
        let pages = try await world.metadata.albums(in: .everything, limit: 100, cursor: nil)
        #expect(pages.albums.count == 80 && pages.albums.allSatisfy { $0.assetCount == 0 })
    }

    @Test("T72: a batch of assets with many keywords takes many turns of the writer, and each has its receipt in order")
    func batch() async throws {
        let world = try await Self.world(saving: 0)
        let receiver = try await world.store.receiveBatch(by: .device(StoreFixture.device))
        var captures = (0..<20).map { _ in world.fixture.capture() }
        for index in captures.indices {
            captures[index].manifest.keywords = (0..<100).compactMap { Keyword("word \($0)") }
            await receiver.add(captures[index].manifest)
        }
        for bytes in captures.flatMap(\.bytes) {
            try await receiver.beginResource(byteCount: Int64(bytes.count))
            try await receiver.append(bytes)
            await receiver.endResource()
        }
        let observer = LinesPerTransaction()
        world.metadata.database.add(transactionObserver: observer, extent: .databaseLifetime)
        let results = await receiver.finish().results
        #expect(results.map(\.assetID) == captures.map(\.manifest.id))
        #expect(results.compactMap(\.commit?.receipt.receipt.assetID) == captures.map(\.manifest.id))
        let lines = observer.lines.withLock(\.self)
        #expect((lines.max() ?? 0) <= 3 && lines.filter { $0 > 0 }.count >= 7, "\(lines)")
    }

    @Test("T62: an album is filled in many turns of the writer, in order; with an unknown asset nothing is added")
    func albumAddition() async throws {
        let world = try await Self.world(saving: WriterTurn.usual / 8 * 2 + 1)
        let metadata = world.metadata
        let caller = StoreCaller.administrator("ana")
        var edit = AlbumEdit()
        edit.title = "Gate"
        let album = try await metadata.createAlbum(edit, by: caller)
        let error = await #expect(throws: StoreError.self) {
            let assets = world.assets + [AssetID(rawValue: 9)]
            try await metadata.add(assets, to: album.id, in: .everything, by: caller)
        }
        #expect(error?.code == .notFound)
        func count() async throws -> [Int] {
            try await metadata.albums(in: .everything, limit: 2, cursor: nil).albums.map(\.assetCount)
        }
        #expect(try await count() == [0])
        let observer = LinesPerTransaction()
        metadata.database.add(transactionObserver: observer, extent: .databaseLifetime)
        for _ in 0..<2 { try await metadata.add(world.assets, to: album.id, in: .everything, by: caller) }
        let lines = observer.lines.withLock(\.self)
        #expect((lines.max() ?? 0) <= WriterTurn.usual / 8 + 1 && lines.filter { $0 > 0 }.count == 3, "\(lines)")
        #expect(try await count() == [world.assets.count], "repeated, it adds nothing")
        #expect(try await world.order(of: album.id) == world.assets)
    }

    @Test("T62: assets of an album are moved in many turns of the writer; with an unknown asset nothing is moved")
    func albumMove() async throws {
        let world = try await Self.world(saving: WriterTurn.usual / 8 * 2 + 2)
        let metadata = world.metadata
        let caller = StoreCaller.administrator("ana")
        let album = try await metadata.createAlbum(AlbumEdit(title: "Gate"), by: caller).id
        try await metadata.add(world.assets, to: album, in: .everything, by: caller)
        let moved = Array(world.assets.dropLast().reversed())
        let place = try #require(world.assets.last)
        for refused in [moved + [AssetID(rawValue: 9)], moved + [place], moved + moved.prefix(1)] {
            let error = await #expect(throws: StoreError.self) {
                try await metadata.move(inAlbum: album, behind: place, refused, in: .everything, by: caller)
            }
            #expect(error?.code == .notFound)
        }
        #expect(try await world.order(of: album) == world.assets)
        let observer = LinesPerTransaction()
        metadata.database.add(transactionObserver: observer, extent: .databaseLifetime)
        try await metadata.move(inAlbum: album, behind: place, moved, in: .everything, by: caller)
        #expect(try await world.order(of: album) == [place] + moved)
        try await metadata.move(inAlbum: album, behind: nil, world.assets, in: .everything, by: caller)
        #expect(try await world.order(of: album) == world.assets)
        let lines = observer.lines.withLock(\.self)
        #expect((lines.max() ?? 0) <= WriterTurn.usual / 8 && lines.filter { $0 > 0 }.count == 6, "\(lines)")
    }

    @Test("T62: an album whose positions are used up gets new ones in many turns of the writer")
    func usedUpPositions() async throws {
        let world = try await Self.world(saving: WriterTurn.usual / 8 * 2 + 2)
        let metadata = world.metadata
        let caller = StoreCaller.administrator("ana")
        let album = try await metadata.createAlbum(AlbumEdit(title: "Gate"), by: caller).id
        try await metadata.add(world.assets, to: album, in: .everything, by: caller)
        // As an older version took them from a device: everything at no position.
        try await metadata.database.write { database in
            try database.execute(sql: "UPDATE album_asset SET position = x''")
        }
        let before = world.assets.sorted { $0.rawValue < $1.rawValue }
        let observer = LinesPerTransaction()
        metadata.database.add(transactionObserver: observer, extent: .databaseLifetime)
        try await metadata.move(inAlbum: album, behind: before[0], [before[65]], in: .everything, by: caller)
        #expect(try await world.order(of: album) == [before[0], before[65]] + before[1..<65])
        let lines = observer.lines.withLock(\.self)
        #expect((lines.max() ?? 0) <= WriterTurn.usual / 8 && lines.filter { $0 > 0 }.count == 4, "\(lines)")
        let order = try await world.order(of: album)
        try await metadata.database.write { database in
            try database.execute(
                sql: "UPDATE album_asset SET position = ? WHERE asset = (SELECT key FROM asset WHERE id = ?)",
                arguments: [Data(repeating: 0xFF, count: 64), order[65].blob]
            )
        }
        try await metadata.move(inAlbum: album, behind: order[65], [order[0]], in: .everything, by: caller)
        #expect(try await world.order(of: album) == order.dropFirst() + [order[0]])
    }

    @Test("T62: a push that deletes full albums leaves their photos to later turns of the writer, of bounded work")
    func deletedAlbums() async throws {
        let world = try await Self.world(saving: WriterTurn.usual / 4)
        let metadata = world.metadata
        let administrator = StoreCaller.administrator("ana")
        let caller = StoreCaller.device(StoreFixture.device)
        let time = UInt64(world.fixture.clock.now.millisecondsSince1970)
        var replica = TestReplica(0xABC, device: StoreFixture.device, milliseconds: time)
        _ = try await metadata.contact(replica.contact(), ticket: nil, by: caller)
        var changes: [Change?] = []
        for number in 0..<8 {
            let edit = AlbumEdit(title: "Gate \(number)")
            let album = try await metadata.createAlbum(edit, by: administrator).id
            try await metadata.add(world.assets, to: album, in: .everything, by: administrator)
            let bytes = try await metadata.database.read { database in
                try Data.fetchOne(
                    database,
                    sql: "SELECT state FROM entity WHERE kind = 4 AND first = ?",
                    arguments: [album.blob]
                )
            }
            var state = try ReplicaState(canonicalBytes: Array(#require(bytes)))
            changes.append(try state.deleteAlbum(album.rawValue, by: &replica.author))
        }
        let rows = metadata.store
        let counts = Mutex<[Int]>([])
        let watched = try await metadata.watched(world.fixture) {
            let count = try await rows.read { try $0.value(Int.self, "SELECT count(*) FROM album_asset") ?? 0 }
            counts.withLock { $0.append(count) }
        }
        let push = try replica.push(changes)
        let answer = try await watched.push(push, by: caller)
        #expect(answer.acknowledged == 8 && answer.refused == [])
        #expect(try await metadata.albums(in: .everything, limit: 1, cursor: nil).albums.isEmpty)
        let left = counts.withLock(\.self)
        #expect(left.first == 8 * world.assets.count && left.last == 0, "\(left)")
        #expect(zip(left, left.dropFirst()).allSatisfy { $0 - $1 <= 4 }, "\(left)")
    }

    @Test("T78: hashes of a limited view are computed by a reader, also where its rows first follow changes")
    func viewHashes() async throws {
        let world = try await Self.world(saving: 3)
        let written = Mutex<[String]>([])
        try await world.metadata.database.write { database in
            database.trace { event in written.withLock { $0.append("\(event)") } }
        }
        let viewer = ChangeViewer.limited(StoreFixture.device, Selection(), grantVersion: 1)
        let ranges = try await world.metadata.ranges(ChangeRange.Bounds(), count: 1, for: viewer)
        #expect(ranges.map(\.count) == [3])
        let statements = written.withLock(\.self)
        #expect(statements.contains { $0.contains("INSERT INTO view ") })
        #expect(!statements.contains { $0.contains("SELECT kind, first, second, state FROM entity") })
    }

    @Test("T79: what a retired device has announced and still owes is counted by a reader")
    func drainReports() async throws {
        let world = try await Self.world(saving: 1)
        let decided = try await world.metadata.decide(
            StoreFixture.device,
            .state(.drainRequested),
            by: .administrator("ana"),
            reason: "",
            audit: AuditContext()
        )
        #expect(decided.state == .draining)
        let written = Mutex<[String]>([])
        try await world.metadata.database.write { database in
            database.trace { event in written.withLock { $0.append("\(event)") } }
        }
        func report(_ report: DrainReport) async throws -> DrainProgress? {
            try await world.metadata.reportDraining(of: StoreFixture.device, report, audit: AuditContext())
        }
        let owed = [AssetID(rawValue: 7), AssetID(rawValue: 8)]
        #expect(try await report(DrainReport(announced: owed, isWhole: false))?.remainingCount == 2)
        #expect(try await report(DrainReport(announced: world.assets, isWhole: true))?.remainingCount == 2)
        #expect(try await report(DrainReport(isWhole: true, isDelivered: true))?.isEnded == true)
        let statements = written.withLock(\.self)
        #expect(statements.contains { $0.contains("INSERT INTO announced") })
        #expect(!statements.contains { $0.contains("count(*) FROM announced") })
    }

    @Test("an album appears and goes without a search of all devices for it in the writer")
    func newAlbum() async throws {
        let world = try await Self.world(saving: 1)
        let written = Mutex<[String]>([])
        try await world.metadata.database.write { database in
            database.trace { event in written.withLock { $0.append("\(event)") } }
        }
        let search = "CAST(record AS TEXT)"
        let album = try await world.metadata.createAlbum(AlbumEdit(title: "New"), by: .administrator("ana"))
        try await world.metadata.add(world.assets, to: album.id, in: .everything, by: .administrator("ana"))
        try await world.metadata.deleteAlbum(album.id, by: .administrator("ana"))
        #expect(!written.withLock(\.self).contains { $0.contains(search) })
    }

    @Test("T62: albums that were asked for before a decision are filled in many turns of the writer")
    func deferredAlbums() async throws {
        let count = WriterTurn.usual / 8 * 2 + 1
        let world = try await Self.world(saving: count, album: .title("Gate"))
        _ = try await world.fixture.decide(StoreFixture.device, .all, in: world.store)
        let observer = LinesPerTransaction()
        world.metadata.database.add(transactionObserver: observer, extent: .databaseLifetime)
        #expect(try await world.metadata.applyDeferredAlbums(of: StoreFixture.device) == count)
        let lines = observer.lines.withLock(\.self)
        #expect(lines.filter { $0 > 0 }.count == 3)
        #expect(
            try await world.metadata.albums(in: .everything, limit: 2, cursor: nil).albums.map(\.assetCount) == [count]
        )
    }
}

/// Counts the lines of history that each transaction wrote: the work that others waited for.
final class LinesPerTransaction: TransactionObserver, Sendable {
    let lines = Mutex<[Int]>([0])

    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool {
        if case .insert("history") = eventKind { true } else { false }
    }

    func databaseDidChange(with event: DatabaseEvent) {
        lines.withLock { $0[$0.count - 1] += 1 }
    }

    func databaseDidCommit(_ database: Database) {
        lines.withLock { $0.append(0) }
    }

    func databaseDidRollback(_ database: Database) {
        lines.withLock { $0[$0.count - 1] = 0 }
    }
}

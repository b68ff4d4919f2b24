import Authorization
import Foundation
import LibraryAPI
import Logging
import ObjectStorage
import ObjectStorageTestSupport
import Persistence
import PersistenceTestSupport
import PhotoModel
import PostgreSQL
import PostgreSQLTestSupport
import TestSupport
import Testing

@testable import LibraryStore

/// Moves between every pair of stores.
@Suite(.enabled(if: TestServer.isInstalled, "PostgreSQL is not installed"))
struct MigrateTests {
    /// What holds a library's rows, and what its originals.
    enum Pair: String, CaseIterable, CustomTestStringConvertible {
        case embedded, bucket, database, cluster

        var testDescription: String { rawValue }

        /// Where a library of this pair is, in a world's folder, bucket and database.
        func place(_ name: String, _ world: World) throws -> LibraryPlace {
            let hasDatabase = self == .database || self == .cluster
            let hasBucket = self == .bucket || self == .cluster
            return LibraryPlace(
                root: world.fixture.directory.path.appending(name),
                metadata: hasDatabase ? .postgresql(try world.schema()) : .folder,
                originals: hasBucket ? .bucket(try world.bucket.client(prefix: name), readsBack: false) : .folder,
                description: "\(rawValue) \(name)"
            )
        }
    }

    struct World: Sendable {
        let fixture: StoreFixture
        let bucket: FakeObjectStore
        let schema: @Sendable () throws -> ConnectionSettings
        let silent = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

        static func run(_ body: @escaping @Sendable (World) async throws -> Void) async throws {
            try await TestServer.withSchemas { make in
                try await FakeObjectStore().run { bucket in
                    try await body(World(fixture: try StoreFixture(), bucket: bucket, schema: make))
                }
            }
        }

        func create(_ place: LibraryPlace) async throws -> LibraryStore {
            let store = try await LibraryStore.create(
                at: place.root,
                originals: place.originals,
                metadata: place.metadata,
                effects: fixture.effects,
                logger: silent
            )
            for device in [StoreFixture.device, StoreFixture.otherDevice] {
                try await fixture.addDevice(device, to: store)
            }
            return store
        }

        func open(_ place: LibraryPlace) async throws -> LibraryStore {
            let store = try await LibraryStore.open(
                at: place.root,
                originals: place.originals,
                metadata: place.metadata,
                effects: fixture.effects,
                logger: silent
            )
            try await store.recover()
            return store
        }

        func move(_ source: LibraryPlace, _ destination: LibraryPlace) -> LibraryMove {
            LibraryMove(
                from: source,
                to: destination,
                effects: fixture.effects,
                settings: .init(),
                logger: silent
            )
        }
    }

    private static let everything = ChangeViewer.everything(grantVersion: 0)

    private static let directions = Pair.allCases.flatMap { old in
        Pair.allCases.filter { $0 != old }.map { (old, $0) }
    }

    private func code(_ body: () async throws -> Void) async -> Persistence.PersistenceError.Code? {
        do {
            try await body()
            return nil
        } catch {
            return (error as? Persistence.PersistenceError)?.code
        }
    }

    /// Saves what a library may hold: a Live Photo, one by a batch, a large file, an album, an edit, one in the trash, and an
    /// upload that is not finished.
    private func fill(
        _ store: LibraryStore,
        _ fixture: StoreFixture,
        largeByteCount: Int = 90_000
    ) async throws -> [(AssetManifest, [[UInt8]])] {
        let caller = StoreCaller.device(StoreFixture.device)
        var saved: [(AssetManifest, [[UInt8]])] = []
        for sizes in [[3000, 20], [largeByteCount], [40]] {
            var (manifest, bytes) = fixture.capture(sizes: sizes)
            manifest.resources = manifest.resources.map {
                AssetResource(
                    id: $0.id,
                    type: $0.type,
                    digest: $0.digest,
                    byteCount: $0.byteCount,
                    contentType: $0.contentType,
                    originalFilename: FileName("harbour.jpg")
                )
            }
            try await fixture.save(manifest, bytes, to: store)
            saved.append((manifest, bytes))
        }
        let batched = fixture.capture(sizes: [50])
        let receiver = try await store.receiveBatch(by: caller)
        await receiver.add(batched.manifest)
        try await receiver.beginResource(byteCount: 50)
        try await receiver.append(batched.bytes[0])
        await receiver.endResource()
        #expect(await receiver.finish().results.map { $0.commit != nil } == [true])
        saved.append((batched.manifest, batched.bytes))
        let album = try await store.metadata.createAlbum(AlbumEdit(title: "Ships"), by: caller)
        try await store.metadata.add(saved.map(\.0.id), to: album.id, in: .everything, by: caller)
        _ = try await store.metadata.trash(saved[2].0.id, in: .everything, by: caller)
        let unfinished = fixture.capture(sizes: [5000])
        let upload = try #require(try await store.create(unfinished.manifest, by: caller).uploads.first)
        _ = try await store.append(
            to: upload.id,
            at: 0,
            isLast: false,
            content: Pieces([Array(unfinished.bytes[0].prefix(1000))]),
            by: caller
        )
        return saved
    }

    private func requireWhole(_ store: LibraryStore, _ saved: [(AssetManifest, [[UInt8]])]) async throws {
        for (manifest, bytes) in saved {
            for (resource, bytes) in zip(manifest.resources, bytes) {
                let open = try await store.open(resource.id, of: manifest.id, in: .everything)
                #expect(try await open.read(10 << 20, at: 0) == bytes)
            }
        }
        #expect(try await store.verify(.init(isHashing: true, isRepairing: true)).findings == [])
    }

    @Test(
        "A library moves between every pair of stores: same history, entities, receipts and bytes; the old place is left",
        arguments: directions
    )
    func moves(_ old: Pair, _ new: Pair) async throws {
        try await World.run { world in
            let (source, destination) = (try old.place("old", world), try new.place("new", world))
            let store = try await world.create(source)
            let saved = try await fill(store, world.fixture)
            let identity = try await store.metadata.identity()
            let ranges = try await store.metadata.ranges(.init(), count: 8, for: Self.everything)
            let receipt = try await store.metadata.receipt(for: saved[0].0.id, of: .device(StoreFixture.device))
            let words = FetchOptions(filter: .text("harb"))
            #expect(try await store.metadata.count(words, in: .everything) == 2)
            // Originals go first, beside the server.
            let move = world.move(source, destination)
            #expect(try await move.run(isDry: true).state == .planned)
            #expect(try PosixFileSystem().status(destination.root) == nil, "a dry run makes nothing")
            let first = try await move.run()
            #expect(first.state == .copied && first.contents == 5 && first.copiedContents >= 4)
            let (late, lateBytes) = world.fixture.capture(sizes: [60])
            try await world.fixture.save(late, lateBytes, to: store)
            store.close()

            let report = try await move.run()
            #expect(report.state == .moved && report.missing == [] && report.contents == 6)
            #expect(report.copiedContents <= 2, "the others were there: \(report)")
            let error = await #expect(throws: Persistence.PersistenceError.self) { _ = try await world.open(source) }
            #expect(error?.message.contains("moved to \(destination.description)") == true)
            let again = try await move.run()
            #expect(again.state == .moved && again.contents == 6 && again.copiedContents == 0, "it is moved once")
            let elsewhere = world.move(source, try new.place("elsewhere", world))
            #expect(await code { _ = try await elsewhere.run() } == .foreign)

            let moved = try await world.open(destination)
            let now = try await moved.metadata.identity()
            #expect(now.id == identity.id && now.epoch == identity.epoch && now.lastChange > identity.lastChange)
            #expect(try await moved.metadata.receipt(for: saved[0].0.id, of: .device(StoreFixture.device)) == receipt)
            #expect(try await moved.metadata.count(words, in: .everything) == 2)
            try await requireWhole(moved, saved + [(late, lateBytes)])
            // What was told before is told on: only what came after is new.
            let position = ChangePosition(epoch: identity.epoch, viewVersion: 0, number: identity.lastChange)
            let page = try await moved.metadata.changes(after: position, limit: 100, for: Self.everything)
            #expect(page.changes.count == 1 && ranges.map(\.count).reduce(0, +) > 4)
            let (next, nextBytes) = world.fixture.capture(sizes: [70, 3])
            try await world.fixture.save(next, nextBytes, to: moved)
            #expect(try await moved.metadata.identity().lastChange > now.lastChange)
            moved.close()
        }
    }

    @Test("Texts with NUL, as earlier versions took them, arrive in PostgreSQL without it")
    func nul() async throws {
        try await World.run { world in
            let (source, destination) = (try Pair.embedded.place("old", world), try Pair.database.place("new", world))
            let store = try await world.create(source)
            let id = try await fill(store, world.fixture)[0].0.id
            _ = try await store.metadata.updateProfile(of: StoreFixture.device, audit: nil) { $0.name = "n\0m" }
            _ = try await store.metadata.decide(
                StoreFixture.otherDevice,
                .answer(.selected, for: Set(AccessLevel.allCases)),
                by: .administrator("ana"),
                reason: "a\0b",
                audit: AuditContext()
            )
            let rows = try #require(store.metadata as? SQLMetadataStore)
            try await rows.store.write([.library]) { database in
                try database.execute(
                    "UPDATE asset SET document = substr(document, 1, length(document) - 1) || ? WHERE id = ?",
                    [#","caption":"a\u0000\\u0000b"}"#, id.blob]
                )
            }
            store.close()
            #expect(try await world.move(source, destination).run().state == .moved)
            let moved = try await world.open(destination)
            #expect(try await moved.metadata.device(StoreFixture.device)?.profile.name == "nm")
            #expect(try await moved.metadata.device(StoreFixture.otherDevice)?.record.reason == "ab")
            #expect(try await moved.metadata.asset(id, in: .everything)?.caption == #"a\u0000b"#)
            moved.close()
        }
    }

    @Test("There and back again: the entities' hashes and the folder's files are those of the beginning")
    func back() async throws {
        try await World.run { world in
            let places = try [Pair.embedded.place("old", world), Pair.cluster.place("new", world)]
            let store = try await world.create(places[0])
            // More than one part of a multipart upload.
            let saved = try await fill(store, world.fixture, largeByteCount: (8 << 20) + 5)
            let ranges = try await store.metadata.ranges(.init(), count: 8, for: Self.everything)
            try await store.settle()
            let files = try Self.originals(places[0])
            store.close()
            #expect(try await world.move(places[0], places[1]).run().state == .moved)
            let home = try Pair.embedded.place("home", world)
            #expect(try await world.move(places[1], home).run().state == .moved)
            let back = try await world.open(home)
            #expect(try await back.metadata.ranges(.init(), count: 8, for: Self.everything) == ranges)
            #expect(try Self.originals(home) == files)
            try await requireWhole(back, saved)
            back.close()
        }
    }

    private static func originals(_ place: LibraryPlace) throws -> Set<String> {
        let found = FileManager.default.enumerator(atPath: place.root.appending("originals").text)
        return Set((found?.allObjects as? [String] ?? []).filter { $0.hasSuffix(".jpg") || $0.hasSuffix(".mov") })
    }

    @Test("Originals that stay in their bucket are not copied: the rows alone move")
    func staysInBucket() async throws {
        try await World.run { world in
            let source = try Pair.bucket.place("old", world)
            let destination = LibraryPlace(
                root: world.fixture.directory.path.appending("new"),
                metadata: .postgresql(try world.schema()),
                originals: .bucket(try world.bucket.client(prefix: "old"), readsBack: false),
                description: "the same bucket"
            )
            let store = try await world.create(source)
            let saved = try await fill(store, world.fixture)
            store.close()
            let before = world.bucket.keys
            let report = try await world.move(source, destination).run()
            #expect(report.state == .moved && report.copiedContents == 0)
            #expect(world.bucket.keys == before)
            let moved = try await world.open(destination)
            try await requireWhole(moved, saved)
            moved.close()
        }
    }

    @Test("A move goes on where it was cut off, at whichever request to the bucket or step of the rows that was")
    func resumes() async throws {
        try await World.run { world in
            let (source, destination) = try (Pair.embedded.place("old", world), Pair.cluster.place("new", world))
            let store = try await world.create(source)
            let saved = try await fill(store, world.fixture)
            store.close()
            var cut = 0
            // Whatever is refused for good ends the attempt.
            for chosen in ["tintype-arriving", "originals/", "tintype-library"] {
                world.bucket.fail(.refuses(403, "AccessDenied")) { $0.method == "PUT" && $0.key.contains(chosen) }
                do {
                    _ = try await world.move(source, destination).run()
                } catch {
                    cut += 1
                }
                #expect(await code { (try await world.open(destination)).close() } != nil, "it is no library yet")
            }
            #expect(cut == 3)
            // The last cut was between leaving the old place and finishing the new one: neither is served.
            #expect(await code { (try await world.open(source)).close() } == .foreign)
            #expect(try await world.move(source, destination).run().state == .moved)
            let moved = try await world.open(destination)
            try await requireWhole(moved, saved)
            moved.close()
        }
    }

    @Test("A new place with something else in it is refused, and nothing there is touched")
    func refusesFullPlaces() async throws {
        try await World.run { world in
            let source = try Pair.embedded.place("old", world)
            let store = try await world.create(source)
            store.close()
            let files = PosixFileSystem()
            let full = try Pair.embedded.place("full", world)
            try files.createDirectories(full.root)
            try files.writeAtomically(full.root.appending("notes"), [1])
            #expect(await code { _ = try await world.move(source, full).run() } == .exists)
            let other = try Pair.embedded.place("other", world)
            try await world.create(other).close()
            #expect(await code { _ = try await world.move(source, other).run() } == .exists)
            #expect(await code { _ = try await world.move(source, source).run() } == .exists)
            let database = try Pair.database.place("database", world)
            if case .postgresql(let settings) = database.metadata {
                try await ConnectionPool(settings).write(lock: "") {
                    try $0.run("CREATE SCHEMA \(settings.schema); CREATE TABLE \(settings.schema).notes (n BIGINT)")
                }
            }
            #expect(await code { _ = try await world.move(source, database).run() } == .exists)
            world.bucket.change("bucket/notes") { $0 = [1] }
            let bucket = try Pair.bucket.place("bucket", world)
            await #expect(throws: ForeignBucketError.self) { _ = try await world.move(source, bucket).run() }
            let arriving = try Pair.embedded.place("arriving", world)
            try files.createDirectories(arriving.root)
            try files.writeAtomically(arriving.root.appending("tintype-arriving"), Array("tintype-arriving 1 x y".utf8))
            #expect(await code { _ = try await world.move(source, arriving).run() } == .exists)
            try await world.open(source).close()
        }
    }

    @Test("Bytes that the new place lost or keeps wrongly, and rows that differ there, keep the old place in use")
    func refusesDamage() async throws {
        try await World.run { world in
            let source = try Pair.embedded.place("old", world)
            let destination = LibraryPlace(
                root: world.fixture.directory.path.appending("new"),
                metadata: .postgresql(try world.schema()),
                originals: .bucket(try world.bucket.client(prefix: "new"), readsBack: true),
                description: "a store that is read back"
            )
            let store = try await world.create(source)
            let saved = try await fill(store, world.fixture)
            #expect(try await world.move(source, destination).run().state == .copied)
            let other = try await world.create(try Pair.embedded.place("other", world))
            let arrival = LibraryArrival(store.id, ArrivalID(rawValue: 1), destination, false, BlockingPool(width: 1))
            let comparison = LibraryComparison(source: store.metadata, destination: other.metadata)
            #expect(await code { _ = try await comparison.run(arrival, missing: []) } == .damaged)
            other.close()
            store.close()
            // One that was copied and then lost is copied again.
            let key = try #require(world.bucket.keys.first { $0.contains("new/originals/") })
            world.bucket.change(key) { $0?.removeLast() }
            // What the store keeps wrongly is read back and refused; the old place is still the library.
            world.bucket.fail(.corrupts) { $0.method == "PUT" && $0.key.contains("new/originals/") }
            await #expect(throws: (any Error).self) { _ = try await world.move(source, destination).run() }
            try await world.open(source).close()
            #expect(try await world.move(source, destination).run().state == .moved)
            let moved = try await world.open(destination)
            try await requireWhole(moved, saved)
            moved.close()
        }
    }

    @Test("A library that lacks bytes is moved only when that is accepted, and then the device is asked for them")
    func missingBytes() async throws {
        try await World.run { world in
            let (source, destination) = try (Pair.embedded.place("old", world), Pair.bucket.place("new", world))
            let store = try await world.create(source)
            let (manifest, bytes) = world.fixture.capture(sizes: [900])
            try await world.fixture.save(manifest, bytes, to: store)
            store.close()
            let address = ContentAddress(manifest.resources[0].digest, contentType: "image/jpeg")
            try PosixFileSystem().unlink(address.path(in: source.layout.originals))
            #expect(await code { _ = try await world.move(source, destination).run() } == .damaged)
            let report = try await world.move(source, destination).run(acceptsMissing: true)
            #expect(report.state == .moved && report.missing == [address.digest])
            let moved = try await world.open(destination)
            #expect(try await moved.metadata.standing(of: StoreFixture.device, missing: 10).missing == [manifest.id])
            moved.close()
        }
    }

    @Test("A server that was forgotten and wrote meanwhile ends the move; afterwards none can write to the old schema")
    func forgottenServer() async throws {
        try await World.run { world in
            let (source, destination) = try (Pair.database.place("old", world), Pair.embedded.place("new", world))
            let store = try await world.create(source)
            let (manifest, bytes) = world.fixture.capture(sizes: [10])
            try await world.fixture.save(manifest, bytes, to: store)
            // It serves the same schema from a folder of its own, on another machine, and goes on.
            let identity = try await store.metadata.identity()
            store.close()
            let (late, lateBytes) = world.fixture.capture(sizes: [20])
            try await world.fixture.save(late, lateBytes, to: store)
            let move = world.move(source, destination)
            let departure = Departure(store.id, ArrivalID(rawValue: 1), to: "elsewhere")
            #expect(await code { try await move.depart(departure, identity) } == .locked)
            try await move.depart(departure, try await store.metadata.identity())
            await #expect(throws: (any Error).self) { _ = try await store.metadata.identity() }
            let (lost, lostBytes) = world.fixture.capture(sizes: [30])
            await #expect(throws: (any Error).self) { try await world.fixture.save(lost, lostBytes, to: store) }
            let elsewhere = world.fixture.directory.path.appending("elsewhere")
            try PosixFileSystem().createDirectories(elsewhere.appending("originals"))
            try LibraryLayout(root: elsewhere).mark(store.id, in: PosixFileSystem())
            let copy = LibraryPlace(root: elsewhere, metadata: source.metadata, originals: .folder, description: "")
            let error = await #expect(throws: Persistence.PersistenceError.self) { _ = try await world.open(copy) }
            #expect(error?.message.contains("moved to elsewhere") == true, "it says so from every machine")
        }
    }

    @Test("A backup of every pair is restored into every pair", arguments: Pair.allCases)
    func restores(_ new: Pair) async throws {
        try await World.run { world in
            for old in [Pair.embedded, .cluster] {
                let source = try old.place("old-\(old.rawValue)", world)
                let store = try await world.create(source)
                let saved = try await fill(store, world.fixture)
                let backup = world.fixture.directory.path.appending("backup-\(old.rawValue)")
                #expect(try await store.backUp(to: backup, keeping: 1).manifest.missing == [])
                let identity = try await store.metadata.identity()
                store.close()
                let destination = try new.place("new-\(old.rawValue)", world)
                let report = try await LibraryRestore(from: backup)
                    .restore(to: destination, effects: world.fixture.effects, logger: world.silent)
                #expect(report.missing == [] && report.contents == 5)
                let restored = try await world.open(destination)
                let now = try await restored.metadata.identity()
                #expect(now.epoch == report.epoch && now.epoch != identity.epoch)
                #expect(now.lastChange == identity.lastChange)
                try await requireWhole(restored, saved)
                restored.close()
            }
        }
    }
}

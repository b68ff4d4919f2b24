import Authorization
import LibraryAPI
import LibraryStoreTestSupport
import Logging
import Persistence
import PhotoModel
import Replication
import TestSupport
import Testing

@testable import LibraryStore

/// What devices do most often, in statements: each is prepared once and not planned anew for every use.
struct StatementCostTests {
    private static let caller = StoreCaller.device(StoreFixture.device)

    /// A library whose statements are counted.
    private struct Counted {
        let fixture: StoreFixture
        let store: LibraryStore
        let metadata: SQLMetadataStore
        let count: StatementCount
    }

    /// One with a photo, so that the device's first use of the day is noted.
    private static func counted(in engine: RowEngine) async throws -> Counted {
        let fixture = try StoreFixture(in: engine)
        let library = try await fixture.create()
        let (manifest, bytes) = fixture.capture()
        try await fixture.save(manifest, bytes, to: library)
        let metadata = try #require(library.metadata as? SQLMetadataStore)
        let count = StatementCount()
        let counted = try await metadata.over(CountedRowStore(rows: metadata.store, count: count), fixture)
        let store = LibraryStore(
            id: library.id,
            metadata: counted,
            content: library.content,
            blocking: library.blocking,
            lock: SharedLock(),
            authority: library.authority,
            effects: fixture.effects,
            settings: library.settings,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        )
        _ = (count.take(), count.takeTemporary())
        return Counted(fixture: fixture, store: store, metadata: counted, count: count)
    }

    /// The lock of a library that the test has open already.
    private final class SharedLock: FileLock {
        func release() {}
    }

    @Test("a photo takes 37 statements, and prepares none for one use", arguments: RowEngine.installed)
    func saving(in engine: RowEngine) async throws {
        let library = try await Self.counted(in: engine)
        let (fixture, store, count) = (library.fixture, library.store, library.count)
        let (manifest, bytes) = fixture.capture()
        let upload = try await store.create(manifest, by: Self.caller).uploads[0]
        let status = try await store.append(
            to: upload.id,
            at: 0,
            isLast: true,
            content: Pieces(bytes),
            by: Self.caller
        )
        let answer = try await store.commit(manifest.id, by: Self.caller)
        #expect(count.takeTemporary() == [])
        let statements = count.take()
        #expect(statements <= 37, "\(statements)")
        #expect(status.isComplete && status.offset == upload.length && status.id == upload.id)
        #expect(status.expires > upload.expires)
        #expect(answer.receipt.receipt.assetID == manifest.id)
        _ = try await library.metadata.device(withKey: ContentHasher.digest(StoreFixture.device.description.utf8))
        #expect(count.takeTemporary() == [])
    }

    @Test("photos that are committed together read the library's row once", arguments: RowEngine.installed)
    func round(in engine: RowEngine) async throws {
        let library = try await Self.counted(in: engine)
        var counts: [Int] = []
        for width in [1, 3] {
            let requests = (0..<width).map { _ in
                CommitRequest(manifest: library.fixture.capture().manifest, caller: Self.caller, needsCreation: false)
            }
            for answer in await library.metadata.commit(requests) { _ = try answer.get() }
            counts.append(library.count.take())
        }
        #expect(counts[1] - 1 == 3 * (counts[0] - 1), "\(counts)")
    }

    @Test("an upload's status after some of its bytes is the one that is stored")
    func partialStatus() async throws {
        let library = try await Self.counted(in: .sqlite)
        let (fixture, store) = (library.fixture, library.store)
        let (manifest, bytes) = fixture.capture()
        let upload = try await store.create(manifest, by: Self.caller).uploads[0]
        var status = try await store.append(
            to: upload.id,
            at: 0,
            isLast: false,
            content: Pieces([Array(bytes[0][..<40])]),
            by: Self.caller
        )
        let stored = try await store.status(of: upload.id, by: Self.caller)
        // The clock went on in between.
        #expect(status.expires >= stored.expires)
        status.expires = stored.expires
        #expect(status == stored && stored.offset == 40)
    }

    @Test(
        "a contact with nothing new takes eleven statements, and prepares none for one use",
        arguments: RowEngine.installed
    )
    func contact(in engine: RowEngine) async throws {
        let library = try await Self.counted(in: engine)
        let (fixture, metadata, count) = (library.fixture, library.metadata, library.count)
        let (device, now) = (StoreFixture.device, fixture.clock.now)
        let replica = TestReplica(0xABC, device: device, milliseconds: UInt64(now.millisecondsSince1970))
        let first = try await metadata.contact(replica.contact(), ticket: nil, from: nil, by: device) { _ in }
        let identity = try await metadata.identity()
        let position = ChangePosition(
            epoch: identity.epoch,
            viewVersion: first.record.grantVersion,
            number: identity.lastChange
        )
        _ = (count.take(), count.takeTemporary())
        _ = try await metadata.device(withKey: ContentHasher.digest(device.description.utf8))
        let second = try await metadata.contact(
            replica.contact(),
            ticket: first.judgement.ticket,
            from: position,
            by: device
        ) { $0.lastSeen = now }
        let standing = try await metadata.standing(of: device, missing: 100)
        #expect(count.takeTemporary() == [])
        let statements = count.take()
        #expect(statements <= 11, "\(statements)")
        #expect(second.judgement.verdict.remedy == .proceed && second.profile.lastSeen == now)
        #expect(standing.record == second.record && standing.identity == identity && standing.missing == [])
    }

    @Test("assets are read with their albums by one statement, however many they are", arguments: RowEngine.installed)
    func assets(in engine: RowEngine) async throws {
        let library = try await Self.counted(in: engine)
        let (metadata, count) = (library.metadata, library.count)
        for album in AssetGenerator.albums {
            try await metadata.insertForTests(Album(id: album, title: "Album"))
        }
        var generator = SeededGenerator(seed: 7)
        var albums: [AssetID: Set<AlbumID>] = [:]
        for number in 1...9 as ClosedRange<UInt128> {
            let asset = AssetGenerator.asset(&generator, id: AssetID(rawValue: number))
            try await metadata.insertForTests([asset])
            albums[asset.id] = asset.albums
        }
        #expect(Set(albums.values).count > 1)
        let ids = Array(albums.keys)
        _ = count.take()
        let found = try await metadata.store.read { try AssetTable.fetch(ids, $0) }
        #expect(count.take() == 1)
        #expect(Dictionary(uniqueKeysWithValues: found.map { ($0.id, $0.albums) }) == albums)
        let one = try #require(albums.first { !$0.value.isEmpty })
        let alone = try await metadata.asset(one.key, in: .everything)
        #expect(alone?.albums == one.value && count.take() == 1)
    }
}

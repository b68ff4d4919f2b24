import Authorization
import LibraryAPI
import LibraryStoreTestSupport
import Persistence
import PhotoModel
import Replication
import TestSupport
import Testing

@testable import LibraryStore

/// What devices do most often, in statements: each is prepared once and not planned anew for every use.
struct StatementCostTests {
    private static let caller = StoreCaller.device(StoreFixture.device)

    /// A library with a photo, so that a device's first use of the day is noted, and counted rows.
    private static func counted(
        in engine: RowEngine
    ) async throws -> (fixture: StoreFixture, metadata: SQLMetadataStore, count: StatementCount) {
        let fixture = try StoreFixture(in: engine)
        let store = try await fixture.create()
        let (manifest, bytes) = fixture.capture()
        try await fixture.save(manifest, bytes, to: store)
        let metadata = try #require(store.metadata as? SQLMetadataStore)
        let count = StatementCount()
        let counted = try await metadata.over(CountedRowStore(rows: metadata.store, count: count), fixture)
        _ = (count.take(), count.takeTemporary())
        return (fixture, counted, count)
    }

    @Test("saving a photo prepares no statement for one use", arguments: RowEngine.installed)
    func saving(in engine: RowEngine) async throws {
        let (fixture, metadata, count) = try await Self.counted(in: engine)
        let (manifest, _) = fixture.capture()
        _ = try await metadata.device(withKey: ContentHasher.digest(StoreFixture.device.description.utf8))
        _ = try await metadata.promisedByteCount()
        for upload in try await metadata.create(manifest, by: Self.caller).uploads {
            _ = try await metadata.upload(upload.id, of: Self.caller)
            _ = try await metadata.address(ofUpload: upload.id)
            let whole = UploadProgress(id: upload.id, durableByteCount: upload.length, isComplete: true)
            for result in await metadata.record([whole]) { try result.get() }
        }
        guard case .publish(_, let planned) = try await metadata.planCommit(manifest.id, by: Self.caller) else {
            Issue.record("its bytes are complete")
            return
        }
        let request = CommitRequest(manifest: planned, caller: Self.caller, needsCreation: true)
        _ = try await metadata.commit([request])[0].get()
        #expect(count.takeTemporary() == [])
        let statements = count.take()
        #expect(statements <= 48, "\(statements)")
    }

    @Test(
        "a contact with nothing new takes eleven statements, and prepares none for one use",
        arguments: RowEngine.installed
    )
    func contact(in engine: RowEngine) async throws {
        let (fixture, metadata, count) = try await Self.counted(in: engine)
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
            ticket: first.response.ticket,
            from: position,
            by: device
        ) { $0.lastSeen = now }
        let standing = try await metadata.standing(of: device, missing: 100)
        #expect(count.takeTemporary() == [])
        let statements = count.take()
        #expect(statements <= 11, "\(statements)")
        #expect(second.response.verdict.remedy == .proceed && second.profile.lastSeen == now)
        #expect(standing.record == second.record && standing.identity == identity && standing.missing == [])
    }

    @Test("assets are read with their albums by one statement, however many they are", arguments: RowEngine.installed)
    func assets(in engine: RowEngine) async throws {
        let (_, metadata, count) = try await Self.counted(in: engine)
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

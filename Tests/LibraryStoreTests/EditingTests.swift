import Authorization
import LibraryAPI
import LibraryStore
import LibraryStoreTestSupport
import Persistence
import PersistenceTestSupport
import PhotoModel
import Replication
import TestSupport
import Testing

struct EditingTests {
    private let caller = StoreCaller.device(StoreFixture.device)
    private let administrator = StoreCaller.administrator("ana")

    @Test("an edit shows in the asset, in its filters and in its text search, and can be taken back")
    func edits() async throws {
        let fixture = try StoreFixture()
        let store = try await fixture.create()
        var (manifest, bytes) = fixture.capture()
        manifest.title = "Café at the gate"
        manifest.keywords = ["snow"].compactMap { Keyword($0) }
        manifest.location = Location(latitude: 50, longitude: 8)
        try await fixture.save(manifest, bytes, to: store)
        func count(_ filter: AssetFilter) async throws -> Int {
            try await store.metadata.count(FetchOptions(filter: filter), in: .everything)
        }
        let snow = try #require(Keyword("snow"))
        #expect(try await count(.text("cafe GAT")) == 1)
        #expect(try await count(.keyword(snow)) == 1)
        var moved = AssetEdit()
        moved.captureDateOverride = WallTime(microsecondsSince1970: 1_000_000_000_000_000)
        _ = try await store.metadata.edit(manifest.id, moved, in: .everything, by: caller)
        let gate = AssetQuery(options: FetchOptions(filter: .text("gate")))
        #expect(try await store.metadata.page(gate, in: .everything).assets.count == 1, "it is found at its new time")
        var edit = AssetEdit()
        edit.title = ""
        edit.rating = Rating(rawValue: 4)
        edit.removedKeywords = [snow]
        edit.location = Location(latitude: 10, longitude: 10)
        edit.captureDateOverride = WallTime(microsecondsSince1970: 5)
        let asset = try await store.metadata.edit(manifest.id, edit, in: .everything, by: caller)
        #expect(asset.title == nil && asset.rating.rawValue == 4 && asset.keywords.isEmpty)
        #expect(asset.location?.latitude == 10 && asset.captureDate.microsecondsSince1970 == 5)
        #expect(try await count(.text("cafe")) == 0)
        #expect(try await count(.keyword(snow)) == 0)
        #expect(try await count(.rating(atLeast: asset.rating)) == 1)
        let outside = LibraryView.own(StoreFixture.otherDevice)
        let code = await errorCode { _ = try await store.metadata.edit(manifest.id, edit, in: outside, by: caller) }
        #expect(code == .notFound)
    }

    @Test("trash hides, restoring brings back, purging is for good and its bytes wait in quarantine for their time")
    func trashAndPurge() async throws {
        let fixture = try StoreFixture()
        let store = try await fixture.create()
        let (manifest, bytes) = fixture.capture(sizes: [10], album: .title("A"))
        try await fixture.save(manifest, bytes, to: store)
        let early = await errorCode { try await store.purge(manifest.id, by: administrator) }
        #expect(early == .preconditionFailed)
        #expect(try await store.metadata.trash(manifest.id, in: .everything, by: caller).trashedAt != nil)
        #expect(try await store.metadata.count(FetchOptions(), in: .everything) == 0)
        #expect(try await store.metadata.count(FetchOptions(showsTrash: true), in: .everything) == 1)
        var restore = AssetEdit()
        restore.restores = true
        #expect(try await store.metadata.edit(manifest.id, restore, in: .everything, by: caller).trashedAt == nil)
        _ = try await store.metadata.trash(manifest.id, in: .everything, by: caller)
        fixture.clock.advance(days: 31)
        let collected = try await store.collect(by: administrator)
        #expect(collected == (purged: 1, deleted: 0))
        #expect(try await store.metadata.asset(manifest.id, in: .everything) == nil)
        #expect(try fixture.files.list(fixture.layout.quarantine).count == 1)
        fixture.clock.advance(days: 31)
        #expect(try await store.collect(by: administrator) == (purged: 0, deleted: 1))
        #expect(try fixture.files.list(fixture.layout.quarantine) == [])
        let other = StoreCaller.device(StoreFixture.otherDevice)
        #expect(try await store.create(manifest, by: caller).receipt != nil, "what it was told once, it is told again")
        #expect(try await store.metadata.statistics().contents == 0)
        let again = try await store.create(manifest, by: other)
        #expect(again.receipt == nil && again.uploads.count == 1, "who has no bytes of it is not")
        #expect(await errorCode { try await fixture.save(manifest, bytes, by: other, to: store) } == .assetPurged)
    }

    @Test("Bytes that an upload named when their asset was purged go once it is given up, and have a time of their own")
    func unreferenced() async throws {
        let fixture = try StoreFixture()
        let store = try await fixture.create()
        let (manifest, bytes) = fixture.capture(sizes: [10])
        try await fixture.save(manifest, bytes, to: store)
        var same = manifest
        same.id = fixture.capture().manifest.id
        let announced = try await store.create(same, by: .device(StoreFixture.otherDevice))
        func purge(_ asset: AssetID) async throws {
            _ = try await store.metadata.trash(asset, in: .everything, by: caller)
            try await store.purge(asset, by: administrator)
        }
        try await purge(manifest.id)
        #expect(try await store.quarantineUnreferenced() == 0, "somebody may send it still")
        try await store.cancel(announced.uploads[0].id, by: .device(StoreFixture.otherDevice))
        #expect(try await store.quarantineUnreferenced() == 1)
        #expect(try await store.quarantineUnreferenced() == 0)

        fixture.clock.advance(days: 20)
        let (again, _) = fixture.capture()
        var copy = manifest
        copy.id = again.id
        try await fixture.save(copy, bytes, to: store)
        try await purge(copy.id)
        #expect(try await store.metadata.statistics().quarantined == 1, "one file is one entry")
        fixture.clock.advance(days: 20)
        let early = try await store.collect(by: administrator)
        #expect(early == (purged: 0, deleted: 0), "its time begins with the second purge")
        fixture.clock.advance(days: 20)
        #expect(try await store.collect(by: administrator) == (purged: 0, deleted: 1))
    }

    @Test("bytes that another asset shares stay where they are when one is purged")
    func sharedBytes() async throws {
        let fixture = try StoreFixture()
        let store = try await fixture.create()
        let (first, bytes) = fixture.capture(sizes: [10])
        try await fixture.save(first, bytes, to: store)
        var second = first
        second.id = AssetID(rawValue: 99)
        try await fixture.save(second, bytes, to: store)
        _ = try await store.metadata.trash(first.id, in: .everything, by: caller)
        try await store.purge(first.id, by: administrator)
        let open = try await store.open(second.resources[0].id, of: second.id, in: .everything)
        #expect(try await open.read(100, at: 0) == bytes[0])
        #expect(try await store.verify(.init(isHashing: true, isRepairing: true)).findings == [])
    }

    @Test("albums keep their order, are paged by title, and lose nothing when deleted")
    func albums() async throws {
        let fixture = try StoreFixture()
        let store = try await fixture.create()
        var ids: [AssetID] = []
        for _ in 0..<3 {
            let (manifest, bytes) = fixture.capture(sizes: [10])
            try await fixture.save(manifest, bytes, to: store)
            ids.append(manifest.id)
        }
        let album = try await store.metadata.createAlbum(AlbumEdit(title: "B"), by: caller)
        for title in ["A", "C", "A"] { _ = try await store.metadata.createAlbum(AlbumEdit(title: title), by: caller) }
        try await store.metadata.add(ids, to: album.id, in: .everything, by: caller)
        try await store.metadata.add(ids, to: album.id, in: .everything, by: caller)
        var titles: [String] = []
        var cursor: ListCursor?
        repeat {
            let page = try await store.metadata.albums(in: .everything, limit: 3, cursor: cursor)
            titles += page.albums.map(\.album.title)
            cursor = page.next
        } while cursor != nil
        #expect(titles == ["A", "A", "B", "C"])
        let granted = try await store.metadata.albums(
            in: .selection(Selection(grantedAlbums: [album.id]), StoreFixture.device),
            limit: 3,
            cursor: nil
        ).albums
        #expect(granted.map(\.assetCount) == [3])
        #expect(try await store.metadata.count(FetchOptions(filter: .album(album.id)), in: .everything) == 3)
        try await store.metadata.remove(ids[0], from: album.id, in: .everything, by: caller)
        let gone = await errorCode {
            try await store.metadata.remove(ids[0], from: album.id, in: .everything, by: caller)
        }
        #expect(gone == .notFound)
        let renamed = try await store.metadata.editAlbum(album.id, AlbumEdit(title: "Z"), by: caller)
        #expect(renamed.title == "Z")
        try await store.metadata.deleteAlbum(album.id, by: caller)
        #expect(try await store.metadata.album(album.id) == nil)
        #expect(try await store.metadata.count(FetchOptions(), in: .everything) == 3)
        #expect(
            await errorCode { _ = try await store.metadata.createAlbum(AlbumEdit(), by: caller) } == .malformedRequest
        )
    }
}

import Authorization
import LibraryAPI
import LibraryStore
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
        #expect(await errorCode { _ = try await store.create(manifest, by: other) } == .assetPurged)
        #expect(try await store.metadata.statistics().contents == 0)
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
        #expect(try await store.verify(hashing: true, repairing: true).findings == [])
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
            let page = try await store.metadata.albums(nil, limit: 3, cursor: cursor)
            titles += page.albums.map(\.album.title)
            cursor = page.next
        } while cursor != nil
        #expect(titles == ["A", "A", "B", "C"])
        let granted = try await store.metadata.albums([album.id], limit: 3, cursor: nil).albums
        #expect(granted.map(\.assetCount) == [3])
        #expect(try await store.metadata.count(FetchOptions(filter: .album(album.id)), in: .everything) == 3)
        try await store.metadata.remove(ids[0], from: album.id, by: caller)
        let gone = await errorCode { try await store.metadata.remove(ids[0], from: album.id, by: caller) }
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

/// A replica on a device, as far as the store sees it.
struct TestReplica {
    var state = ReplicaState()
    var author: Author
    var history: HistoryChain
    var ticket: String?
    let device: DeviceID

    static let hash = HashFunction { hash($0) }

    static func hash(_ bytes: [UInt8]) -> HashValue {
        guard let value = HashValue(ContentHasher.digest(bytes).bytes) else { preconditionFailure("32 bytes") }
        return value
    }

    init(_ id: UInt128, device: DeviceID, milliseconds: UInt64) {
        let replica = ReplicaID(rawValue: id)
        author = Author(incarnation: Incarnation(replica: replica), milliseconds: milliseconds)
        history = HistoryChain(of: replica, hash: Self.hash)
        self.device = device
    }

    func contact(boot: UInt128 = 1) -> Contact {
        Contact(
            device: device.rawValue,
            incarnation: author.replica,
            history: history,
            hostFingerprint: Self.hash([7] as [UInt8]),
            bootID: boot
        )
    }

    mutating func push(_ changes: [Change?]) throws -> ChangePush {
        ChangePush(
            incarnation: author.replica.description,
            changes: try changes.compactMap(\.self).map { change in
                try history.append(change, hash: Self.hash)
                return .init(counter: change.dot.counter, delta: Base64Bytes(Delta(CollectionOfOne(change)).encoded))
            }
        )
    }
}

struct ReplicaTests {
    private let caller = StoreCaller.device(StoreFixture.device)

    private func start(_ fixture: StoreFixture) -> TestReplica {
        TestReplica(
            0xABC,
            device: StoreFixture.device,
            milliseconds: UInt64(fixture.clock.now.millisecondsSince1970)
        )
    }

    @Test("a replica's changes are taken once, merged, and seen in lists; pushing again changes nothing")
    func pushes() async throws {
        let fixture = try StoreFixture()
        let store = try await fixture.create()
        let (manifest, bytes) = fixture.capture()
        try await fixture.save(manifest, bytes, to: store)
        var replica = start(fixture)
        replica.ticket = try await store.metadata.contact(replica.contact(), ticket: nil, by: caller).ticket
        let id = EntityReference.asset(manifest.id).id
        let push = try replica.push([
            replica.state.set(.bool(true), field: AssetField.favorite, of: id, by: &replica.author),
            replica.state.add(.text("snow"), to: AssetField.keyword, of: id, by: &replica.author),
            replica.state.confirmAlbum(5, by: &replica.author),
            replica.state.set(.text("Gate"), field: AlbumField.title, of: .album(5), by: &replica.author),
        ])
        let answer = try await store.metadata.push(push, by: caller)
        #expect(answer.acknowledged == 4 && answer.refused == [])
        let asset = try #require(try await store.metadata.asset(manifest.id, in: .everything))
        #expect(asset.isFavorite && asset.keywords.map(\.text) == ["snow"])
        #expect(try await store.metadata.album(AlbumID(rawValue: 5))?.title == "Gate")
        let again = try await store.metadata.push(push, by: caller)
        #expect(again == answer)
    }

    @Test("a refused change says why, again on asking again, and blocks nothing behind it")
    func refusals() async throws {
        let fixture = try StoreFixture()
        let store = try await fixture.create()
        let (manifest, bytes) = fixture.capture()
        try await fixture.save(manifest, bytes, to: store)
        try await fixture.decide(StoreFixture.device, .selected, in: store)
        var replica = start(fixture)
        _ = try await store.metadata.contact(replica.contact(), ticket: nil, by: caller)
        let own = EntityReference.asset(manifest.id).id
        let push = try replica.push([
            replica.state.set(.bool(true), field: AssetField.favorite, of: .asset(404), by: &replica.author),
            replica.state.confirmAlbum(5, by: &replica.author),
            Self.purge(own, &replica),
            replica.state.set(.bool(true), field: AssetField.favorite, of: own, by: &replica.author),
        ])
        let answer = try await store.metadata.push(push, by: caller)
        #expect(answer.acknowledged == 4)
        #expect(answer.refused.map(\.counter) == [1, 2, 3])
        #expect(answer.refused.map(\.problem.code) == [.notFound, .insufficientScope, .changeInvalid])
        #expect(try await store.metadata.push(push, by: caller) == answer)
        #expect(try await store.metadata.replicas(of: StoreFixture.device).map(\.refusedCount) == [3])
    }

    /// A purge that a device makes up; its own state does not take it.
    private static func purge(_ id: EntityID, _ replica: inout TestReplica) throws -> Change {
        var copy = replica.state
        return try copy.purge(id, by: &replica.author)
    }

    @Test("gaps, stamps of tomorrow, other replicas' changes and strangers are refused")
    func broken() async throws {
        let fixture = try StoreFixture()
        let store = try await fixture.create()
        let (manifest, bytes) = fixture.capture()
        try await fixture.save(manifest, bytes, to: store)
        let id = EntityReference.asset(manifest.id).id
        var replica = start(fixture)
        let first = try replica.push([
            replica.state.set(.bool(true), field: AssetField.favorite, of: id, by: &replica.author)
        ])
        #expect(await errorCode { _ = try await store.metadata.push(first, by: caller) } == .preconditionFailed)
        _ = try await store.metadata.contact(start(fixture).contact(), ticket: nil, by: caller)
        let other = StoreCaller.device(StoreFixture.otherDevice)
        #expect(await errorCode { _ = try await store.metadata.push(first, by: other) } == .preconditionFailed)
        let second = try replica.push([
            replica.state.set(.bool(false), field: AssetField.favorite, of: id, by: &replica.author)
        ])
        #expect(await errorCode { _ = try await store.metadata.push(second, by: caller) } == .changeGap)
        var tomorrow = start(fixture)
        tomorrow.author.milliseconds += 86_400_000
        let ahead = try tomorrow.push([
            tomorrow.state.set(.bool(true), field: AssetField.favorite, of: id, by: &tomorrow.author)
        ])
        #expect(await errorCode { _ = try await store.metadata.push(ahead, by: caller) } == .clockAhead)
        var noise = first
        noise.changes[0].delta = Base64Bytes([1, 2, 3])
        #expect(await errorCode { _ = try await store.metadata.push(noise, by: caller) } == .changeInvalid)
        _ = try await store.metadata.push(first, by: caller)
        _ = try await store.metadata.push(second, by: caller)
    }

    @Test("T7, T3: a lost answer's ticket is forgiven, a copy that calls with an old one is found")
    func tickets() async throws {
        let fixture = try StoreFixture()
        let store = try await fixture.create()
        let replica = start(fixture)
        func call(_ ticket: String?) async throws -> ContactAnswer {
            try await store.metadata.contact(replica.contact(), ticket: ticket, by: caller)
        }
        let first = try await call(nil).ticket
        let second = try await call(first).ticket
        // The answer was lost: the box asks with the ticket before.
        let third = try await call(first).ticket
        #expect(second != third)
        // A copy that got the lost answer is found.
        #expect(try await call(second).verdict == .fork)
        let fourth = try await call(third).ticket
        #expect(fourth != nil)
        #expect(try await call(first).verdict == .fork)
        #expect(try await call(nil).verdict == .fork)
    }

    @Test("T8: a replica that knows less than the server was rolled back, one that knows something else is a fork")
    func histories() async throws {
        let fixture = try StoreFixture()
        let store = try await fixture.create()
        let (manifest, bytes) = fixture.capture()
        try await fixture.save(manifest, bytes, to: store)
        let id = EntityReference.asset(manifest.id).id
        let old = start(fixture)
        var replica = old
        let ticket = try await store.metadata.contact(replica.contact(), ticket: nil, by: caller).ticket
        let push = try replica.push([
            replica.state.set(.bool(true), field: AssetField.favorite, of: id, by: &replica.author)
        ])
        _ = try await store.metadata.push(push, by: caller)
        let rolledBack = try await store.metadata.contact(old.contact(), ticket: ticket, by: caller)
        #expect(rolledBack.verdict == .rolledBack(serverKnows: 1) && rolledBack.ticket == nil)
        var fork = old
        _ = try fork.push([fork.state.set(.bool(true), field: AssetField.hidden, of: id, by: &fork.author)])
        #expect(try await store.metadata.contact(fork.contact(), ticket: ticket, by: caller).verdict == .fork)
        let good = try await store.metadata.contact(replica.contact(), ticket: ticket, by: caller)
        #expect(good.acknowledged == 1 && good.ticket != nil)
    }
}

import Authorization
import LibraryAPI
import LibraryStore
import PhotoModel
import Replication
import Testing

/// Values that lost against concurrent ones: seen, and put back.
struct SupersededTests {
    private let caller = StoreCaller.device(StoreFixture.device)

    @Test("of two titles written at the same time the loser is told with its writer, and can be put back")
    func restore() async throws {
        let fixture = try StoreFixture()
        let store = try await fixture.create()
        var (manifest, bytes) = fixture.capture()
        manifest.captureFacts = CaptureFacts(trigger: "timer", lagMicroseconds: -1200)
        try await fixture.save(manifest, bytes, to: store)
        let saved = try #require(try await store.metadata.asset(manifest.id, in: .everything))
        #expect(saved.captureFacts == manifest.captureFacts)
        #expect(try await store.metadata.supersededEdits(of: manifest.id, in: .everything) == [])
        let entity = EntityReference.asset(manifest.id).id
        for number in UInt128(1)...2 {
            var replica = TestReplica(
                number << 100,
                device: StoreFixture.device,
                milliseconds: UInt64(fixture.clock.now.millisecondsSince1970)
            )
            _ = try await store.metadata.contact(replica.contact(), ticket: nil, following: nil, by: caller)
            let push = try replica.push([
                replica.state.set(.text("title \(number)"), field: AssetField.title, of: entity, by: &replica.author),
                replica.state.set(.bool(true), field: AssetField.favorite, of: entity, by: &replica.author),
            ])
            _ = try await store.metadata.push(push, by: caller)
        }
        let asset = try #require(try await store.metadata.asset(manifest.id, in: .everything))
        #expect(asset.title == "title 2")
        let lost = try #require(try await store.metadata.supersededEdits(of: manifest.id, in: .everything))
        #expect(lost.map(\.edit.title) == ["title 1", nil])
        #expect(lost.map(\.edit.isFavorite) == [nil, true])
        let first = try #require(lost.first)
        #expect(first.deviceID == StoreFixture.device)
        #expect(first.time < fixture.clock.now, "the clock of the writer, which has gone on since")
        let now = try await store.metadata.edit(manifest.id, first.edit, in: .everything, by: caller)
        #expect(now.title == "title 1")
        let rest = try await store.metadata.supersededEdits(of: manifest.id, in: .everything)
        #expect(rest?.map(\.edit.title) == [nil], "the favourite is still there, the title has no loser any more")
        let outside = LibraryView.own(StoreFixture.otherDevice)
        #expect(try await store.metadata.supersededEdits(of: manifest.id, in: outside) == nil)
    }
}

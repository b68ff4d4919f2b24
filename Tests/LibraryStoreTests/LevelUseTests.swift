import Authorization
import LibraryAPI
import LibraryStore
import LibraryStoreTestSupport
import PhotoModel
import Replication
import Testing

/// What is noted of the levels that devices use: `device lint` goes by it.
struct LevelUseTests {
    private let device = StoreFixture.device

    private func profile(in store: LibraryStore) async throws -> DeviceProfile {
        try #require(try await store.metadata.device(device)).profile
    }

    @Test("004.4: saving is a use of addOnly, noted once a day; a place in an album of the library is one of readWrite")
    func saving() async throws {
        let fixture = try StoreFixture()
        let store = try await fixture.create()
        let (first, firstBytes) = fixture.capture()
        try await fixture.save(first, firstBytes, to: store)
        let noted = try #require(try await profile(in: store).lastAdded)
        #expect(try await profile(in: store).lastRead == nil)
        let (second, secondBytes) = fixture.capture(album: .title("Gate"))
        try await fixture.save(second, secondBytes, to: store)
        #expect(try await profile(in: store).lastAdded == noted, "the same day")
        #expect(try await profile(in: store).lastRead != nil)
        fixture.clock.advance(days: 1)
        let (third, thirdBytes) = fixture.capture()
        try await fixture.save(third, thirdBytes, to: store)
        #expect(try #require(try await profile(in: store).lastAdded) > noted)
    }

    @Test("004.84: a push about an asset of another is a use of readWrite, one about its own is not")
    func pushing() async throws {
        let fixture = try StoreFixture()
        let store = try await fixture.create()
        let (own, ownBytes) = fixture.capture()
        try await fixture.save(own, ownBytes, to: store)
        let (foreign, foreignBytes) = fixture.capture()
        try await fixture.save(foreign, foreignBytes, by: .device(StoreFixture.otherDevice), to: store)
        let time = UInt64(fixture.clock.now.millisecondsSince1970)
        var replica = TestReplica(0xABC, device: device, milliseconds: time)
        _ = try await store.metadata.contact(replica.contact(), ticket: nil, by: .device(device))
        for (asset, isUse) in [(own.id, false), (foreign.id, true)] {
            let change = try replica.state.add(
                .text("red"),
                to: AssetField.keyword,
                of: EntityReference.asset(asset).id,
                by: &replica.author
            )
            let answer = try await store.metadata.push(replica.push([change]), by: .device(device))
            #expect(answer.refused.isEmpty)
            #expect(try await (profile(in: store).lastRead != nil) == isUse)
        }
    }

    @Test("What is due is what was not noted for a day, and what a clock that ran ahead noted")
    func due() {
        let now = WallTime(millisecondsSince1970: 1_750_000_000_000)
        let profile = DeviceProfile(name: "gate", build: "1", usage: UsageTexts(add: "x"), enrolled: now)
        #expect(profile.usesNotedSince == now)
        func isDue(afterSeconds seconds: Int64) -> Bool {
            DeviceProfile.isUseDue(at: now.advanced(by: .seconds(seconds)), lastNoted: now)
        }
        #expect(DeviceProfile.isUseDue(at: now, lastNoted: nil))
        #expect(!isDue(afterSeconds: 86_399) && isDue(afterSeconds: 86_400) && isDue(afterSeconds: -1))
    }
}

import Authorization
import Foundation
import LibraryAPI
import LibraryStore
import LibraryStoreTestSupport
import Persistence
import PhotoModel
import Replication
import TestSupport
import Testing

/// Removals that are forgotten when nobody needs them any more.
struct ForgettingTests {
    private let caller = StoreCaller.device(StoreFixture.device)
    private let everything = ChangeViewer.everything(grantVersion: 1)

    /// Saves an asset, and lets it go for good.
    private func remove(_ fixture: StoreFixture, _ store: LibraryStore) async throws -> AssetID {
        let (manifest, bytes) = fixture.capture()
        try await fixture.save(manifest, bytes, to: store)
        _ = try await store.metadata.trash(manifest.id, in: .everything, by: caller)
        try await store.purge(manifest.id, by: .administrator("ana"))
        return manifest.id
    }

    private func contact(_ id: UInt128, _ position: ChangePosition?, _ fixture: StoreFixture, _ store: LibraryStore)
        async throws
    {
        let time = UInt64(fixture.clock.now.millisecondsSince1970)
        let replica = TestReplica(id, device: StoreFixture.device, milliseconds: time)
        let answer = try await store.metadata.contact(
            replica.contact(),
            ticket: nil,
            following: position?.floor,
            by: caller
        )
        #expect(answer.verdict.remedy == .proceed)
    }

    @Test(
        "Removals wait for a device that continues the feed; not for a position of another history or grant",
        arguments: [(true, true), (false, true), (true, false)]
    )
    func positions(isOfHistory: Bool, isOfGrant: Bool) async throws {
        let fixture = try StoreFixture()
        let store = try await fixture.create()
        let identity = try await store.metadata.identity()
        let device = try #require(try await store.metadata.device(StoreFixture.device))
        let position = ChangePosition(
            epoch: isOfHistory ? identity.epoch : LibraryEpoch(rawValue: 7),
            viewVersion: device.record.grantVersion + (isOfGrant ? 0 : 1),
            number: identity.lastChange
        )
        let now = fixture.clock.now
        let time = UInt64(now.millisecondsSince1970)
        let replica = TestReplica(0xA, device: StoreFixture.device, milliseconds: time)
        let contact = try await store.metadata.contact(
            replica.contact(),
            ticket: nil,
            from: position,
            by: StoreFixture.device
        ) { $0.lastSeen = now }
        #expect(contact.judgement.verdict.remedy == .proceed && contact.record == device.record)
        let seen = try #require(try await store.metadata.device(StoreFixture.device)).profile
        #expect(seen.lastSeen == now && contact.profile == seen)
        _ = try await remove(fixture, store)
        let (filler, bytes) = fixture.capture()
        try await fixture.save(filler, bytes, to: store)
        fixture.clock.advance(days: 40)
        #expect(try await store.forgetRemovals() == (isOfHistory && isOfGrant ? 0 : 1))
    }

    @Test("Removals stay while a replica has not been told of them, and while they are young; then old tokens expire")
    func forgets() async throws {
        let fixture = try StoreFixture()
        let store = try await fixture.create()
        let (kept, bytes) = fixture.capture()
        try await fixture.save(kept, bytes, to: store)
        let early = try await store.metadata.changes(after: nil, limit: 100, for: everything).position
        try await contact(0xA, early, fixture, store)
        let gone = try await remove(fixture, store)
        #expect(try await store.forgetRemovals() == 0, "too young")
        fixture.clock.advance(days: 40)
        let (late, lateBytes) = fixture.capture()
        try await fixture.save(late, lateBytes, to: store)
        #expect(try await store.forgetRemovals() == 0, "a replica has not heard of it")
        let told = try await store.metadata.changes(after: early, limit: 100, for: everything)
        #expect(told.changes.map(\.entity) == [.asset(late.id)], "what it never saw is not told")
        let again = fixture.capture(id: gone)
        let other = StoreCaller.device(StoreFixture.otherDevice)
        let refused = await errorCode { try await fixture.save(again.manifest, again.bytes, by: other, to: store) }
        #expect(refused == .assetPurged)

        // The replica calls again, half a year later: nobody waits for it any more.
        fixture.clock.advance(days: 200)
        let (filler, fillerBytes) = fixture.capture()
        try await fixture.save(filler, fillerBytes, to: store)
        fixture.clock.advance(days: 40)
        #expect(try await store.forgetRemovals() == 1)
        #expect(try await store.forgetRemovals() == 0)
        let expired = await errorCode {
            _ = try await store.metadata.changes(after: early, limit: 100, for: everything)
        }
        #expect(expired == .tokenExpired)
        // What is captured is taken as ever; the identifier is one that nobody remembers.
        try await fixture.save(again.manifest, again.bytes, by: other, to: store)
    }

    @Test("T80: a replica that keeps in contact but names a number of half a year ago holds no removals any more")
    func oldNumber() async throws {
        let fixture = try StoreFixture()
        let store = try await fixture.create()
        let (kept, bytes) = fixture.capture()
        try await fixture.save(kept, bytes, to: store)
        let early = try await store.metadata.changes(after: nil, limit: 100, for: everything).position
        _ = try await remove(fixture, store)
        fixture.clock.advance(days: 100)
        let (filler, fillerBytes) = fixture.capture()
        try await fixture.save(filler, fillerBytes, to: store)
        try await contact(0xA, early, fixture, store)
        #expect(try await store.forgetRemovals() == 0, "it may still enumerate")
        fixture.clock.advance(days: 150)
        try await contact(0xB, early, fixture, store)
        #expect(try await store.forgetRemovals() == 1)
        let expired = await errorCode {
            _ = try await store.metadata.changes(after: early, limit: 100, for: everything)
        }
        #expect(expired == .tokenExpired)
    }

    @Test("An enumeration that began after the last removal goes on, however small the numbers of its pages")
    func enumerates() async throws {
        let fixture = try StoreFixture()
        let store = try await fixture.create()
        let captures = (0..<5).map { _ in fixture.capture() }
        for (manifest, bytes) in captures { try await fixture.save(manifest, bytes, to: store) }
        _ = try await remove(fixture, store)
        let old = try await store.metadata.changes(after: nil, limit: 2, for: everything)
        fixture.clock.advance(days: 40)
        _ = try await remove(fixture, store)
        fixture.clock.advance(days: 40)
        try await fixture.save(captures[0].manifest, captures[0].bytes, to: store)
        #expect(try await store.forgetRemovals() > 0)
        let expired = await errorCode {
            _ = try await store.metadata.changes(after: old.position, limit: 2, for: everything)
        }
        #expect(expired == .tokenExpired, "something went after it began")
        var position: ChangePosition?
        var seen: Set<EntityReference> = []
        repeat {
            let page = try await store.metadata.changes(after: position, limit: 2, for: everything)
            seen.formUnion(page.changes.map(\.entity))
            position = page.position
            if !page.hasMore { break }
        } while true
        #expect(seen == Set(captures.map { EntityReference.asset($0.manifest.id) }))
        #expect(position?.floor == position?.number)
    }
}

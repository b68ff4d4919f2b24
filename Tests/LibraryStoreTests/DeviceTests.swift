import Authorization
import Foundation
import GRDB
import LibraryAPI
import Persistence
import PersistenceTestSupport
import PhotoModel
import Replication
import TestSupport
import Testing

@testable import LibraryStore

struct DeviceTests {
    @Test("a decision and its audit entry are one transaction, and the chain verifies")
    func audited() async throws {
        let fixture = try StoreFixture()
        let store = try await fixture.create()
        let record = try await fixture.decide(StoreFixture.device, .selected, in: store)
        #expect(try await store.metadata.device(StoreFixture.device)?.record == record)
        let entries = try await store.metadata.audit(after: 0, device: nil, limit: 100)
        let chain = AuditChain { ContentHasher.digest($0) }
        let head = try chain.verify(entries)
        #expect(head.sequence == UInt64(entries.count) && entries.count == 7)
        #expect(throws: AuditProblem.self) { try chain.verify(entries.dropFirst()) }
        let own = try await store.metadata.audit(after: 1, device: StoreFixture.device, limit: 100)
        #expect(own.allSatisfy { $0.content.device == StoreFixture.device.description } && own.count == 3)
        let device = Actor.device(StoreFixture.device)
        await #expect(throws: AuthorizationError.self) {
            try await store.metadata.decide(
                StoreFixture.device,
                .answer(.all, for: [.readWrite]),
                by: device,
                reason: "",
                audit: AuditContext()
            )
        }
    }

    /// Adds the nth of some new devices, of which two may wait for a decision.
    private func addDevice(_ number: UInt8, _ fixture: StoreFixture, to store: LibraryStore) async throws
        -> DeviceAddition
    {
        try await store.metadata.addDevice(
            DeviceID(rawValue: 1000 + UInt128(number)),
            profile: DeviceProfile(name: "box", build: "1", usage: UsageTexts(add: "x"), enrolled: fixture.clock.now),
            key: DeviceKeyRecord(
                fingerprint: ContentHasher.digest([number]),
                certificateExpires: fixture.clock.now,
                isCurrent: true
            ),
            ceiling: { _, _ in .unlimited },
            pendingLimit: 2,
            audit: AuditEntry.Content(.enrol, by: "test")
        )
    }

    @Test(
        "an enrolment counts the devices that wait for a decision, and reads no other device's record",
        arguments: RowEngine.installed
    )
    func waitingDevices(in engine: RowEngine) async throws {
        let fixture = try StoreFixture(in: engine)
        let store = try await fixture.create()
        let metadata = try #require(store.metadata as? SQLMetadataStore)
        try await metadata.store.write([.library]) { database in
            try database.execute(
                "UPDATE device SET record = ? WHERE id = ?",
                [#"{"state": {"active": {}}, "unread": true}"#, StoreFixture.otherDevice.blob]
            )
        }
        #expect(try await addDevice(1, fixture, to: store) == .added)
        #expect(try await addDevice(2, fixture, to: store) == .added)
        #expect(try await addDevice(3, fixture, to: store) == .tooManyPending(2))
        #expect(try await addDevice(2, fixture, to: store) == .known)
        _ = try await store.metadata.decide(
            DeviceID(rawValue: 1001),
            .state(.approved),
            by: .administrator("ana"),
            reason: "",
            audit: AuditContext()
        )
        #expect(try await addDevice(3, fixture, to: store) == .added)
        #expect(try await addDevice(4, fixture, to: store) == .tooManyPending(2))
    }

    @Test("the devices that wait for a decision are found by an index, however many others there are")
    func waitingPlan() async throws {
        let fixture = try StoreFixture()
        let store = try await fixture.create()
        let metadata = try #require(store.metadata as? SQLMetadataStore)
        let plan = try await metadata.database.read { database in
            try Row.fetchAll(database, sql: "EXPLAIN QUERY PLAN " + DeviceTable.pendingCount)
                .map { $0["detail"] as String }
        }
        #expect(plan.count == 1 && plan.allSatisfy { $0.contains("INDEX device_pending (<expr>=?)") }, "\(plan)")
    }

    @Test("a key belongs to one device; a new one stands beside the old until it is used")
    func keys() async throws {
        let fixture = try StoreFixture()
        let store = try await fixture.create()
        let old = try #require(try await store.metadata.keys(of: StoreFixture.device).first)
        #expect(try await store.metadata.device(withKey: old.fingerprint)?.record.device == StoreFixture.device)
        let new = DeviceKeyRecord(
            fingerprint: ContentHasher.digest([9]),
            certificateExpires: fixture.clock.now,
            isCurrent: false
        )
        let audit = AuditEntry.Content(.rotate, by: "test")
        let others = try #require(try await store.metadata.keys(of: StoreFixture.otherDevice).first)
        try await store.metadata.setKey(of: StoreFixture.device, to: new, showing: old.fingerprint, audit: audit)
        let code = await errorCode {
            try await store.metadata.setKey(
                of: StoreFixture.otherDevice,
                to: new,
                showing: others.fingerprint,
                audit: audit
            )
        }
        #expect(code == .enrollmentConflict)
        #expect(try await store.metadata.keys(of: StoreFixture.device).count == 2)
        try await store.metadata.useOnlyKey(new.fingerprint, of: StoreFixture.device)
        #expect(try await store.metadata.keys(of: StoreFixture.device).map(\.fingerprint) == [new.fingerprint])
        #expect(try await store.metadata.device(withKey: old.fingerprint) == nil)
    }

    @Test("an album that cannot be filled after a decision holds up no other, and its photo goes on waiting for it")
    func damagedDeferredAlbum() async throws {
        let fixture = try StoreFixture()
        let store = try await fixture.create()
        let metadata = try #require(store.metadata as? SQLMetadataStore)
        try await fixture.decide(StoreFixture.device, .addOnly, in: store)
        let damaged = try await metadata.createAlbum(AlbumEdit(title: "Damaged"), by: .administrator("ana")).id
        for album in [DesiredAlbum.title("Before"), .id(damaged), .title("After")] {
            let (manifest, bytes) = fixture.capture(album: album)
            try await fixture.save(manifest, bytes, to: store)
        }
        try await metadata.database.write { database in
            try database.execute(
                sql: "UPDATE entity SET state = x'00' WHERE kind = 4 AND first = ?",
                arguments: [damaged.blob]
            )
        }
        try await fixture.decide(StoreFixture.device, .all, in: store)
        #expect(try await metadata.applyDeferredAlbums(of: StoreFixture.device) == 2)
        let waiting = try await metadata.database.read { database in
            try Data.fetchAll(database, sql: "SELECT desired FROM deferred_album").count
        }
        #expect(waiting == 1)
    }

    @Test("T50: a device is judged without what it says of itself", arguments: RowEngine.installed)
    func judgedByDecisions(engine: RowEngine) async throws {
        let fixture = try StoreFixture(in: engine)
        let store = try await fixture.create()
        let key = try #require(try await store.metadata.keys(of: StoreFixture.device).first)
        try await store.metadata.noteUse(of: .readWrite, by: StoreFixture.device)
        let lastRead = try #require(try await store.metadata.device(StoreFixture.device)?.profile.lastRead)
        try await Self.overwrite("name", of: StoreFixture.device, with: "{}", in: store)
        await #expect(throws: (any Error).self) { try await store.metadata.device(StoreFixture.device) }
        let owner = try #require(try await store.metadata.device(withKey: key.fingerprint))
        #expect(owner.record.device == StoreFixture.device && owner.key == key && owner.lastRead == lastRead)
    }

    @Test("T50: a stored status beyond its limits is absent, and ends no list", arguments: RowEngine.installed)
    func storedStatus(engine: RowEngine) async throws {
        let fixture = try StoreFixture(in: engine)
        let store = try await fixture.create()
        let holds = (0...APILimits.holdReasonCount).map { "\"\($0)\": 1" }.joined(separator: ", ")
        let status = """
            {"queuedAssets": 1, "queuedBytes": 1, "deadLetters": 0, "freeBytes": 1, "build": "1", "holds": {\(holds)}}
            """
        try await Self.overwrite("status", of: StoreFixture.device, with: status, in: store)
        #expect(try await store.metadata.devices().map(\.profile.status) == [nil, nil])
        let device = try #require(try await store.metadata.device(StoreFixture.device))
        #expect(device.profile.name == "box")
        // The next status takes its place.
        let fresh = ContactRequest.Status(queuedAssets: 1, queuedBytes: 2, freeBytes: 3, build: "1")
        _ = try await store.metadata.updateProfile(of: StoreFixture.device, closing: [], audit: nil) {
            $0.status = fresh
        }
        #expect(try await store.metadata.device(StoreFixture.device)?.profile.status == fresh)
    }

    /// Replaces a member of a stored profile by other JSON, as an older server or a damaged disk may leave it.
    private static func overwrite(
        _ member: String,
        of device: DeviceID,
        with json: String,
        in store: LibraryStore
    ) async throws {
        let metadata = try #require(store.metadata as? SQLMetadataStore)
        try await metadata.store.write([.device(device)]) { database in
            let stored = try database.value(String.self, "SELECT profile FROM device WHERE id = ?", [device.blob])
            let object = try JSONSerialization.jsonObject(with: Data((stored ?? "").utf8))
            var profile = try #require(object as? [String: Any])
            profile[member] = try JSONSerialization.jsonObject(with: Data(json.utf8))
            let text = String(decoding: try JSONSerialization.data(withJSONObject: profile), as: UTF8.self)
            try database.execute("UPDATE device SET profile = ? WHERE id = ?", [text, device.blob])
        }
    }

    @Test("T2: a token that is used twice at the same time has one winner")
    func recordsAreAtomic() async throws {
        let fixture = try StoreFixture()
        let store = try await fixture.create()
        let id = RecordID(rawValue: 1)
        let secret = ContentHasher.digest([1])
        let token = StoredRecord(
            id: id,
            secondary: secret,
            expires: fixture.clock.now.advanced(by: .seconds(60)),
            document: "1"
        )
        _ = try await store.metadata.updateRecord(id, of: .enrollmentToken, audit: nil) { _ in token }
        #expect(try await store.metadata.record(of: .enrollmentToken, withSecondary: secret) == token)
        let winners = await Self.race(id, store)
        #expect(winners == 1)
        fixture.clock.advance(days: 1)
        #expect(try await store.metadata.record(id, of: .enrollmentToken) == nil)
        #expect(try await store.metadata.records(of: .enrollmentToken) == [])
    }

    /// Uses a token up; false when somebody else did.
    private static func use(_ id: RecordID, _ store: LibraryStore) async -> Bool {
        await errorCode {
            _ = try await store.metadata.updateRecord(id, of: .enrollmentToken, audit: nil) { record in
                guard var record, record.document == "1" else { throw StoreError(.enrollmentTokenInvalid, "used up") }
                record.document = "0"
                return record
            }
        } == nil
    }

    /// Many uses of one token at the same time; how many succeeded.
    private static func race(_ id: RecordID, _ store: LibraryStore) async -> Int {
        await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<20 {
                group.addTask { await use(id, store) }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
    }
}

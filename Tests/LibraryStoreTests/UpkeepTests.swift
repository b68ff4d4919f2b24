import Authorization
import GRDB
import LibraryAPI
import LibraryStore
import Persistence
import PersistenceTestSupport
import PhotoModel
import TestSupport
import Testing

struct UpkeepTests {
    private let caller = StoreCaller.device(StoreFixture.device)

    @Test("verification finds missing, cut, changed, unreferenced and foreign files, and never serves damage as good")
    func finds() async throws {
        let fixture = try StoreFixture()
        let store = try await fixture.create()
        var addresses: [ContentAddress] = []
        var manifests: [AssetManifest] = []
        for _ in 0..<4 {
            let (manifest, bytes) = fixture.capture(sizes: [30])
            try await fixture.save(manifest, bytes, to: store)
            manifests.append(manifest)
            addresses.append(ContentAddress(manifest.resources[0].digest, contentType: "image/jpeg"))
        }
        let paths = addresses.map { $0.path(in: fixture.layout.originals) }
        try fixture.files.unlink(paths[0])
        fixture.files.damage(paths[1]) { $0.removeLast() }
        fixture.files.damage(paths[2]) { $0[7] ^= 1 }
        let stray = ContentAddress(ContentHasher.digest([1, 2, 3]), contentType: "image/png")
        try fixture.files.createDirectories(stray.directory(in: fixture.layout.originals))
        try fixture.files.writeAtomically(stray.path(in: fixture.layout.originals), [1, 2, 3])
        try fixture.files.writeAtomically(fixture.layout.originals.appending("notes.txt"), [1])
        try fixture.files.writeAtomically(fixture.layout.staging.appending("left"), [1])

        let quick = try await store.verify(hashing: false, repairing: false)
        #expect(!quick.findings.contains { $0.kind == .wrongDigest })
        let report = try await store.verify(hashing: true, repairing: true)
        let kinds = Dictionary(report.findings.map { ($0.object, $0.kind) }) { first, _ in first }
        #expect(kinds[addresses[0].description] == .missingBytes)
        #expect(kinds[addresses[1].description] == .wrongLength)
        #expect(kinds[addresses[2].description] == .wrongDigest)
        #expect(kinds[stray.description] == .unreferencedBytes)
        #expect(kinds["notes.txt"] == .foreignFile)
        #expect(kinds["left"] == .abandonedStaging)
        #expect(report.findings.count == 6 && report.checkedContents == 4)
        let taken = Set([stray, addresses[1], addresses[2]].map(\.fileName))
        #expect(Set(try fixture.files.list(fixture.layout.quarantine)) == taken)
        for manifest in manifests.prefix(3) {
            let code = await errorCode {
                _ = try await store.open(manifest.resources[0].id, of: manifest.id, in: .everything)
            }
            #expect(code == .storageDamaged)
        }
        let after = try await store.verify(hashing: true, repairing: true)
        #expect(!after.findings.contains { $0.kind == .unreferencedBytes || $0.kind == .abandonedStaging })
    }

    @Test("bytes that are missing come back from quarantine where they are whole")
    func restores() async throws {
        let fixture = try StoreFixture()
        let store = try await fixture.create()
        let (manifest, bytes) = fixture.capture(sizes: [30])
        try await fixture.save(manifest, bytes, to: store)
        let address = ContentAddress(manifest.resources[0].digest, contentType: "image/jpeg")
        _ = try store.content.quarantine(address)
        let report = try await store.verify(hashing: true, repairing: true)
        #expect(report.findings.map(\.kind) == [.restoredBytes])
        let open = try await store.open(manifest.resources[0].id, of: manifest.id, in: .everything)
        #expect(try await open.read(100, at: 0) == bytes[0])
    }

    @Test("bytes that a crash left without a row count as the upload's when they come to be committed")
    func orphanIsAdopted() async throws {
        let fixture = try StoreFixture()
        let store = try await fixture.create()
        let (manifest, bytes) = fixture.capture(sizes: [30])
        let upload = try await store.create(manifest, by: caller).uploads[0]
        try await fixture.send(bytes[0], to: upload, by: caller, store)
        // As if the process had ended between rename and transaction.
        let address = ContentAddress(manifest.resources[0].digest, contentType: "image/jpeg")
        try fixture.files.createDirectories(address.directory(in: fixture.layout.originals))
        try fixture.files.rename(
            fixture.layout.staging.appending(upload.id.description),
            to: address.path(in: fixture.layout.originals)
        )
        #expect(try await store.verify(hashing: true, repairing: true).findings == [], "an upload wants these bytes")
        _ = try await store.commit(manifest.id, by: caller)
    }

    @Test("the newest schema made at once is the one that migrations lead to, step by step")
    func migrations() throws {
        let directory = try TemporaryDirectory()
        func dump(_ path: Path) throws -> [String] {
            let pool = try SQLiteMetadataStore.opening(path).open()
            return try pool.read { database in
                try String.fetchAll(database, sql: "SELECT ifnull(sql, name) FROM sqlite_master ORDER BY type, name")
            }
        }
        let schema = SQLiteMetadataStore.opening(directory.path).schema
        let old = directory.path.appending("old")
        for count in 1...schema.migrations.count {
            _ = try DatabaseOpening(old, schema: schema.prefix(count)).open()
        }
        #expect(try dump(old) == dump(directory.path.appending("new")))
    }

    @Test("the library's own database promises what it must: WAL, synchronous FULL, foreign keys")
    func pragmas() throws {
        let directory = try TemporaryDirectory()
        let opening = SQLiteMetadataStore.opening(directory.path.appending("db"))
        try opening.check(try opening.open())
    }

    @Test("statistics count what is there")
    func statistics() async throws {
        let fixture = try StoreFixture()
        let store = try await fixture.create()
        let (manifest, bytes) = fixture.capture(sizes: [30, 12])
        try await fixture.save(manifest, bytes, to: store)
        _ = try await store.create(fixture.capture().manifest, by: caller)
        let statistics = try await store.metadata.statistics()
        #expect(statistics.assets == 1 && statistics.contents == 2 && statistics.contentBytes == 42)
        #expect(statistics.uploads == 1 && statistics.devices == 2 && statistics.lastChange.rawValue == 1)
    }

    @Test("T22: an addOnly device's hash check knows its own uploads and nothing else")
    func hashCheck() async throws {
        let fixture = try StoreFixture()
        let store = try await fixture.create()
        let (mine, mineBytes) = fixture.capture()
        let (theirs, theirBytes) = fixture.capture()
        try await fixture.save(mine, mineBytes, to: store)
        try await fixture.save(theirs, theirBytes, by: .device(StoreFixture.otherDevice), to: store)
        let digests = [mine, theirs].map(\.resources[0].digest)
        let own = try await store.metadata.knownDigests(digests, in: .own(StoreFixture.device))
        #expect(own == [digests[0]])
        #expect(try await store.metadata.knownDigests(digests, in: .everything) == digests)
    }
}

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

    @Test("T24: a device has one open question a level; it closes with the answer or with its time")
    func requests() async throws {
        let fixture = try StoreFixture()
        let store = try await fixture.create()
        let id = DeviceID(rawValue: 0xD3)
        try await fixture.addDevice(id, answer: nil, to: store)
        func ask() async throws -> AccessRequests.Outcome {
            try await store.metadata.requestAccess(.addOnly, for: id, usage: "gate camera", audit: AuditContext())
        }
        guard case .opened(let request) = try await ask() else {
            Issue.record("not opened")
            return
        }
        #expect(try await ask() == .pending(request))
        #expect(try await store.metadata.openRequests() == [request])
        fixture.clock.advance(days: 8)
        #expect(try await store.metadata.openRequests() == [])
        guard case .opened = try await ask() else {
            Issue.record("not opened again")
            return
        }
        try await fixture.decide(id, .addOnly, in: store)
        #expect(try await store.metadata.openRequests() == [])
        #expect(try await ask() == .remembered(.authorized))
    }

    @Test("a key belongs to one device; a new one stands beside the old until it is used")
    func keys() async throws {
        let fixture = try StoreFixture()
        let store = try await fixture.create()
        let old = try #require(try await store.metadata.keys(of: StoreFixture.device).first)
        #expect(try await store.metadata.device(withKey: old.fingerprint)?.row.record.device == StoreFixture.device)
        let new = DeviceKeyRecord(
            fingerprint: ContentHasher.digest([9]),
            certificateExpires: fixture.clock.now,
            isCurrent: false
        )
        let audit = AuditEntry.Content(.rotate, by: "test")
        try await store.metadata.setKey(of: StoreFixture.device, to: new, audit: audit)
        let code = await errorCode {
            try await store.metadata.setKey(of: StoreFixture.otherDevice, to: new, audit: audit)
        }
        #expect(code == .enrollmentConflict)
        #expect(try await store.metadata.keys(of: StoreFixture.device).count == 2)
        try await store.metadata.useOnlyKey(new.fingerprint, of: StoreFixture.device)
        #expect(try await store.metadata.keys(of: StoreFixture.device).map(\.fingerprint) == [new.fingerprint])
        #expect(try await store.metadata.device(withKey: old.fingerprint) == nil)
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

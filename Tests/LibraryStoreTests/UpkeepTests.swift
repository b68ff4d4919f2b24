import Authorization
import Foundation
import GRDB
import LibraryAPI
import Persistence
import PersistenceTestSupport
import PhotoModel
import TestSupport
import Testing

@testable import LibraryStore

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

        let quick = try await store.verify(.init(isHashing: false, isRepairing: false))
        #expect(!quick.findings.contains { $0.kind == .wrongDigest })
        let report = try await store.verify(.init(isHashing: true, isRepairing: true))
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
        let after = try await store.verify(.init(isHashing: true, isRepairing: true))
        #expect(!after.findings.contains { $0.kind == .unreferencedBytes || $0.kind == .abandonedStaging })
    }

    @Test("a receipt that rows do not bear out is found; one of an asset that was purged is not")
    func receipts() async throws {
        let fixture = try StoreFixture()
        let store = try await fixture.create()
        var manifests: [AssetManifest] = []
        for _ in 0..<4 {
            let (manifest, bytes) = fixture.capture(sizes: [30])
            try await fixture.save(manifest, bytes, to: store)
            manifests.append(manifest)
        }
        _ = try await store.metadata.trash(manifests[0].id, in: .everything, by: caller)
        try await store.purge(manifests[0].id, by: caller)
        #expect(try await store.verify(.init(isHashing: false, isRepairing: false)).findings.isEmpty)
        // As after a fault of the disk or of a program: rows that nobody took back by the rules.
        var configuration = Configuration()
        configuration.foreignKeysEnabled = false
        let database = try DatabaseQueue(path: fixture.layout.database.text, configuration: configuration)
        try await database.write { [manifests] database in
            func blob(_ id: AssetID) -> Data { Data(id.bytes) }
            try database.execute(sql: "DELETE FROM asset WHERE id = ?", arguments: [blob(manifests[1].id)])
            try database.execute(
                sql: "UPDATE content SET byte_count = 31 WHERE digest = ?",
                arguments: [Data(manifests[2].resources[0].digest.bytes)]
            )
        }
        let report = try await store.verify(.init(isHashing: false, isRepairing: false))
        let kinds = Dictionary(report.findings.map { ($0.object, $0.kind) }) { first, _ in first }
        #expect(kinds["asset \(manifests[1].id)"] == .receiptWithoutAsset)
        #expect(kinds["asset \(manifests[2].id)"] == .receiptDiffers)
        #expect(kinds["asset \(manifests[0].id)"] == nil && kinds["asset \(manifests[3].id)"] == nil)

        // The bytes are those of their digest: repair corrects the row, takes nothing out, and the receipt holds again.
        let repaired = try await store.verify(.init(isHashing: false, isRepairing: true))
        let address = ContentAddress(manifests[2].resources[0].digest, contentType: "image/jpeg")
        let finding = repaired.findings.first { $0.object == address.description }
        #expect(finding?.kind == .correctedLength && finding?.isQuarantined == false)
        #expect(!repaired.findings.contains { $0.kind == .receiptDiffers })
        let after = try await store.verify(.init(isHashing: true, isRepairing: false))
        #expect(!after.findings.contains { [.receiptDiffers, .wrongLength].contains($0.kind) }, "\(after.findings)")
        let read = try await store.open(manifests[2].resources[0].id, of: manifests[2].id, in: .everything)
        #expect(try await read.read(100, at: 0).count == 30)
    }

    @Test("a receipt for an original whose row is gone is never signed anew: the loss stays told after a repair")
    func lostOriginal() async throws {
        let fixture = try StoreFixture()
        let store = try await fixture.create()
        let (manifest, bytes) = fixture.capture(sizes: [30, 40])
        try await fixture.save(manifest, bytes, to: store)
        let database = try DatabaseQueue(path: fixture.layout.database.text)
        try await database.write { database in
            try database.execute(
                sql: "DELETE FROM resource WHERE digest = ?",
                arguments: [Data(manifest.resources[1].digest.bytes)]
            )
        }
        for isRepairing in [true, false] {
            let report = try await store.verify(.init(isHashing: true, isRepairing: isRepairing))
            #expect(report.findings.contains { $0.kind == .receiptDiffers && $0.object == "asset \(manifest.id)" })
        }
    }

    @Test(
        "parts share all digests out: each digest is in one, and no part has much more than its share",
        arguments: [1, 2, 14]
    )
    func parts(count: Int) throws {
        let digests = (0..<2800).map { ContentHasher.digest(Array("\($0)".utf8)) }
        let parts = (0..<count).compactMap { MaintenanceTask.Verification.Part(index: $0, count: count) }
        let sizes = parts.map { part in digests.count(where: part.contains) }
        #expect(sizes.count == count && sizes.reduce(0, +) == digests.count)
        #expect(sizes.allSatisfy { abs($0 - digests.count / count) < 80 }, "\(sizes)")
    }

    @Test("a verification that was ended goes on: what was hashed lately is not read again, unless it was wrong")
    func resumes() async throws {
        let fixture = try StoreFixture()
        let store = try await fixture.create()
        var digests: [ContentDigest] = []
        for _ in 0..<6 {
            let (manifest, bytes) = fixture.capture(sizes: [30])
            try await fixture.save(manifest, bytes, to: store)
            digests.append(manifest.resources[0].digest)
        }
        let damaged = ContentAddress(digests[0], contentType: "image/jpeg")
        fixture.files.damage(damaged.path(in: fixture.layout.originals)) { $0[7] ^= 1 }
        var choice = MaintenanceTask.Verification(isHashing: true, isRepairing: false)
        choice.part = .init(index: 0, count: 2)
        let began = fixture.clock.now
        let first = try await store.verify(choice)
        choice.part = nil
        choice.hashedSince = began
        let second = try await store.verify(choice)
        let wrong = first.findings.count
        #expect(first.checkedContents < 6 && second.checkedContents == 6 - first.checkedContents + wrong)
        let third = try await store.verify(choice)
        #expect(third.checkedContents == 1 && third.findings.map(\.kind) == [.wrongDigest])
        fixture.clock.advance(days: 1)
        choice.hashedSince = fixture.clock.now
        #expect(try await store.verify(choice).checkedContents == 6)
    }

    @Test("hashing is held to a rate: nobody else waits for the disk")
    func throttled() async throws {
        let fixture = try StoreFixture()
        let store = try await fixture.create()
        for _ in 0..<3 {
            let (manifest, bytes) = fixture.capture(sizes: [1000])
            try await fixture.save(manifest, bytes, to: store)
        }
        let choice = MaintenanceTask.Verification(isHashing: true, isRepairing: false, bytesPerSecond: 10_000)
        let took = try await ContinuousClock().measure { _ = try await store.verify(choice) }
        #expect(took >= .milliseconds(300))
    }

    @Test("a row whose bytes never came, and which no asset uses, is deleted and no longer reported")
    func forgets() async throws {
        let fixture = try StoreFixture()
        let store = try await fixture.create()
        let (manifest, bytes) = fixture.capture(sizes: [30])
        try await fixture.save(manifest, bytes, to: store)
        let metadata = try #require(store.metadata as? SQLMetadataStore)
        try await metadata.store.write([.library]) { database in
            try CommitTable.addContents(of: fixture.capture(sizes: [40]).manifest, in: [:], database)
        }
        #expect(
            try await store.verify(.init(isHashing: false, isRepairing: false)).findings.map(\.kind) == [.missingBytes]
        )
        #expect(
            try await store.verify(.init(isHashing: false, isRepairing: true)).findings.map(\.kind) == [.forgottenRow]
        )
        #expect(try await store.verify(.init(isHashing: true, isRepairing: false)).findings.isEmpty)
        // What an asset uses stays reported until a device sends it again.
        let address = ContentAddress(manifest.resources[0].digest, contentType: "image/jpeg")
        try fixture.files.unlink(address.path(in: fixture.layout.originals))
        for _ in 0..<2 {
            let report = try await store.verify(.init(isHashing: false, isRepairing: true))
            #expect(report.findings.map(\.kind) == [.missingBytes])
        }
    }

    @Test("bytes that come again under another content type are found where they are put")
    func healsElsewhere() async throws {
        let fixture = try StoreFixture()
        let store = try await fixture.create()
        let (manifest, bytes) = fixture.capture(sizes: [30])
        try await fixture.save(manifest, bytes, to: store)
        let address = ContentAddress(manifest.resources[0].digest, contentType: "image/jpeg")
        try fixture.files.unlink(address.path(in: fixture.layout.originals))
        _ = try await store.verify(.init(isHashing: false, isRepairing: true))
        var again = fixture.capture(sizes: [30]).manifest
        again.resources = [
            AssetResource(
                id: manifest.resources[0].id,
                type: .photo,
                digest: address.digest,
                byteCount: 30,
                contentType: "image/heic"
            )
        ]
        try await fixture.save(again, bytes, to: store)
        for id in [manifest.id, again.id] {
            let open = try await store.open(manifest.resources[0].id, of: id, in: .everything)
            #expect(try await open.read(100, at: 0) == bytes[0])
        }
        #expect(try await store.verify(.init(isHashing: true, isRepairing: false)).findings.isEmpty)
    }

    @Test("bytes that are missing come back from quarantine where they are whole")
    func restores() async throws {
        let fixture = try StoreFixture()
        let store = try await fixture.create()
        let (manifest, bytes) = fixture.capture(sizes: [30])
        try await fixture.save(manifest, bytes, to: store)
        let address = ContentAddress(manifest.resources[0].digest, contentType: "image/jpeg")
        _ = try await store.content.quarantine(address, isDamaged: false)
        let report = try await store.verify(.init(isHashing: true, isRepairing: true))
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
        #expect(
            try await store.verify(.init(isHashing: true, isRepairing: true)).findings == [],
            "an upload wants these bytes"
        )
        _ = try await store.commit(manifest.id, by: caller)
    }

    @Test("the newest schema made at once is the one that migrations lead to, step by step")
    func migrations() throws {
        let directory = try TemporaryDirectory()
        func dump(_ path: Path) throws -> [String] {
            let pool = try SQLiteRowStore.opening(path).open()
            return try pool.read { database in
                try String.fetchAll(database, sql: "SELECT ifnull(sql, name) FROM sqlite_master ORDER BY type, name")
            }
        }
        let old = directory.path.appending("old")
        let newest = SQLiteRowStore.opening(old)
        for count in 1...newest.schema.migrations.count {
            _ = try DatabaseOpening(old, schema: newest.schema.prefix(count), prepare: newest.prepare).open()
        }
        #expect(try dump(old) == dump(directory.path.appending("new")))
    }

    @Test("the library's own database promises what it must: WAL, synchronous FULL, foreign keys")
    func pragmas() throws {
        let directory = try TemporaryDirectory()
        let opening = SQLiteRowStore.opening(directory.path.appending("db"))
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

    @Test("T22: a hash check knows what an addOnly device uploaded or a limited one may see, and nothing else")
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
        var selection = Selection()
        let empty = try await store.metadata.knownDigests(digests, in: .selection(selection, DeviceID(rawValue: 77)))
        #expect(empty.isEmpty)
        selection.assets = [theirs.id]
        for (device, known) in [(DeviceID(rawValue: 77), [digests[1]]), (StoreFixture.device, digests)] {
            let view = LibraryView.selection(selection, device)
            let found = try await store.metadata.knownDigests(digests, in: view)
            #expect(found == known, "what is selected, and what the device saved itself")
        }
    }
}

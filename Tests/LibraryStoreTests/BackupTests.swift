import Authorization
import Foundation
import LibraryAPI
import LibraryStore
import LibraryStoreTestSupport
import Logging
import Persistence
import PersistenceTestSupport
import PhotoModel
import Replication
import TestSupport
import Testing

struct BackupTests {
    private let caller = StoreCaller.device(StoreFixture.device)
    private let files = PosixFileSystem()
    private let silent = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    private func backup(_ fixture: StoreFixture) -> Path { fixture.directory.path.appending("backup") }

    private func restore(_ fixture: StoreFixture, _ name: String = "restored") async throws -> (
        LibraryStore, LibraryRestore.Report
    ) {
        let root = fixture.directory.path.appending(name)
        let report = try await LibraryRestore(from: backup(fixture))
            .restore(to: .embedded(root), effects: fixture.effects, logger: silent)
        return (try await LibraryStore.open(at: root, effects: fixture.effects, logger: silent), report)
    }

    @Test("what was backed up comes back whole, with a new history, and verifies")
    func roundTrip() async throws {
        let fixture = try StoreFixture()
        let store = try await fixture.createOnDisk()
        var receipts: [AssetID: CommitResponse] = [:]
        for sizes in [[100], [3000, 70_000], [0x10_0001]] {
            let (manifest, bytes) = fixture.capture(sizes: sizes)
            receipts[manifest.id] = try await fixture.save(manifest, bytes, to: store)
        }
        let before = try await store.metadata.identity()
        let report = try await store.backUp(to: backup(fixture), keeping: 3)
        #expect(report.copiedContents == 4 && report.manifest.missing.isEmpty)
        #expect(try await store.metadata.identity().backupWatermark == before.lastChange)
        store.close()

        let (restored, account) = try await restore(fixture)
        #expect(account.contents == 4 && account.missing.isEmpty)
        let identity = try await restored.metadata.identity()
        #expect(identity.id == before.id && identity.lastChange == before.lastChange)
        #expect(identity.epoch != before.epoch && identity.epoch == account.epoch && identity.backupWatermark == nil)
        #expect(try await restored.verify(.init(isHashing: true, isRepairing: false)).findings.isEmpty)
        for (id, answer) in receipts {
            let asset = try #require(try await restored.metadata.asset(id, in: .everything))
            #expect(Set(asset.resources.map(\.digest)) == Set(answer.receipt.receipt.resources.map(\.digest)))
        }
    }

    @Test("a second backup copies only what is new; content is stored once however many snapshots name it")
    func incremental() async throws {
        let fixture = try StoreFixture()
        let store = try await fixture.createOnDisk()
        let (first, firstBytes) = fixture.capture()
        try await fixture.save(first, firstBytes, to: store)
        #expect(try await store.backUp(to: backup(fixture), keeping: 9).copiedContents == 1)
        #expect(try await store.backUp(to: backup(fixture), keeping: 9).copiedContents == 0)
        let (second, secondBytes) = fixture.capture()
        try await fixture.save(second, secondBytes, to: store)
        let third = try await store.backUp(to: backup(fixture), keeping: 9)
        #expect(third.copiedContents == 1 && third.manifest.contents == 2 && third.removedSnapshots == 0)
        let layout = BackupLayout(root: backup(fixture))
        #expect(try layout.finishedSnapshots(in: files).count == 3)
    }

    @Test("old snapshots go, with content that no kept one names, and the kept ones still restore whole")
    func pruning() async throws {
        let fixture = try StoreFixture()
        let store = try await fixture.createOnDisk()
        let (gone, goneBytes) = fixture.capture()
        let (kept, keptBytes) = fixture.capture()
        try await fixture.save(gone, goneBytes, to: store)
        try await fixture.save(kept, keptBytes, to: store)
        _ = try await store.backUp(to: backup(fixture), keeping: 1)
        let admin = StoreCaller.administrator("ana")
        _ = try await store.metadata.trash(gone.id, in: .everything, by: admin)
        try await store.purge(gone.id, by: admin)
        fixture.clock.advance(days: 40)
        _ = try await store.collect(by: admin)
        let report = try await store.backUp(to: backup(fixture), keeping: 1)
        #expect(report.removedSnapshots == 1)
        let originals = BackupLayout(root: backup(fixture)).originals
        let absent = ContentAddress(gone.resources[0].digest, contentType: "image/jpeg").path(in: originals)
        let present = ContentAddress(kept.resources[0].digest, contentType: "image/jpeg").path(in: originals)
        #expect(try files.status(absent) == nil && files.status(present) != nil)
        let (restored, _) = try await restore(fixture)
        #expect(try await restored.verify(.init(isHashing: true, isRepairing: false)).findings.isEmpty)
    }

    @Test("damaged bytes never enter a backup: they are named, the rest is backed up, and boxes keep theirs")
    func damagedSource() async throws {
        let fixture = try StoreFixture()
        let store = try await fixture.createOnDisk()
        let (bad, badBytes) = fixture.capture(sizes: [5000])
        let (good, goodBytes) = fixture.capture(sizes: [5000])
        try await fixture.save(bad, badBytes, to: store)
        try await fixture.save(good, goodBytes, to: store)
        let originals = LibraryLayout(root: fixture.directory.path.appending("on-disk")).originals
        let path = ContentAddress(bad.resources[0].digest, contentType: "image/jpeg").path(in: originals)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path.text)
        try Data(badBytes[0].map { $0 ^ 1 }).write(to: URL(fileURLWithPath: path.text))
        let report = try await store.backUp(to: backup(fixture), keeping: 3)
        #expect(report.manifest.missing == [bad.resources[0].digest] && report.copiedContents == 1)
        #expect(try await store.metadata.identity().backupWatermark == nil)
    }

    @Test("a backup that was cut off is no snapshot, and is cleared by the next one")
    func cutOff() async throws {
        let fixture = try StoreFixture()
        let store = try await fixture.createOnDisk()
        let (manifest, bytes) = fixture.capture()
        try await fixture.save(manifest, bytes, to: store)
        _ = try await store.backUp(to: backup(fixture), keeping: 3)
        let layout = BackupLayout(root: backup(fixture))
        let stray = layout.snapshot("2999-01-01T00-00-00Z")
        try files.createDirectories(stray.authority)
        try files.writeAtomically(stray.database, [1, 2, 3])
        let (restored, report) = try await restore(fixture)
        #expect(report.snapshot != "2999-01-01T00-00-00Z")
        restored.close()
        _ = try await store.backUp(to: backup(fixture), keeping: 3)
        #expect(try files.status(stray.root) == nil && layout.finishedSnapshots(in: files).count == 2)
    }

    @Test("a snapshot whose database rotted is passed over for the one before it")
    func rottenSnapshot() async throws {
        let fixture = try StoreFixture()
        let store = try await fixture.createOnDisk()
        let first = try await store.backUp(to: backup(fixture), keeping: 3)
        let second = try await store.backUp(to: backup(fixture), keeping: 3)
        let database = BackupLayout(root: backup(fixture)).snapshot(second.snapshot).database
        var bytes = try #require(try files.readAll(database, maximumByteCount: 1 << 24))
        bytes[bytes.count / 2] ^= 0x40
        try files.writeAtomically(database, bytes)
        let (_, report) = try await restore(fixture)
        #expect(report.snapshot == first.snapshot)
    }

    @Test("a backup of another library, a folder of other things and a library that is there are refused")
    func refusals() async throws {
        let fixture = try StoreFixture()
        let store = try await fixture.createOnDisk()
        _ = try await store.backUp(to: backup(fixture), keeping: 3)
        let other = try await fixture.createOnDisk("other")
        #expect(await code { _ = try await other.backUp(to: backup(fixture), keeping: 3) } == .foreign)
        let full = fixture.directory.path.appending("full")
        try files.createDirectories(full)
        try files.writeAtomically(full.appending("notes"), [1])
        #expect(await code { _ = try await store.backUp(to: full, keeping: 3) } == .foreign)
        let nowhere = LibraryRestore(from: full)
        let root = fixture.directory.path.appending("new")
        #expect(
            await code { _ = try await nowhere.restore(to: .embedded(root), effects: fixture.effects, logger: silent) }
                == .foreign
        )
        #expect(await code { _ = try await restore(fixture, "other") } == .exists)
    }

    @Test("bytes that the backup lacks are asked of the device that saved them, and its sending them heals the asset")
    func healing() async throws {
        let fixture = try StoreFixture()
        let store = try await fixture.createOnDisk()
        let (manifest, bytes) = fixture.capture(sizes: [4000, 9000])
        let first = try await fixture.save(manifest, bytes, to: store)
        _ = try await store.backUp(to: backup(fixture), keeping: 3)
        store.close()
        let lost = ContentAddress(manifest.resources[1].digest, contentType: "video/quicktime")
        try files.unlink(lost.path(in: BackupLayout(root: backup(fixture)).originals))
        let (restored, report) = try await restore(fixture)
        #expect(report.missing == [manifest.resources[1].digest])
        #expect(try await restored.metadata.standing(of: StoreFixture.device, missing: 10).missing == [manifest.id])
        #expect(try await restored.metadata.standing(of: StoreFixture.otherDevice, missing: 10).missing.isEmpty)

        let again = try await fixture.save(manifest, bytes, to: restored)
        #expect(again.receipt.receipt.libraryEpoch == report.epoch)
        #expect(again.receipt.receipt.changeNumber == first.receipt.receipt.changeNumber)
        #expect(try await restored.metadata.standing(of: StoreFixture.device, missing: 10).missing.isEmpty)
        #expect(try await restored.verify(.init(isHashing: true, isRepairing: false)).findings.isEmpty)
        let answer = try await restored.create(manifest, by: caller)
        #expect(answer.receipt == again.receipt && answer.uploads.isEmpty)
    }

    @Test(
        "restored from yesterday: what came since is offered anew, what is there gets the new history's receipt unsent"
    )
    func olderBackup() async throws {
        let fixture = try StoreFixture()
        let store = try await fixture.createOnDisk()
        let (old, oldBytes) = fixture.capture()
        try await fixture.save(old, oldBytes, to: store)
        _ = try await store.backUp(to: backup(fixture), keeping: 3)
        let (new, newBytes) = fixture.capture(sizes: [100, 200])
        try await fixture.save(new, newBytes, to: store)
        store.close()
        let (restored, report) = try await restore(fixture)
        let known = try await restored.create(old, by: caller)
        #expect(known.uploads.isEmpty && known.receipt?.receipt.libraryEpoch == report.epoch)
        #expect(try await restored.metadata.asset(new.id, in: .everything) == nil)
        let answer = try await fixture.save(new, newBytes, to: restored)
        #expect(answer.receipt.receipt.libraryEpoch == report.epoch)
        #expect(try await restored.metadata.statistics().assets == 2)
    }

    @Test("after a restore each device's next ticket is believed once, and then only the one that it was given")
    func tickets() async throws {
        let fixture = try StoreFixture()
        let store = try await fixture.createOnDisk()
        let replica = TestReplica(
            0xABC,
            device: StoreFixture.device,
            milliseconds: UInt64(fixture.clock.now.millisecondsSince1970)
        )
        let first = try await store.metadata.contact(replica.contact(), ticket: nil, by: caller)
        _ = try await store.backUp(to: backup(fixture), keeping: 3)
        let second = try await store.metadata.contact(replica.contact(), ticket: first.ticket, by: caller)
        let third = try await store.metadata.contact(replica.contact(), ticket: second.ticket, by: caller)
        store.close()
        let (restored, _) = try await restore(fixture)
        let next = try await restored.metadata.contact(replica.contact(), ticket: third.ticket, by: caller)
        #expect(next.verdict.remedy == .proceed)
        let stranger = try await restored.metadata.contact(replica.contact(), ticket: first.ticket, by: caller)
        #expect(stranger.verdict.remedy == .becomeSuspect)
    }

    private func code(_ body: () async throws -> Void) async -> PersistenceError.Code? {
        do {
            try await body()
            return nil
        } catch {
            return (error as? PersistenceError)?.code
        }
    }
}

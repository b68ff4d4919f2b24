import Foundation
import LibraryAPI
import LibraryStore
import Logging
import Persistence
import PersistenceTestSupport
import PhotoModel
import TestSupport
import Testing

/// Faults counted off over an upload and its commit; then the store is opened again, and the promises are checked:
/// acknowledged bytes are there (2), what is served is what was sent (3), one asset a capture (5), whole or not at all (6).
struct CrashTests {
    private let caller = StoreCaller.device(StoreFixture.device)

    /// What a device was told before the fault.
    private struct Told {
        var offsets: [UploadID: Int64] = [:]
        var receipt: SignedReceipt?
    }

    @Test("the power goes at the nth call: nothing that was promised is lost, and the device gets through afterwards")
    func powerCuts() async throws {
        let calls = try await countOff { .powerCut }
        #expect(calls > 30)
    }

    @Test("the nth call fails once: the device gets through by asking again", arguments: [0, 1])
    func failures(kind: Int) async throws {
        let code: PersistenceError.Code = kind == 0 ? .inputOutput : .noSpace
        let calls = try await countOff { .failure(code) }
        #expect(calls > 30)
    }

    private func countOff(_ fault: () -> SimulatedFileSystem.Fault) async throws -> Int {
        var call = 0
        while true {
            call += 1
            let fixture = try StoreFixture(seed: UInt64(call))
            var store = try await fixture.create()
            let (manifest, bytes) = fixture.capture(sizes: [300, 200])
            fixture.files.inject(fault(), atCall: call)
            let callsBefore = fixture.files.calls
            var told = Told()
            let isUntouched = await attempt(manifest, bytes, fixture, store, &told)
            let wasHit = fixture.files.calls - callsBefore >= call
            store.close()
            if fault() == .powerCut { fixture.files.cutPower() } else { fixture.files.restartProcess() }
            store = try await fixture.reopen()
            try await store.recover()
            try await check(told, manifest, bytes, store, "call \(call)")
            // The device asks again, and gets through.
            let answer = try await fixture.save(manifest, bytes, to: store)
            #expect(told.receipt == nil || told.receipt == answer.receipt, "call \(call)")
            #expect(try await store.metadata.count(FetchOptions(), in: .everything) == 1)
            try await check(Told(receipt: answer.receipt), manifest, bytes, store, "call \(call), again")
            let report = try await store.verify(.init(isHashing: true, isRepairing: true))
            #expect(report.findings.allSatisfy { $0.kind == .unreferencedBytes && $0.isQuarantined }, "\(report)")
            if isUntouched, !wasHit { return call }
            if call > 400 {
                Issue.record("the faults do not end")
                return call
            }
        }
    }

    /// Saves as far as it goes, and remembers every promise.
    private func attempt(
        _ manifest: AssetManifest,
        _ bytes: [[UInt8]],
        _ fixture: StoreFixture,
        _ store: LibraryStore,
        _ told: inout Told
    ) async -> Bool {
        do {
            let answer = try await store.create(manifest, by: caller)
            for (upload, bytes) in zip(answer.uploads, bytes) {
                let half = bytes.count / 2
                for range in [0..<half, half..<bytes.count] {
                    let status = try await store.append(
                        to: upload.id,
                        at: Int64(range.lowerBound),
                        isLast: range.upperBound == bytes.count,
                        content: Pieces([Array(bytes[range])]),
                        by: caller
                    )
                    told.offsets[upload.id] = status.offset
                }
            }
            told.receipt = try await store.commit(manifest.id, by: caller).receipt
            return true
        } catch {
            return false
        }
    }

    private func check(
        _ told: Told,
        _ manifest: AssetManifest,
        _ bytes: [[UInt8]],
        _ store: LibraryStore,
        _ place: String
    ) async throws {
        for (id, offset) in told.offsets where told.receipt == nil {
            guard let status = try? await store.status(of: id, by: caller) else { continue }
            #expect(status.offset >= offset, "an offset went back at \(place)")
        }
        let asset = try await store.metadata.asset(manifest.id, in: .everything)
        #expect(asset != nil || told.receipt == nil, "a receipt's asset is gone at \(place)")
        guard let asset else { return }
        #expect(Set(asset.resources) == Set(manifest.resources), "half an asset at \(place)")
        for (resource, bytes) in zip(manifest.resources, bytes) {
            let open = try await store.open(resource.id, of: manifest.id, in: .everything)
            #expect(try await open.read(1 << 20, at: 0) == bytes, "other bytes at \(place)")
        }
    }

    @Test("a process that ends without closing leaves a library that opens, and goes on where it was")
    func killed() async throws {
        let fixture = try StoreFixture()
        let store = try await fixture.create()
        let (manifest, bytes) = fixture.capture(sizes: [100])
        let upload = try await store.create(manifest, by: caller).uploads[0]
        _ = try await store.append(
            to: upload.id,
            at: 0,
            isLast: false,
            content: Pieces([Array(bytes[0][..<60])]),
            by: caller
        )
        fixture.files.restartProcess()
        let again = try await fixture.reopen()
        #expect(try await again.recover() == 0)
        let status = try await again.status(of: upload.id, by: caller)
        #expect(status.offset == 60)
        try await fixture.send(bytes[0], to: status, by: caller, again)
        _ = try await again.commit(manifest.id, by: caller)
        withExtendedLifetime(store) {}
    }

    @Test("two processes never have one library open, and a foreign or empty root is refused")
    func roots() async throws {
        let fixture = try StoreFixture()
        let store = try await fixture.create()
        let locked = await errorCode { _ = try await fixture.reopen() }
        #expect(locked == .unavailable)
        store.close()
        fixture.files.damage(fixture.layout.marker) { $0 = Array("tintype-library 1 \(LibraryID(rawValue: 3))\n".utf8) }
        await #expect(throws: PersistenceError.self) { try await fixture.reopen() }
        let empty = try StoreFixture()
        try empty.files.createDirectories(empty.root)
        let error = await #expect(throws: PersistenceError.self) { try await empty.reopen() }
        #expect(error?.code == .foreign)
        // What was cut off before all of it was there is none.
        let cut = try StoreFixture()
        let root = cut.directory.path.appending("cut")
        await #expect(throws: PersistenceError.self) {
            _ = try await LibraryStore.create(
                at: root,
                effects: cut.effects,
                logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
            ) { throw PersistenceError(.noSpace, "create", "authority", "the disk is full") }
        }
        #expect(try !PosixFileSystem().list(root).contains("tintype-library"))
        // What is there without its rows, or without its bytes, is no new library.
        for name in ["library.sqlite", "originals"] {
            let fixture = try StoreFixture()
            try await fixture.createOnDisk("cut").close()
            let root = fixture.directory.path.appending("cut")
            try FileManager.default.removeItem(atPath: root.appending(name).text)
            let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
            let error = await #expect(throws: PersistenceError.self) {
                _ = try await LibraryStore.open(at: root, effects: fixture.effects, logger: logger)
            }
            #expect(error?.code == .notFound && error?.description.contains(name) == true)
            #expect(!FileManager.default.fileExists(atPath: root.appending(name).text))
        }
        let taken = try StoreFixture()
        try taken.files.createDirectories(taken.root.appending("x"))
        await #expect(throws: PersistenceError.self) { try await taken.create() }
    }

    @Test("a promise whose bytes are gone ends the upload, loudly; the asset can be described again")
    func lostPromise() async throws {
        let fixture = try StoreFixture()
        var store = try await fixture.create()
        let (manifest, bytes) = fixture.capture(sizes: [100])
        let upload = try await store.create(manifest, by: caller).uploads[0]
        _ = try await store.append(
            to: upload.id,
            at: 0,
            isLast: false,
            content: Pieces([Array(bytes[0][..<60])]),
            by: caller
        )
        store.close()
        fixture.files.damage(fixture.layout.staging.appending(upload.id.description)) { $0.removeLast() }
        fixture.files.restartProcess()
        store = try await fixture.reopen()
        let code = await errorCode {
            _ = try await store.append(to: upload.id, at: 60, isLast: false, content: Pieces([[1]]), by: caller)
        }
        #expect(code == .uploadGone)
        try await fixture.save(manifest, bytes, to: store)
    }
}

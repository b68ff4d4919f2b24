import Authorization
import LibraryAPI
import Persistence
import PersistenceTestSupport
import PhotoModel
import TestSupport
import Testing

@testable import LibraryStore

struct BatchTests {
    private typealias Capture = (manifest: AssetManifest, bytes: [[UInt8]])

    private let caller = StoreCaller.device(StoreFixture.device)

    /// Sends a batch as the server's route hands it on: one that breaks off is given up.
    private func send(_ captures: [Capture], to store: LibraryStore) async throws -> BatchResponse {
        let receiver = try await store.receiveBatch(by: caller)
        do {
            for capture in captures { await receiver.add(capture.manifest) }
            for bytes in captures.flatMap(\.bytes) {
                try await receiver.beginResource(byteCount: Int64(bytes.count))
                for byte in [bytes.prefix(bytes.count / 2), bytes.dropFirst(bytes.count / 2)] {
                    try await receiver.append(Array(byte))
                }
                await receiver.endResource()
            }
        } catch {
            await receiver.discard()
            throw error
        }
        return await receiver.finish()
    }

    /// What has a receipt is there, and what is there is whole.
    private func check(
        _ captures: [Capture],
        after answer: BatchResponse?,
        _ store: LibraryStore,
        _ place: String
    ) async throws {
        let receipted = Set((answer?.results ?? []).filter { $0.commit != nil }.map(\.assetID))
        for (manifest, bytes) in captures {
            guard let asset = try await store.metadata.asset(manifest.id, in: .everything) else {
                #expect(!receipted.contains(manifest.id), "a receipt's asset is gone at \(place)")
                continue
            }
            #expect(Set(asset.resources) == Set(manifest.resources), "half an asset at \(place)")
            for (resource, bytes) in zip(manifest.resources, bytes) {
                let open = try await store.open(resource.id, of: manifest.id, in: .everything)
                #expect(try await open.read(1 << 20, at: 0) == bytes, "other bytes at \(place)")
            }
        }
    }

    @Test(
        "T174: a batch ends its caller's upload of the same asset, and none of that one's bytes stay",
        arguments: [true, false]
    )
    func endedUpload(hasSameBytes: Bool) async throws {
        let fixture = try StoreFixture()
        let store = try await fixture.create()
        let begun = fixture.capture(sizes: [3000])
        let upload = try await store.create(begun.manifest, by: caller).uploads[0]
        _ = try await store.append(
            to: upload.id,
            at: 0,
            isLast: false,
            content: Pieces([Array(begun.bytes[0].dropLast())]),
            by: caller
        )
        #expect(try fixture.files.list(fixture.layout.staging) == [upload.id.description])
        #expect(try await store.metadata.promisedByteCount() == 1)
        let batched = hasSameBytes ? begun : fixture.capture(sizes: [20], id: begun.manifest.id)
        let answer = try await send([batched], to: store)
        #expect(answer.results.map { $0.commit != nil } == [true])
        #expect(try fixture.files.list(fixture.layout.staging) == [])
        #expect(try await store.metadata.creations(of: StoreFixture.device).isEmpty)
        #expect(try await store.metadata.promisedByteCount() == 0)
        #expect(try await store.verify(.init(isHashing: true, isRepairing: false)).findings == [])
    }

    @Test("a batch that holds an asset twice makes it once: both times the same receipt, and each in its place")
    func repeated() async throws {
        let fixture = try StoreFixture(seed: 71)
        let store = try await fixture.create()
        let captures = (0..<40).map { _ in fixture.capture(sizes: [30]) }
        let twice = captures + [captures[3], captures[20], captures[3]]
        let answer = try await send(twice, to: store)
        #expect(answer.results.map(\.assetID) == twice.map(\.manifest.id))
        let receipts = try answer.results.map { try #require($0.commit).receipt }
        #expect(receipts.map(\.receipt.assetID) == twice.map(\.manifest.id))
        #expect(receipts[40] == receipts[3] && receipts[41] == receipts[20] && receipts[42] == receipts[3])
        let kept = try await store.metadata.receipts(of: caller, after: .zero, limit: 100).receipts
        #expect(kept == Array(receipts[..<40]))
        for receipt in receipts {
            #expect(receipt.signature.bytes == (try TestSigner().signature(for: receipt.receipt.canonicalBytes)))
        }
    }

    @Test("a batch is one group: every asset with its receipt, few transactions, and sending it again gives the same")
    func batch() async throws {
        let fixture = try StoreFixture()
        let store = try await fixture.create()
        let captures = (0..<60).map { index in fixture.capture(sizes: index % 3 == 0 ? [20, 30] : [25]) }
        let answer = try await send(captures, to: store)
        #expect(answer.results.map(\.assetID) == captures.map(\.manifest.id))
        #expect(answer.results.allSatisfy { $0.commit != nil })
        #expect(store.commits.rounds < 30)
        #expect(try await send(captures, to: store) == answer)
        #expect(try await store.verify(.init(isHashing: true, isRepairing: false)).findings == [])
        #expect(try fixture.files.list(fixture.layout.staging) == [])
    }

    @Test("one asset that is wrong fails alone, with its own problem")
    func mixed() async throws {
        let fixture = try StoreFixture()
        let store = try await fixture.create()
        var captures = (0..<4).map { _ in fixture.capture(sizes: [20]) }
        captures[1].bytes[0][3] ^= 1
        captures[2].manifest.title = String(repeating: "x", count: 600)
        let answer = try await send(captures, to: store)
        #expect(answer.results.map(\.problem?.code) == [nil, .digestMismatch, .tooLarge, nil])
        #expect(try await store.metadata.count(FetchOptions(), in: .everything) == 2)
        #expect(try fixture.files.list(fixture.layout.staging) == [])
    }

    @Test("a batch that breaks off leaves nothing; bytes that were not described are refused")
    func broken() async throws {
        let fixture = try StoreFixture()
        let store = try await fixture.create()
        let (manifest, bytes) = fixture.capture(sizes: [20])
        let receiver = try await store.receiveBatch(by: caller)
        await receiver.add(manifest)
        #expect(await errorCode { try await receiver.beginResource(byteCount: 21) } == .malformedRequest)
        try await receiver.beginResource(byteCount: 20)
        try await receiver.append(Array(bytes[0][..<5]))
        await receiver.discard()
        #expect(try fixture.files.list(fixture.layout.staging) == [])
        #expect(try await store.metadata.count(FetchOptions(), in: .everything) == 0)
        let short = try await store.receiveBatch(by: caller)
        await short.add(manifest)
        #expect(await short.finish().results.map(\.problem?.code) == [.assetIncomplete])
    }

    @Test("what a batch brought is served at once, becomes plain files, and what was purged before that does not")
    func settles() async throws {
        let fixture = try StoreFixture()
        let store = try await fixture.create()
        let captures = (0..<3).map { _ in fixture.capture(sizes: [20]) }
        _ = try await send(captures, to: store)
        #expect(try fixture.files.list(fixture.layout.journals).count == 1)
        let purged = captures[2].manifest.id
        _ = try await store.metadata.trash(purged, in: .everything, by: .administrator("ana"))
        try await store.purge(purged, by: .administrator("ana"))
        #expect(try await store.settle() == 2)
        #expect(try fixture.files.list(fixture.layout.journals) == [])
        for capture in captures.prefix(2) {
            let address = ContentAddress(capture.manifest.resources[0].digest, contentType: "image/jpeg")
            #expect(try fixture.files.status(address.path(in: fixture.layout.originals))?.isReadOnly == true)
        }
        #expect(try fixture.files.list(fixture.layout.quarantine).count == 1)
        #expect(try await store.verify(.init(isHashing: true, isRepairing: false)).findings == [])
    }

    @Test("the power goes during a batch: what was receipted is whole, the rest is sent again")
    func powerCuts() async throws {
        for call in stride(from: 1, to: 120, by: 3) {
            let fixture = try StoreFixture(seed: UInt64(call))
            var store = try await fixture.create()
            let captures = (0..<4).map { _ in fixture.capture(sizes: [20, 10]) }
            fixture.files.inject(.powerCut, atCall: call)
            let answer = try? await send(captures, to: store)
            _ = try? await store.settle()
            store.close()
            fixture.files.cutPower()
            store = try await fixture.reopen()
            try await store.recover()
            for (result, capture) in zip(answer?.results ?? [], captures) where result.commit != nil {
                for (resource, bytes) in zip(capture.manifest.resources, capture.bytes) {
                    let open = try await store.open(resource.id, of: capture.manifest.id, in: .everything)
                    #expect(try await open.read(100, at: 0) == bytes, "call \(call)")
                }
            }
            let again = try await send(captures, to: store)
            #expect(again.results.allSatisfy { $0.commit != nil }, "call \(call)")
            #expect(try await store.metadata.count(FetchOptions(), in: .everything) == 4)
            #expect(try await store.verify(.init(isHashing: true, isRepairing: false)).findings == [], "call \(call)")
        }
    }

    @Test(
        "the nth call fails once: the device is told to wait, nothing is lost or half, and the batch goes through again",
        arguments: [(.noSpace, false), (.inputOutput, true)] as [(PersistenceError.Code, Bool)]
    )
    func failures(code: PersistenceError.Code, isRestarted: Bool) async throws {
        var calls = 0
        while try await fails(atCall: calls + 1, with: code, isRestarted: isRestarted) {
            calls += 1
            guard calls < 400 else {
                Issue.record("the faults do not end")
                return
            }
        }
        #expect(calls > 40)
    }

    /// Sends and settles a batch of which one call fails; false when it needs fewer calls than that.
    private func fails(atCall call: Int, with code: PersistenceError.Code, isRestarted: Bool) async throws -> Bool {
        let fixture = try StoreFixture(seed: UInt64(call))
        var settings = LibraryStore.Settings()
        // So that the journal is written while the batch comes, and not only at its end.
        settings.chunkByteCount = 2000
        var store = try await fixture.create(settings: settings)
        let captures = [[5000, 10], [20]].map { fixture.capture(sizes: $0) }
        let before = fixture.files.calls
        fixture.files.inject(.failure(code), atCall: call)
        let told = await attempt(captures, refusedWith: code == .noSpace ? .storageFull : .internalError, store)
        _ = try? await store.settle()
        let isHit = fixture.files.calls - before >= call
        fixture.files.clearFault()
        if told?.results.contains(where: { $0.commit != nil }) != true {
            let left = try fixture.files.list(fixture.layout.journals)
            #expect(left == [], "a refused batch leaves its journal at call \(call)")
        }
        if isRestarted { store = try await restart(store, fixture) }
        try await check(captures, after: told, store, "call \(call)")
        // The device asks again, of the same process once there is room, or of the next one.
        let again = try await send(captures, to: store)
        #expect(again.results.allSatisfy { $0.commit != nil }, "call \(call)")
        for (earlier, later) in zip(told?.results ?? [], again.results) where earlier.commit != nil {
            #expect(earlier == later, "another receipt at call \(call)")
        }
        try await store.settle()
        store = try await restart(store, fixture)
        try await check(captures, after: again, store, "call \(call), again")
        #expect(try await store.metadata.count(FetchOptions(), in: .everything) == captures.count, "call \(call)")
        #expect(try await store.verify(.init(isHashing: true, isRepairing: false)).findings == [], "call \(call)")
        let left = try [fixture.layout.journals, fixture.layout.staging].flatMap { try fixture.files.list($0) }
        #expect(left == [], "call \(call)")
        return isHit
    }

    /// Sends a batch that may fail, as a whole or in its assets; nil when no answer came.
    private func attempt(
        _ captures: [Capture],
        refusedWith refusal: ErrorCode,
        _ store: LibraryStore
    ) async -> BatchResponse? {
        #expect(refusal.retry == .after)
        do {
            let answer = try await send(captures, to: store)
            let codes = answer.results.filter { $0.commit == nil }.map(\.problem?.code)
            #expect(codes.allSatisfy { $0 == refusal }, "\(codes)")
            return answer
        } catch {
            #expect(StoreError.wrapping(error).code == refusal, "\(error)")
            return nil
        }
    }

    /// The library as the next process finds it.
    private func restart(_ store: LibraryStore, _ fixture: StoreFixture) async throws -> LibraryStore {
        store.close()
        fixture.files.restartProcess()
        let next = try await fixture.reopen()
        try await next.recover()
        return next
    }
}

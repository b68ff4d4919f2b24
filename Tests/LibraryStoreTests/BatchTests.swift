import Authorization
import LibraryAPI
import LibraryStore
import Persistence
import PersistenceTestSupport
import PhotoModel
import TestSupport
import Testing

struct BatchTests {
    private let caller = StoreCaller.device(StoreFixture.device)

    private func send(
        _ captures: [(manifest: AssetManifest, bytes: [[UInt8]])],
        to store: LibraryStore
    ) async throws -> BatchAnswer {
        let receiver = try await store.receiveBatch(by: caller)
        for capture in captures { await receiver.add(capture.manifest) }
        for bytes in captures.flatMap(\.bytes) {
            try await receiver.beginResource(byteCount: Int64(bytes.count))
            for byte in [bytes.prefix(bytes.count / 2), bytes.dropFirst(bytes.count / 2)] {
                try await receiver.append(Array(byte))
            }
            await receiver.endResource()
        }
        return await receiver.finish()
    }

    @Test("a batch is one group: every asset with its receipt, few transactions, and sending it again gives the same")
    func batch() async throws {
        let fixture = try StoreFixture()
        let store = try await fixture.create()
        let captures = (0..<60).map { index in fixture.capture(sizes: index % 3 == 0 ? [20, 30] : [25]) }
        let answer = try await send(captures, to: store)
        #expect(answer.results.map(\.assetID) == captures.map(\.manifest.id))
        #expect(answer.results.allSatisfy { $0.commit != nil })
        #expect(store.commitRounds < 30)
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
}

import LibraryAPI
import Persistence
import PersistenceTestSupport
import PhotoModel
import Testing

@testable import LibraryStore

/// The disk's reserve while many requests ask for space at once.
struct PromisedSpaceTests {
    private static let caller = StoreCaller.device(StoreFixture.device)

    /// One of many requests that begin at once.
    private struct Asking: Sendable {
        let store: LibraryStore
        let manifest: AssetManifest
        let caller: StoreCaller
        /// An edit of the manifest's asset; nil describes the asset itself.
        var edit: AdjustmentRequest?

        func answer() async -> ErrorCode? {
            await errorCode {
                if let edit {
                    _ = try await store.adjust(manifest.id, in: .everything, by: caller, edit)
                } else {
                    _ = try await store.create(manifest, by: caller)
                }
            }
        }
    }

    /// One request with bytes of an upload.
    private struct Sending<Content: AsyncSequence & Sendable>: Sendable where Content.Element == [UInt8] {
        let store: LibraryStore
        let upload: UploadStatus
        let isLast: Bool
        let content: Content

        func answer() async -> ErrorCode? {
            await errorCode {
                _ = try await store.append(
                    to: upload.id,
                    at: 0,
                    isLast: isLast,
                    content: content,
                    by: PromisedSpaceTests.caller
                )
            }
        }
    }

    @Test(
        "T52: uploads and edits that are described at once are promised what is free, and no more",
        arguments: RowEngine.installed
    )
    func together(in engine: RowEngine) async throws {
        let fixture = try StoreFixture(in: engine)
        let store = try await fixture.create()
        let (edited, bytes) = fixture.capture()
        try await fixture.save(edited, bytes, to: store)
        fixture.files.setFree(store.settings.reservedByteCount + 100)
        let codes = await withTaskGroup(of: ErrorCode?.self, returning: [ErrorCode?].self) { group in
            for index in 0..<24 {
                let device = index % 4 < 2 ? StoreFixture.device : StoreFixture.otherDevice
                let asking =
                    index % 2 == 0
                    ? Asking(store: store, manifest: fixture.capture(sizes: [60]).manifest, caller: .device(device))
                    : Asking(
                        store: store,
                        manifest: edited,
                        caller: .device(device),
                        edit: fixture.adjustment(byteCount: 30)
                    )
                group.addTask { await asking.answer() }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(codes.count { $0 == nil } == 1, "\(codes)")
        #expect(codes.count { $0 == .storageFull } == 23, "\(codes)")
        #expect(try await store.metadata.promisedByteCount() == 60)
        #expect(store.space.byteCount == 0, "the rows promise it now")
    }

    @Test("T52: what running requests may still append is free for no other, and what they have written is on the disk")
    func appends() async throws {
        let fixture = try StoreFixture()
        var settings = LibraryStore.Settings()
        settings.chunkByteCount = 32
        let store = try await fixture.create(settings: settings)
        var uploads: [UploadStatus] = []
        var bytes: [[UInt8]] = []
        for _ in 0..<2 {
            let capture = fixture.capture(sizes: [60])
            uploads += try await store.create(capture.manifest, by: Self.caller).uploads
            bytes += capture.bytes
        }
        fixture.files.setFree(settings.reservedByteCount + 87)
        let (written, writing) = AsyncStream.makeStream(of: Void.self)
        let (gate, opening) = AsyncStream.makeStream(of: Void.self)
        let held = Held(bytes: Array(bytes[0][..<40]), writing: writing, gate: gate)
        let first = Sending(store: store, upload: uploads[0], isLast: false, content: held)
        let second = Sending(store: store, upload: uploads[1], isLast: true, content: Pieces([bytes[1]]))
        let running = Task {
            defer { writing.finish() }
            return await first.answer()
        }
        for await _ in written { break }
        // A chunk of 32 bytes is written, and 28 bytes may follow.
        #expect(await second.answer() == .storageFull)
        fixture.files.setFree(settings.reservedByteCount + 88)
        #expect(await second.answer() == nil)
        opening.finish()
        #expect(await running.value == nil)
        fixture.files.setFree(settings.reservedByteCount + 20)
        let status = try await store.status(of: uploads[0].id, by: Self.caller)
        #expect(status.offset == 40)
        try await fixture.send(bytes[0], to: status, by: Self.caller, store)
    }

    @Test("T72: batches that begin at once are promised what is free, and give all of it back")
    func batches() async throws {
        let fixture = try StoreFixture()
        let store = try await fixture.create()
        fixture.files.setFree(store.settings.reservedByteCount + 2 * APILimits.batchByteCount + 1)
        let receivers = await withTaskGroup(of: BatchReceiver?.self, returning: [BatchReceiver].self) { group in
            for _ in 0..<8 { group.addTask { try? await store.receiveBatch(by: Self.caller) } }
            return await group.reduce(into: []) { $0 += $1.map { [$0] } ?? [] }
        }
        #expect(receivers.count == 2)
        #expect(store.space.byteCount == 2 * APILimits.batchByteCount)
        for receiver in receivers { await receiver.discard() }
        #expect(store.space.byteCount == 0)
    }

    @Test("T72: a batch is promised what its request announces, at most what a batch may have, and gives it back")
    func announcedBatches() async throws {
        let fixture = try StoreFixture()
        let store = try await fixture.create()
        fixture.files.setFree(store.settings.reservedByteCount + 1000)
        #expect(await errorCode { _ = try await store.receiveBatch(by: Self.caller) } == .storageFull)
        let first = try await store.receiveBatch(by: Self.caller, announcing: 600)
        let refused = await errorCode { _ = try await store.receiveBatch(by: Self.caller, announcing: 401) }
        #expect(refused == .storageFull)
        let second = try await store.receiveBatch(by: Self.caller, announcing: 400)
        #expect(store.space.byteCount == 1000)
        _ = await first.finish()
        #expect(store.space.byteCount == 400)
        await second.discard()
        #expect(store.space.byteCount == 0)
        fixture.files.setFree(1 << 40)
        let largest = try await store.receiveBatch(by: Self.caller, announcing: .max)
        #expect(store.space.byteCount == APILimits.batchByteCount)
        await largest.discard()
        let odd = try await store.receiveBatch(by: Self.caller, announcing: .min)
        #expect(store.space.byteCount == 0)
        await odd.discard()
        #expect(store.space.byteCount == 0)
    }

    @Test("T72: what a batch stores is promised no longer, and a batch that cannot begin is promised nothing")
    func storedBatches() async throws {
        let fixture = try StoreFixture()
        var settings = LibraryStore.Settings()
        settings.chunkByteCount = 32
        settings.journalByteCount = 0
        let store = try await fixture.create(settings: settings)
        let (manifest, bytes) = fixture.capture(sizes: [40])
        let batch = try await store.receiveBatch(by: Self.caller, announcing: 100)
        await batch.add(manifest)
        try await batch.beginResource(byteCount: 40)
        try await batch.append(bytes[0])
        #expect(store.space.byteCount == 60)
        await batch.endResource()
        #expect(await batch.finish().results.map { $0.commit != nil } == [true])
        #expect(store.space.byteCount == 0)
        // The first call looks at the disk, the second begins to settle.
        fixture.files.inject(.failure(.inputOutput), atCall: 2)
        let refused = await errorCode { _ = try await store.receiveBatch(by: Self.caller, announcing: 100) }
        #expect(refused == .unavailable)
        #expect(store.space.byteCount == 0)
    }

    @Test("a request that was cancelled looks at the disk for those that wait with it")
    func cancelled() async throws {
        let space = PromisedSpace { _ in
            try Task.checkCancellation()
            return PromisedSpace.Room(byteCount: 100, uploadByteCount: 0)
        }
        let (gate, opening) = AsyncStream.makeStream(of: Void.self)
        let request = Task {
            for await _ in gate {}
            return try await space.promise(.new(60))
        }
        request.cancel()
        let promise = try await request.value
        opening.finish()
        #expect(space.byteCount == 60)
        promise.end()
        #expect(space.byteCount == 0)
    }
}

/// A content that comes, and whose end waits for a gate.
private struct Held: AsyncSequence, Sendable {
    let bytes: [UInt8]
    /// Told once its whole chunks are written.
    let writing: AsyncStream<Void>.Continuation
    let gate: AsyncStream<Void>

    struct Iterator: AsyncIteratorProtocol {
        let content: Held
        var isSent = false

        mutating func next() async throws -> [UInt8]? {
            guard isSent else {
                isSent = true
                return content.bytes
            }
            content.writing.yield()
            for await _ in content.gate {}
            return nil
        }
    }

    func makeAsyncIterator() -> Iterator { Iterator(content: self) }
}

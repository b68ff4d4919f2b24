import Authorization
import LibraryAPI
import LibraryStore
import Persistence
import PersistenceTestSupport
import PhotoModel
import TestSupport
import Testing

struct SavingTests {
    private let caller = StoreCaller.device(StoreFixture.device)

    @Test("000.17: a described asset gets its uploads, takes its bytes, and is visible whole with its receipt")
    func savesAnAsset() async throws {
        let fixture = try StoreFixture()
        let store = try await fixture.create()
        let (manifest, bytes) = fixture.capture(sizes: [1000, 2000])
        let answer = try await fixture.save(manifest, bytes, pieces: 3, to: store)
        let receipt = answer.receipt.receipt
        #expect(receipt.covers(manifest.id, resources: manifest.resources))
        #expect(receipt.deviceID == StoreFixture.device && receipt.libraryID == store.id)
        #expect(answer.receipt.signature.bytes == (try TestSigner().signature(for: receipt.canonicalBytes)))
        let asset = try #require(try await store.metadata.asset(manifest.id, in: .everything))
        #expect(asset.isLivePhoto && asset.additionDate != nil && asset.deviceID == StoreFixture.device)
        for (resource, bytes) in zip(manifest.resources, bytes) {
            let open = try await store.open(resource.id, of: manifest.id, in: .everything)
            #expect(try await open.read(1 << 20, at: 0) == bytes)
            let status = try fixture.files.status(open.address.path(in: fixture.layout.originals))
            #expect(status?.isReadOnly == true)
        }
        #expect(try fixture.files.list(fixture.layout.staging) == [])
    }

    @Test("000.22: asking again gives the same uploads, and after the commit the same receipt")
    func idempotent() async throws {
        let fixture = try StoreFixture()
        let store = try await fixture.create()
        let (manifest, bytes) = fixture.capture(sizes: [50])
        let first = try await store.create(manifest, by: caller)
        #expect(try await store.create(manifest, by: caller).uploads.map(\.id) == first.uploads.map(\.id))
        let answer = try await fixture.save(manifest, bytes, to: store)
        #expect(try await store.commit(manifest.id, by: caller) == answer)
        let again = try await store.create(manifest, by: caller)
        #expect(again.uploads.isEmpty && again.receipt == answer.receipt)
        #expect(try await store.metadata.receipts(of: caller, after: .zero, limit: 10).receipts == [answer.receipt])
    }

    @Test("an upload stands where it stood: wrong offsets, wrong digests and too many bytes append nothing")
    func refusals() async throws {
        let fixture = try StoreFixture()
        let store = try await fixture.create()
        let (manifest, bytes) = fixture.capture(sizes: [100])
        let upload = try await store.create(manifest, by: caller).uploads[0]
        func append(_ part: [UInt8], at offset: Int64, last: Bool = false, digest: ContentDigest? = nil) async throws {
            _ = try await store.append(
                to: upload.id,
                at: offset,
                isLast: last,
                digest: digest,
                content: Pieces([part]),
                by: caller
            )
        }
        try await append(Array(bytes[0][..<40]), at: 0)
        #expect(await errorCode { try await append([1], at: 39) } == .offsetMismatch)
        #expect(await errorCode { try await append([1], at: 41) } == .offsetMismatch)
        let wrong = ContentHasher.digest([0])
        #expect(await errorCode { try await append([1, 2, 3], at: 40, digest: wrong) } == .digestMismatch)
        #expect(await errorCode { try await append([1, 2, 3], at: 40, last: true) } == .lengthInconsistent)
        #expect(await errorCode { try await append(Array(repeating: 1, count: 61), at: 40) } == .lengthInconsistent)
        #expect(try await store.status(of: upload.id, by: caller).offset == 40)
        #expect(await errorCode { _ = try await store.commit(manifest.id, by: caller) } == .assetIncomplete)
        let rest = Array(bytes[0][40...])
        try await append(rest, at: 40, last: true, digest: ContentHasher.digest(rest))
        #expect(await errorCode { try await append([], at: 100, last: true) } == .uploadCompleted)
        _ = try await store.commit(manifest.id, by: caller)
    }

    @Test("bytes of another digest end the upload; described again, the asset is sent anew")
    func wrongBytes() async throws {
        let fixture = try StoreFixture()
        let store = try await fixture.create()
        let (manifest, bytes) = fixture.capture(sizes: [10])
        let upload = try await store.create(manifest, by: caller).uploads[0]
        let code = await errorCode {
            try await fixture.send(Array(bytes[0].reversed()), to: upload, by: caller, store)
        }
        #expect(code == .digestMismatch)
        #expect(await errorCode { _ = try await store.status(of: upload.id, by: caller) } == .notFound)
        try await fixture.save(manifest, bytes, to: store)
    }

    @Test("a connection that breaks loses nothing that arrived, unless the content was to count as a whole")
    func brokenConnections() async throws {
        let fixture = try StoreFixture()
        let store = try await fixture.create()
        let (manifest, bytes) = fixture.capture(sizes: [100])
        let upload = try await store.create(manifest, by: caller).uploads[0]
        let pieces = Pieces([Array(bytes[0][..<30]), Array(bytes[0][30..<60])], failure: CancellationError())
        await #expect(throws: CancellationError.self) {
            try await store.append(to: upload.id, at: 0, isLast: true, content: pieces, by: caller)
        }
        let kept = try await store.status(of: upload.id, by: caller).offset
        #expect(kept == 60)
        let digest = ContentHasher.digest([0])
        await #expect(throws: CancellationError.self) {
            try await store.append(
                to: upload.id,
                at: kept,
                isLast: true,
                digest: digest,
                content: Pieces([[1, 2]], failure: CancellationError()),
                by: caller
            )
        }
        #expect(try await store.status(of: upload.id, by: caller).offset == kept)
        try await fixture.send(bytes[0], to: try await store.status(of: upload.id, by: caller), by: caller, store)
        _ = try await store.commit(manifest.id, by: caller)
    }

    @Test("a newer request on an upload ends the older one, which may be waiting for bytes for ever")
    func superseding() async throws {
        let fixture = try StoreFixture()
        let store = try await fixture.create()
        let (manifest, bytes) = fixture.capture(sizes: [100])
        let upload = try await store.create(manifest, by: caller).uploads[0]
        let (stalled, continuation) = AsyncStream.makeStream(of: [UInt8].self)
        let caller = caller
        async let first = errorCode {
            _ = try await store.append(to: upload.id, at: 0, isLast: true, content: stalled, by: caller)
        }
        continuation.yield(Array(bytes[0][..<10]))
        // The second comes when it comes; whichever is the newer one finishes, and the other is told.
        while true {
            let status = try await store.status(of: upload.id, by: caller)
            let code = await errorCode { try await fixture.send(bytes[0], to: status, by: caller, store) }
            if code == nil { break }
            #expect(code == .offsetMismatch || code == .uploadSuperseded)
        }
        let ended = await first
        #expect(ended == .uploadSuperseded || ended == .uploadCompleted || ended == .offsetMismatch)
        continuation.finish()
        _ = try await store.commit(manifest.id, by: caller)
    }

    @Test("two devices that save the same file make one asset, one file, and a receipt each")
    func twoDevices() async throws {
        let fixture = try StoreFixture()
        let store = try await fixture.create()
        let (manifest, bytes) = fixture.capture(sizes: [500])
        let other = StoreCaller.device(StoreFixture.otherDevice)
        async let left = fixture.save(manifest, bytes, to: store)
        async let right = fixture.save(manifest, bytes, by: other, to: store)
        let (first, second) = try await (left, right)
        #expect(first.receipt.receipt.deviceID != second.receipt.receipt.deviceID)
        let statistics = try await store.metadata.statistics()
        #expect(statistics.assets == 1 && statistics.contents == 1)
        let report = try await store.verify(.init(isHashing: true, isRepairing: false))
        #expect(report.findings == [] && report.checkedContents == 1)
    }

    @Test("No lost edit: who saves a picture that is there changes nothing of what people wrote, nor how it looks")
    func savedAgain() async throws {
        let fixture = try StoreFixture()
        let store = try await fixture.create()
        var (manifest, bytes) = fixture.capture(sizes: [500])
        manifest.caption = "of the file"
        manifest.rating = Rating(rawValue: 1)
        try await fixture.save(manifest, bytes, to: store)
        var edit = AssetEdit()
        edit.caption = "of a person"
        edit.rating = Rating(rawValue: 5)
        let operators = StoreCaller.administrator("ana")
        let written = try await store.metadata.edit(manifest.id, edit, in: .everything, by: operators)
        let other = StoreCaller.device(StoreFixture.otherDevice)
        let answer = try await fixture.save(manifest, bytes, by: other, to: store)
        #expect(answer.receipt.receipt.deviceID == StoreFixture.otherDevice)
        #expect(try await store.metadata.asset(manifest.id, in: .everything) == written)

        let (rendering, rendered) = fixture.capture(sizes: [90])
        let resource = AssetResource(
            id: rendering.resources[0].id,
            type: .fullSizePhoto,
            digest: rendering.resources[0].digest,
            byteCount: 90,
            contentType: "image/jpeg"
        )
        var edited = manifest
        edited.resources.append(resource)
        let refused = await errorCode { try await fixture.save(edited, bytes + rendered, by: operators, to: store) }
        #expect(refused == .assetConflict)
        #expect(try await store.metadata.asset(manifest.id, in: .everything) == written)
    }

    @Test("T22, I2: an identifier that is derived from a picture is given to nobody who describes another one")
    func derived() async throws {
        let fixture = try StoreFixture()
        let store = try await fixture.create()
        let (own, bytes) = fixture.capture(sizes: [50])
        let digest = own.resources[0].digest
        let (noise, _) = fixture.capture(sizes: [60], id: .derived(from: digest))
        #expect(await errorCode { _ = try await store.create(noise, by: caller) } == .resourceInvalid)
        var rightful = own
        rightful.id = .derived(from: digest)
        try await fixture.save(rightful, bytes, to: store)
        #expect(await errorCode { _ = try await store.create(noise, by: caller) } == .resourceInvalid, "there or not")
    }

    @Test("one client that races with itself over one asset gets one asset and one receipt")
    func oneDeviceTwice() async throws {
        let fixture = try StoreFixture()
        let store = try await fixture.create()
        let (manifest, bytes) = fixture.capture(sizes: [50])
        let uploads = try await store.create(manifest, by: caller).uploads
        try await fixture.send(bytes[0], to: uploads[0], by: caller, store)
        async let first = store.commit(manifest.id, by: caller)
        async let second = store.commit(manifest.id, by: caller)
        #expect(try await first == second)
        #expect(try await store.metadata.identity().lastChange == first.receipt.receipt.changeNumber)
    }

    @Test("an identifier that another asset has is refused, and so is another device's name")
    func conflicts() async throws {
        let fixture = try StoreFixture()
        let store = try await fixture.create()
        let (manifest, bytes) = fixture.capture(sizes: [50])
        try await fixture.save(manifest, bytes, to: store)
        let (stranger, strange) = fixture.capture(sizes: [60], id: manifest.id)
        let other = StoreCaller.device(StoreFixture.otherDevice)
        #expect(await errorCode { try await fixture.save(stranger, strange, by: other, to: store) } == .assetConflict)
        var (foreign, _) = fixture.capture()
        foreign.deviceID = StoreFixture.otherDevice
        #expect(await errorCode { _ = try await store.create(foreign, by: caller) } == .resourceInvalid)
        let (open, _) = fixture.capture()
        let upload = try await store.create(open, by: caller).uploads[0]
        #expect(await errorCode { _ = try await store.status(of: upload.id, by: other) } == .notFound)
        #expect(await errorCode { try await store.cancel(upload.id, by: other) } == .notFound)
        var changed = open
        changed.resources = fixture.capture().manifest.resources
        #expect(await errorCode { _ = try await store.create(changed, by: caller) } == .assetConflict)
    }

    @Test("the decision is read where the asset is committed: a device that was denied meanwhile commits nothing")
    func deniedMeanwhile() async throws {
        let fixture = try StoreFixture()
        let store = try await fixture.create()
        let (manifest, bytes) = fixture.capture(sizes: [50])
        let uploads = try await store.create(manifest, by: caller).uploads
        try await fixture.send(bytes[0], to: uploads[0], by: caller, store)
        try await fixture.decide(StoreFixture.device, .none, in: store)
        #expect(await errorCode { _ = try await store.commit(manifest.id, by: caller) } == .denied)
        #expect(try await store.metadata.asset(manifest.id, in: .everything) == nil)
        try await fixture.decide(StoreFixture.device, .addOnly, in: store)
        _ = try await store.commit(manifest.id, by: caller)
    }

    @Test("the gate judges in the transaction, and what it throws is what the caller gets")
    func gates() async throws {
        let fixture = try StoreFixture()
        let store = try await fixture.create()
        let gated = StoreCaller.device(StoreFixture.device) { record in
            #expect(record?.device == StoreFixture.device)
            throw StoreError(.identitySuspect, "no")
        }
        let (manifest, _) = fixture.capture()
        #expect(await errorCode { _ = try await store.create(manifest, by: gated) } == .identitySuspect)
        let unknown = StoreCaller.device(DeviceID(rawValue: 9))
        #expect(await errorCode { _ = try await store.create(manifest, by: unknown) } == .identityMissing)
    }

    @Test("uploads that nobody touches expire with their staged bytes; a full disk refuses new ones and keeps the old")
    func expiryAndSpace() async throws {
        let fixture = try StoreFixture()
        let store = try await fixture.create()
        let (manifest, bytes) = fixture.capture(sizes: [50])
        let upload = try await store.create(manifest, by: caller).uploads[0]
        _ = try await store.append(
            to: upload.id,
            at: 0,
            isLast: false,
            content: Pieces([Array(bytes[0][..<20])]),
            by: caller
        )
        fixture.files.setFree(1000)
        let (large, _) = fixture.capture()
        #expect(await errorCode { _ = try await store.create(large, by: caller) } == .storageFull)
        fixture.files.setFree(1 << 40)
        #expect(try await store.expireUploads() == 0)
        fixture.clock.advance(days: 15)
        #expect(try await store.expireUploads() == 1)
        #expect(try fixture.files.list(fixture.layout.staging) == [])
        #expect(await errorCode { _ = try await store.status(of: upload.id, by: caller) } == .notFound)
    }

    @Test("T52: what open uploads were promised is free for no other, and is looked at again while they append")
    func promisedSpace() async throws {
        let fixture = try StoreFixture()
        let store = try await fixture.create()
        let reserve = store.settings.reservedByteCount
        let (edited, editedBytes) = fixture.capture()
        try await fixture.save(edited, editedBytes, to: store)
        fixture.files.setFree(reserve + 100)
        let (first, bytes) = fixture.capture(sizes: [60])
        let (second, _) = fixture.capture(sizes: [60])
        let upload = try await store.create(first, by: caller).uploads[0]
        #expect(await errorCode { _ = try await store.create(second, by: caller) } == .storageFull)
        fixture.files.setFree(reserve + 30)
        let content = Pieces([bytes[0]])
        let refused = await errorCode {
            _ = try await store.append(to: upload.id, at: 0, isLast: true, content: content, by: caller)
        }
        #expect(refused == .storageFull)
        fixture.files.setFree(reserve + 60)
        let status = try await store.append(to: upload.id, at: 0, isLast: true, content: content, by: caller)
        #expect(status.isComplete)
        fixture.files.setFree(reserve + 60)
        _ = try await store.create(second, by: caller)
        // An edit's parts are no exception: 60 bytes are promised to the second, and its own are 60 more.
        let edit = fixture.adjustment(byteCount: 30)
        fixture.files.setFree(reserve + 119)
        let unpromised = await errorCode {
            _ = try await store.adjust(edited.id, in: .everything, by: caller, edit)
        }
        #expect(unpromised == .storageFull)
        fixture.files.setFree(reserve + 120)
        #expect(try await store.adjust(edited.id, in: .everything, by: caller, edit).uploads.count == 2)
    }

    @Test("T72: what running batches may still bring is free for no other, until they end")
    func batchSpace() async throws {
        let fixture = try StoreFixture()
        let store = try await fixture.create()
        fixture.files.setFree(store.settings.reservedByteCount + APILimits.batchByteCount)
        let first = try await store.receiveBatch(by: caller)
        #expect(await errorCode { _ = try await store.receiveBatch(by: caller) } == .storageFull)
        let (manifest, _) = fixture.capture(sizes: [60])
        #expect(await errorCode { _ = try await store.create(manifest, by: caller) } == .storageFull)
        await first.discard()
        let second = try await store.receiveBatch(by: caller)
        _ = await second.finish()
        _ = try await store.create(manifest, by: caller)
    }

    @Test("what a revoked device sent in part gives its room back; what has a whole file stays")
    func revoked() async throws {
        let fixture = try StoreFixture()
        let store = try await fixture.create()
        let (whole, wholeBytes) = fixture.capture(sizes: [50])
        let kept = try await store.create(whole, by: caller).uploads[0]
        try await fixture.send(wholeBytes[0], to: kept, by: caller, store)
        let (pair, pairBytes) = fixture.capture(sizes: [50, 60])
        let uploads = try await store.create(pair, by: caller).uploads
        try await fixture.send(pairBytes[0], to: uploads[0], by: caller, store)
        _ = try await store.append(
            to: uploads[1].id,
            at: 0,
            isLast: false,
            content: Pieces([Array(pairBytes[1][..<20])]),
            by: caller
        )
        let (begun, begunBytes) = fixture.capture(sizes: [60])
        let part = try await store.create(begun, by: caller).uploads[0]
        _ = try await store.append(
            to: part.id,
            at: 0,
            isLast: false,
            content: Pieces([Array(begunBytes[0][..<20])]),
            by: caller
        )
        #expect(try await store.expireUploads() == 0)
        _ = try await store.metadata.decide(
            StoreFixture.device,
            .state(.revoked(wipe: false)),
            by: .administrator("ana"),
            reason: "stolen",
            audit: AuditContext()
        )
        #expect(try await store.expireUploads() == 1)
        let left = [kept.id, uploads[0].id, uploads[1].id].map(\.description)
        #expect(try Set(fixture.files.list(fixture.layout.staging)) == Set(left), "the pair's still is whole")
        _ = try await store.commit(whole.id, by: caller)
        #expect(try fixture.files.list(fixture.layout.staging).count == 2)
    }
}

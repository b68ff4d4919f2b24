import Authorization
import LibraryAPI
package import LibraryStore
import Persistence
import PhotoModel
import Testing

/// The contract of the metadata port: every implementation passes each of these, over new and empty stores.
package struct MetadataStoreConformance: Sendable {
    /// Makes a new, empty store with these effects and limits.
    package typealias Factory = @Sendable (StoreEffects, StoreLimits) async throws -> any MetadataStore

    /// One promise of the port.
    package struct Promise: Sendable, CustomTestStringConvertible {
        /// What is promised.
        package let name: String
        /// Holds a store to it.
        package let check: @Sendable (MetadataStoreConformance) async throws -> Void

        /// The promise.
        package var testDescription: String { name }
    }

    /// Every promise.
    package static let promises: [Promise] =
        saving + reading + bursts + albums + adjusting + replicating + pushing + keeping + upkeep + jobs

    let make: Factory

    /// A suite over what a factory makes.
    package init(_ make: @escaping Factory) { self.make = make }

    /// A new store with two devices that may do everything.
    func store(_ limits: StoreLimits = StoreLimits()) async throws -> (ConformanceWorld, any MetadataStore) {
        let world = ConformanceWorld()
        let store = try await make(world.effects, limits)
        try await world.addDevices(to: store)
        return (world, store)
    }

    var caller: StoreCaller { .device(ConformanceWorld.device) }
    var other: StoreCaller { .device(ConformanceWorld.otherDevice) }
}

extension MetadataStoreConformance {
    fileprivate static let saving = [
        Promise(name: "a creation is the same however often it is asked for; other resources are a conflict") { suite in
            let (world, store) = try await suite.store()
            let manifest = world.manifest()
            let first = try await store.create(manifest, by: suite.caller)
            #expect(try await store.create(manifest, by: suite.caller) == first && first.uploads.count == 1)
            let code = await refusal { _ = try await store.create(world.manifest(id: manifest.id), by: suite.caller) }
            #expect(code == .assetConflict)
            // Another device's creation of the same asset is another one, and neither sees the other's uploads.
            let others = try await store.create(manifest, by: suite.other)
            #expect(others.uploads[0].id != first.uploads[0].id)
            #expect(await refusal { _ = try await store.upload(others.uploads[0].id, of: suite.caller) } == .notFound)
            #expect(try await store.openUploads() == [first.uploads[0].id, others.uploads[0].id])
        },
        Promise(name: "progress never goes back, and one step that fails leaves the others be") { suite in
            let (world, store) = try await suite.store()
            let upload = try await store.create(world.manifest(), by: suite.caller).uploads[0].id
            let unknown = UploadID(rawValue: 404)
            let results = await store.record([
                UploadProgress(id: upload, durableByteCount: 60, isComplete: false),
                UploadProgress(id: unknown, durableByteCount: 1, isComplete: false),
                UploadProgress(id: upload, durableByteCount: 20, isComplete: false),
            ])
            #expect(await refusal { try results[1].get() } == .uploadGone)
            #expect(try await store.upload(upload, of: suite.caller).durableByteCount == 60)
            #expect(try await store.cancel(upload, by: suite.caller) == [upload])
            #expect(await refusal { _ = try await store.upload(upload, of: suite.caller) } == .notFound)
        },
        Promise(name: "an asset is committed when its uploads are complete, once, with one receipt") { suite in
            let (world, store) = try await suite.store()
            let manifest = world.manifest()
            let upload = try await store.create(manifest, by: suite.caller).uploads[0].id
            #expect(await refusal { _ = try await store.planCommit(manifest.id, by: suite.caller) } == .assetIncomplete)
            for result in await store.record([UploadProgress(id: upload, durableByteCount: 100, isComplete: true)]) {
                try result.get()
            }
            guard
                case .publish(let publications, let planned) = try await store.planCommit(manifest.id, by: suite.caller)
            else {
                Issue.record("nothing is to be published")
                return
            }
            #expect(publications.map(\.source) == [.upload(upload.description)] && planned.id == manifest.id)
            let request = CommitRequest(manifest: planned, caller: suite.caller, needsCreation: true)
            let committed = try #require(await store.commit([request]).first).get()
            #expect(committed.ended == [upload])
            let answer = committed.response
            #expect(answer.receipt.receipt.covers(manifest.id, resources: manifest.resources))
            #expect(try await store.openUploads() == [])
            guard case .done(let again) = try await store.planCommit(manifest.id, by: suite.caller) else {
                Issue.record("the receipt was forgotten")
                return
            }
            #expect(again == answer)
            #expect(try await store.create(manifest, by: suite.caller).receipt == answer.receipt)
            #expect(try await store.receipt(for: manifest.id, of: suite.caller) == answer)
        },
        Promise(name: "commits are numbered without a gap in their order; one that fails takes no number") { suite in
            let (world, store) = try await suite.store()
            let start = try await store.identity().lastChange.rawValue
            let requests = (0..<5).map { index in
                CommitRequest(manifest: world.manifest(), caller: suite.caller, needsCreation: index == 2)
            }
            let results = await store.commit(requests)
            #expect(await refusal { _ = try results[2].get() } == .assetConflict)
            let numbers = results.compactMap { try? $0.get().response.receipt.receipt.changeNumber.rawValue }
            #expect(numbers == Array(start + 1...start + 4))
            let page = try await store.receipts(of: suite.caller, after: .zero, limit: 3)
            #expect(page.receipts.map(\.receipt.changeNumber.rawValue) == Array(numbers.prefix(3)))
            #expect(page.next?.rawValue == numbers[2])
        },
        Promise(name: "the gate is asked inside the transaction: what it refuses leaves nothing behind") { suite in
            let (world, store) = try await suite.store()
            let closed = StoreCaller.device(ConformanceWorld.device) { record in
                #expect(record?.device == ConformanceWorld.device)
                throw StoreError(.denied, "no")
            }
            #expect(await refusal { _ = try await store.create(world.manifest(), by: closed) } == .denied)
            let request = CommitRequest(manifest: world.manifest(), caller: closed, needsCreation: false)
            let result = try #require(await store.commit([request]).first)
            #expect(await refusal { _ = try result.get() } == .denied)
            #expect(try await store.identity().lastChange == .zero)
            #expect(try await store.openUploads() == [])
            #expect(try await store.count(FetchOptions(), in: .everything) == 0)
        },
        Promise(name: "limits of one device hold for it, and for nobody else") { suite in
            var limits = StoreLimits()
            limits.openUploads = 2
            limits.assets = 3
            limits.bytes = 350
            let (world, store) = try await suite.store(limits)
            for _ in 0..<2 { _ = try await store.create(world.manifest(), by: suite.caller) }
            #expect(await refusal { _ = try await store.create(world.manifest(), by: suite.caller) } == .slowDown)
            _ = try await store.create(world.manifest(), by: suite.other)
            for _ in 0..<3 { try await world.save(to: store) }
            #expect(await refusal { try await world.save(to: store) } == .quotaExceeded)
            let large = world.manifest(byteCount: 351)
            #expect(await refusal { try await world.save(large, by: suite.other, to: store) } == .quotaExceeded)
            try await world.save(by: .administrator("ana"), to: store)
        },
        Promise(name: "uploads that nobody touched expire, and only these") { suite in
            let (world, store) = try await suite.store()
            let old = try await store.create(world.manifest(), by: suite.caller).uploads[0].id
            world.advance(days: 20)
            let young = try await store.create(world.manifest(), by: suite.caller).uploads[0].id
            let limit = world.now.advanced(by: .seconds(-86_400))
            #expect(try await store.expireUploads(untouchedSince: limit) == [old])
            #expect(try await store.openUploads() == [young])
        },
        Promise(name: "what a revoked device left unfinished goes at once; the rest stays, and all of a denied one") {
            suite in
            let (world, store) = try await suite.store()
            let (sent, begun) = (world.manifest(), world.manifest())
            let whole = try await store.create(sent, by: suite.caller).uploads[0].id
            let unfinished = try await store.create(begun, by: suite.caller).uploads[0].id
            let others = try await store.create(world.manifest(), by: suite.other).uploads[0].id
            let results = await store.record([
                UploadProgress(id: whole, durableByteCount: 100, isComplete: true),
                UploadProgress(id: unfinished, durableByteCount: 60, isComplete: false),
            ])
            for result in results { try result.get() }
            let denied = DecisionRecord.Change.answer(.none, for: Set(AccessLevel.allCases))
            try await world.decide(ConformanceWorld.device, denied, in: store)
            try await world.decide(ConformanceWorld.otherDevice, denied, in: store)
            let limit = world.now.advanced(by: .seconds(-86_400))
            #expect(try await store.expireUploads(untouchedSince: limit) == [])
            try await world.decide(ConformanceWorld.device, .state(.revoked(wipe: false)), in: store)
            #expect(try await store.expireUploads(untouchedSince: limit) == [unfinished])
            #expect(try await store.openUploads() == [whole, others])
            #expect(try await store.creations(of: ConformanceWorld.device).map(\.manifest.id) == [sent.id])
        },
    ]
}

import LibraryAPI
import LibraryStoreTestSupport
import Logging
import ObjectStorage
import ObjectStorageTestSupport
import Persistence
import PersistenceTestSupport
import PhotoModel
import Synchronization
import TestSupport
import Testing

@testable import LibraryStore

/// A library whose originals are in a bucket.
struct BucketLibraryTests {
    private let caller = StoreCaller.device(StoreFixture.device)
    private let administrator = StoreCaller.administrator("ana")

    private func library(_ fixture: StoreFixture, in bucket: FakeObjectStore) async throws -> LibraryStore {
        let store = try await LibraryStore.create(
            at: fixture.directory.path.appending("bucket-library"),
            originals: .bucket(try bucket.client(), readsBack: false),
            effects: fixture.effects,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        )
        for device in [StoreFixture.device, StoreFixture.otherDevice] { try await fixture.addDevice(device, to: store) }
        return store
    }

    @Test("Uploads and batches are saved, served, verified and backed up, and nothing of them lies on the disk")
    func saves() async throws {
        try await FakeObjectStore().run { bucket in
            let fixture = try StoreFixture()
            let store = try await library(fixture, in: bucket)
            let (manifest, bytes) = fixture.capture(sizes: [3000, 20])
            try await fixture.save(manifest, bytes, pieces: 3, to: store)
            let batched = fixture.capture(sizes: [50])
            let receiver = try await store.receiveBatch(by: caller)
            await receiver.add(batched.manifest)
            try await receiver.beginResource(byteCount: 50)
            try await receiver.append(batched.bytes[0])
            await receiver.endResource()
            #expect(await receiver.finish().results.map { $0.commit != nil } == [true])
            for (asset, bytes) in [(manifest, bytes), (batched.manifest, batched.bytes)] {
                for (resource, bytes) in zip(asset.resources, bytes) {
                    let open = try await store.open(resource.id, of: asset.id, in: .everything)
                    #expect(try await open.read(10_000, at: 0) == bytes)
                }
            }
            #expect(try await store.verify(.init(isHashing: true, isRepairing: true)).findings == [])
            #expect(bucket.keys.count == 5, "three contents, the marker and the server: \(bucket.keys)")
            let backup = fixture.directory.path.appending("backup")
            let report = try await store.backUp(to: backup, keeping: 1)
            #expect(report.copiedContents == 3 && report.manifest.missing == [])
            store.close()
        }
    }

    @Test(
        "The same bytes again leave a copy that nothing names; it is marked, kept for its time, and only then deleted"
    )
    func sweeps() async throws {
        try await FakeObjectStore().run { bucket in
            let fixture = try StoreFixture()
            let store = try await library(fixture, in: bucket)
            let (first, bytes) = fixture.capture(sizes: [10])
            try await fixture.save(first, bytes, to: store)
            var second = first
            second.id = AssetID(rawValue: 99)
            try await fixture.save(second, bytes, by: .device(StoreFixture.otherDevice), to: store)
            #expect(bucket.contents.count == 2)
            #expect(try await store.quarantineUnreferenced() == 1)
            #expect(try await store.quarantineUnreferenced() == 0, "a mark is made once")
            #expect(bucket.contents.count == 2, "the bytes stay where they are")
            fixture.clock.advance(days: 31)
            #expect(try await store.collect(by: administrator) == (purged: 0, deleted: 1))
            #expect(bucket.contents.count == 1)
            let open = try await store.open(second.resources[0].id, of: second.id, in: .everything)
            #expect(try await open.read(100, at: 0) == bytes[0])
            #expect(try await store.verify(.init(isHashing: true, isRepairing: true)).findings == [])
            store.close()
        }
    }

    @Test("Bytes that are sent again after a purge have a key of their own: deleting the old ones does not touch them")
    func keysAreUsedOnce() async throws {
        try await FakeObjectStore().run { bucket in
            let fixture = try StoreFixture()
            let store = try await library(fixture, in: bucket)
            let (first, bytes) = fixture.capture(sizes: [10])
            try await fixture.save(first, bytes, to: store)
            _ = try await store.metadata.trash(first.id, in: .everything, by: caller)
            try await store.purge(first.id, by: administrator)
            var again = first
            again.id = AssetID(rawValue: 98)
            try await fixture.save(again, bytes, to: store)
            #expect(bucket.contents.count == 2)
            fixture.clock.advance(days: 31)
            #expect(try await store.collect(by: administrator).deleted == 1)
            let open = try await store.open(again.resources[0].id, of: again.id, in: .everything)
            #expect(try await open.read(100, at: 0) == bytes[0])
            store.close()
        }
    }

    @Test(
        "Bytes that the bucket lost or that decayed are found, and what is sent again is named by the row from then on"
    )
    func heals() async throws {
        try await FakeObjectStore().run { bucket in
            let fixture = try StoreFixture()
            let store = try await library(fixture, in: bucket)
            let captures = (0..<2).map { _ in fixture.capture(sizes: [10]) }
            for capture in captures { try await fixture.save(capture.manifest, capture.bytes, to: store) }
            let key = try #require(
                bucket.contents.first { $0.contains(captures[0].manifest.resources[0].digest.description) }
            )
            bucket.change(key) { $0 = nil }
            let decayed = try #require(bucket.contents.first { $0 != key })
            bucket.change(decayed) { $0?[3] ^= 1 }
            let report = try await store.verify(.init(isHashing: true, isRepairing: true))
            #expect(Set(report.findings.map(\.kind)) == [.missingBytes, .wrongDigest])
            for capture in captures {
                try await fixture.save(capture.manifest, capture.bytes, to: store)
                let resource = capture.manifest.resources[0].id
                let open = try await store.open(resource, of: capture.manifest.id, in: .everything)
                #expect(try await open.read(100, at: 0) == capture.bytes[0])
            }
            #expect(try await store.verify(.init(isHashing: true, isRepairing: true)).findings == [])
            store.close()
        }
    }

    @Test("T174: what a request sends for an upload that is cancelled meanwhile does not stay in the bucket")
    func cancelledMeanwhile() async throws {
        try await FakeObjectStore().run { bucket in
            let fixture = try StoreFixture()
            let store = try await library(fixture, in: bucket)
            let (manifest, bytes) = fixture.capture(sizes: [3000])
            let caller = caller
            let upload = try await store.create(manifest, by: caller).uploads[0]
            let pieces = Mutex([Array(bytes[0][..<2000])])
            let content = AsyncThrowingStream<[UInt8], any Error>(unfolding: {
                if let piece = pieces.withLock({ $0.popLast() }) { return piece }
                try await store.cancel(upload.id, by: caller)
                throw CancellationError()
            })
            await #expect(throws: CancellationError.self) {
                try await store.append(to: upload.id, at: 0, isLast: true, content: content, by: caller)
            }
            #expect(try await store.content.receptions() == [])
            #expect(try await store.verify(.init(isHashing: true, isRepairing: false)).findings == [])
            store.close()
        }
    }

    @Test("While the store is away everything that needs it says so and can be asked again, and lists go on")
    func away() async throws {
        try await FakeObjectStore().run { bucket in
            let fixture = try StoreFixture()
            let store = try await library(fixture, in: bucket)
            let (saved, bytes) = fixture.capture(sizes: [10])
            try await fixture.save(saved, bytes, to: store)
            let (manifest, more) = fixture.capture(sizes: [20])
            bucket.isAway = true
            #expect(await errorCode { try await fixture.save(manifest, more, to: store) } == .unavailable)
            #expect(await errorCode { try await store.checkReadiness() } == .unavailable)
            #expect(
                await errorCode { _ = try await store.open(saved.resources[0].id, of: saved.id, in: .everything) }
                    == .unavailable
            )
            #expect(try await store.metadata.count(FetchOptions(), in: .everything) == 1)
            bucket.isAway = false
            try await fixture.save(manifest, more, to: store)
            #expect(try await store.verify(.init(isHashing: true, isRepairing: false)).findings == [])
            store.close()
        }
    }

    @Test("T170: all who ask for readiness during a look share the next one")
    func sharedReadiness() async throws {
        try await FakeObjectStore().run { bucket in
            let fixture = try StoreFixture()
            let store = try await library(fixture, in: bucket)
            let (begun, begin) = AsyncStream.makeStream(of: Void.self)
            let (released, release) = AsyncStream.makeStream(of: Void.self)
            bucket.hold { _, _ in
                begin.finish()
                for await _ in released {}
            }
            let count = 20
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await store.checkReadiness() }
                for await _ in begun {}
                for _ in 0..<count { group.addTask { try await store.checkReadiness() } }
                while store.readiness.waitingCount < count { await Task.yield() }
                release.finish()
                try await group.waitForAll()
            }
            #expect(store.readiness.rounds == 2)
            bucket.isAway = true
            #expect(await errorCode { try await store.checkReadiness() } == .unavailable)
            store.close()
        }
    }

    @Test("Sweeps, purges and new copies of the same bytes at once: what an asset names is never deleted, the rest is")
    func races() async throws {
        try await FakeObjectStore().run { bucket in
            let fixture = try StoreFixture()
            let store = try await library(fixture, in: bucket)
            let (first, bytes) = fixture.capture(sizes: [10])
            let rounds = 30 * (environmentNumber("TINTYPE_CASES") ?? 1)
            var live: AssetID?
            for round in 0..<rounds {
                var manifest = first
                manifest.id = AssetID(rawValue: UInt128(1000 + round))
                let (old, new) = (live, manifest)
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask { _ = try await fixture.save(new, bytes, to: store) }
                    group.addTask { try await sweep(store, fixture) }
                    if let old {
                        group.addTask {
                            _ = try await store.metadata.trash(old, in: .everything, by: caller)
                            // The sweep may be first: what is in the trash for its time is purged by it.
                            let refusal = await errorCode { try await store.purge(old, by: administrator) }
                            #expect(refusal == nil || refusal == .notFound)
                        }
                    }
                    try await group.waitForAll()
                }
                let open = try await store.open(new.resources[0].id, of: new.id, in: .everything)
                #expect(try await open.read(100, at: 0) == bytes[0], "round \(round)")
                live = new.id
            }
            for _ in 0..<2 { try await sweep(store, fixture) }
            #expect(bucket.contents.count == 1, "copies that nothing names are gone after two sweeps")
            #expect(bucket.keys.count == 3, "with their marks: \(bucket.keys)")
            #expect(try await store.verify(.init(isHashing: true, isRepairing: true)).findings == [])
            store.close()
        }
    }

    private func sweep(_ store: LibraryStore, _ fixture: StoreFixture) async throws {
        _ = try await store.quarantineUnreferenced()
        fixture.clock.advance(days: 31)
        _ = try await store.collect(by: administrator)
    }

    @Test("Saves get through a store that fails four requests of ten in every way, and nothing is lost")
    func disturbed() async throws {
        try await FakeObjectStore().run { bucket in
            let fixture = try StoreFixture()
            let store = try await library(fixture, in: bucket)
            let captures = [[9 << 20, 30]] + (0..<8).map { [10 + $0, 2000] }
            let saves = captures.map { fixture.capture(sizes: $0) }
            let faults: [FakeObjectStore.Fault] = [
                .refuses(500, "InternalError"), .refuses(503, "SlowDown"), .loses, .cuts,
            ]
            let generator = Mutex(SeededGenerator(seed: 19))
            bucket.disturb { generator.withLock { $0.below(10) < 4 ? $0.pick(faults) : nil } }
            var refusals = 0
            for (manifest, bytes) in saves {
                var attempts = 0
                while let code = await errorCode({ _ = try await fixture.save(manifest, bytes, pieces: 3, to: store) })
                {
                    attempts += 1
                    try #require([.unavailable, .uploadGone].contains(code) && attempts < 100, "\(code)")
                }
                refusals += attempts
            }
            #expect(refusals > 0, "callers met faults")
            bucket.disturb(nil)
            // What was begun and got no response is found and given up.
            _ = try await store.verify(.init(isHashing: true, isRepairing: true))
            #expect(try await store.verify(.init(isHashing: true, isRepairing: true)).findings == [])
            #expect(bucket.uploadCount == 0)
            for (manifest, bytes) in saves {
                for (resource, bytes) in zip(manifest.resources, bytes) {
                    let open = try await store.open(resource.id, of: manifest.id, in: .everything)
                    #expect(try await open.read(10 << 20, at: 0) == bytes)
                }
            }
            store.close()
        }
    }

    @Test("A backup of a bucket's library is restored into a folder, whole")
    func restores() async throws {
        try await FakeObjectStore().run { bucket in
            let fixture = try StoreFixture()
            let store = try await library(fixture, in: bucket)
            let (manifest, bytes) = fixture.capture(sizes: [3000, 20])
            try await fixture.save(manifest, bytes, to: store)
            let backup = fixture.directory.path.appending("backup")
            _ = try await store.backUp(to: backup, keeping: 1)
            store.close()
            let root = fixture.directory.path.appending("restored")
            let silent = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
            _ = try await LibraryRestore(from: backup).restore(
                to: .embedded(root),
                effects: fixture.effects,
                logger: silent
            )
            let restored = try await LibraryStore.open(at: root, effects: fixture.effects, logger: silent)
            for (resource, bytes) in zip(manifest.resources, bytes) {
                let open = try await restored.open(resource.id, of: manifest.id, in: .everything)
                #expect(try await open.read(10_000, at: 0) == bytes)
            }
            #expect(try await restored.verify(.init(isHashing: true, isRepairing: true)).findings == [])
            restored.close()
        }
    }

    @Test("Verification of an emptied bucket fails, and calls no content missing")
    func emptied() async throws {
        try await FakeObjectStore().run { bucket in
            let fixture = try StoreFixture()
            let store = try await library(fixture, in: bucket)
            let (manifest, bytes) = fixture.capture(sizes: [10])
            try await fixture.save(manifest, bytes, to: store)
            for key in bucket.keys { bucket.change(key) { $0 = nil } }
            #expect(
                await errorCode { _ = try await store.verify(.init(isHashing: false, isRepairing: true)) }
                    == .unavailable
            )
            #expect(try await store.metadata.statistics().missing == 0)
            store.close()
        }
    }
}

extension FakeObjectStore {
    /// The keys of contents.
    var contents: [String] { keys.filter { $0.hasPrefix("library/originals/") } }
}

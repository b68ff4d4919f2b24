import LibraryAPI
import LibraryStore
import LibraryStoreTestSupport
import Logging
import ObjectStorage
import ObjectStorageTestSupport
import Persistence
import PersistenceTestSupport
import PhotoModel
import TestSupport
import Testing

/// A bucket as the place of originals: the port's contract, and what a library promises over it.
struct ObjectContentStoreTests {
    private static func store(_ client: ObjectClient, readsBack: Bool = false) -> ObjectContentStore {
        ObjectContentStore(client, readsBack: readsBack) {
            let path = Path("/tmp").appending("tt-lent-\(UInt64.random(in: .min ... .max))")
            let file = try PosixFileSystem().open(path, .create)
            try PosixFileSystem().unlink(path)
            return file
        }
    }

    @Test("The content port, in a bucket", arguments: ContentStoreConformance.promises)
    func conformance(promise: ContentStoreConformance.Promise) async throws {
        try await FakeObjectStore().run { bucket in
            let suite = ContentStoreConformance {
                let store = Self.store(try bucket.client())
                try await store.claim(LibraryID(rawValue: 1), isNew: true)
                _ = try await store.recover()
                return store
            }
            try await promise.check(suite)
        }
    }

    @Test("The content port, in a bucket whose store takes what is wrong", arguments: ContentStoreConformance.promises)
    func readsBack(promise: ContentStoreConformance.Promise) async throws {
        try await FakeObjectStore().run { bucket in
            bucket.comparesChecksums = false
            let suite = ContentStoreConformance {
                let store = Self.store(try bucket.client(), readsBack: true)
                try await store.claim(LibraryID(rawValue: 1), isNew: true)
                _ = try await store.recover()
                return store
            }
            try await promise.check(suite)
        }
    }

    @Test("Whatever request fails once in the middle of an upload of three parts, the upload is whole")
    func faults() async throws {
        let whole = (0..<(17 << 20)).map { UInt8(truncatingIfNeeded: $0 &* 13 ^ $0 >> 11) }
        let digest = ContentHasher.digest(whole)
        for fault in [.refuses(503, "SlowDown"), .loses] as [FakeObjectStore.Fault] {
            try await FakeObjectStore().run { bucket in
                for method in ["PUT", "POST", "PUT", "HEAD", "GET", "PUT", "POST"] {
                    bucket.fail(fault) { $0.method == method }
                }
                let first = try await Self.store(bucket.client(attempts: 8)).reception(of: .a, for: whole)
                try await first.append(whole[..<(9 << 20)])
                #expect(try await first.keep() == 9 << 20)
                let second = try await Self.store(bucket.client(attempts: 8))
                    .reception(of: .a, for: whole, durableByteCount: 9 << 20)
                try await second.append(whole[(9 << 20)...])
                #expect(try await second.finish(digest))
                #expect(bucket.faultCount == 0)
                try await Self.store(bucket.client()).discard([UploadID.a.description])
                #expect(bucket.uploadCount == 0, "one whose beginning got no response too")
                #expect(bucket.keys.count == 1, "only the object is left: \(bucket.keys)")
            }
        }
    }

    @Test("When the store goes away, whole parts stay, an upload goes on from them, and nothing is promised twice")
    func outage() async throws {
        let whole = (0..<(17 << 20)).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        try await FakeObjectStore().run { bucket in
            let store = Self.store(try bucket.client())
            try await store.claim(LibraryID(rawValue: 1), isNew: true)
            let reception = try await store.reception(of: .a, for: whole)
            try await reception.append(whole[..<(12 << 20)])
            bucket.isAway = true
            let error = await #expect(throws: StoreError.self) { try await reception.append(whole[(12 << 20)...]) }
            #expect(error?.code == .unavailable)
            #expect(try await reception.keep() == 8 << 20, "the part is there")
            await #expect(throws: (any Error).self) { try await store.checkReadiness() }
            bucket.isAway = false
            try await store.checkReadiness()
            let again = try await store.reception(of: .a, for: whole, durableByteCount: 8 << 20)
            try await again.append(whole[(8 << 20)...])
            #expect(try await again.finish(ContentHasher.digest(whole)))
        }
    }

    @Test("A store that keeps other bytes than it was given is found out before anything is promised")
    func corrupted() async throws {
        try await FakeObjectStore().run { bucket in
            let store = Self.store(try bucket.client(), readsBack: true)
            let reception = try await store.reception(of: .a, for: [1, 2, 3])
            try await reception.append([1, 2, 3])
            bucket.fail(.corrupts) { $0.method == "PUT" }
            let error = await #expect(throws: PersistenceError.self) {
                _ = try await reception.finish(ContentHasher.digest([1, 2, 3]))
            }
            #expect(error?.code == .damaged)
            let batch = try await store.receiveBatch(UploadID.a.description)
            bucket.fail(.corrupts) { $0.method == "PUT" }
            let address = ContentAddress(ContentHasher.digest([4]), contentType: "image/png")
            await #expect(throws: PersistenceError.self) {
                try await batch.take([.begin(address, byteCount: 1), .bytes([4]), .end])
                _ = try await batch.finish()
            }
        }
    }

    @Test("A bucket of another library, and one that lost its marker, are refused; a batch on its way is no litter")
    func claims() async throws {
        try await FakeObjectStore().run { bucket in
            let store = Self.store(try bucket.client())
            try await store.claim(LibraryID(rawValue: 1), isNew: true)
            try await store.claim(LibraryID(rawValue: 1), isNew: false)
            for isNew in [true, false] {
                await #expect(throws: ForeignBucketError.anotherLibrary) {
                    try await store.claim(LibraryID(rawValue: 2), isNew: isNew)
                }
            }
            bucket.change("library/tintype-library") { $0 = nil }
            await #expect(throws: ForeignBucketError.unmarked) {
                try await store.claim(LibraryID(rawValue: 1), isNew: false)
            }
            bucket.change("library/photo.jpg") { $0 = [1] }
            await #expect(throws: ForeignBucketError.notEmpty) {
                try await store.claim(LibraryID(rawValue: 1), isNew: true)
            }
            bucket.change("library/photo.jpg") { $0 = nil }

            let (batch, _) = try await store.receivedBatch([[1, 2]])
            var seen = 0
            try await store.visit { seen += $0.count }
            #expect(seen == 0, "its rows are still to come")
            batch.end()
            try await store.visit { seen += $0.count }
            #expect(seen == 1)
        }
    }

    @Test("A second server takes the bucket over: the first is not ready, and neither marks nor deletes anything")
    func takenOver() async throws {
        try await FakeObjectStore().run { bucket in
            let first = Self.store(try bucket.client())
            try await first.claim(LibraryID(rawValue: 1), isNew: true)
            let address = try await first.save([1, 2, 3], as: .a)
            let name = try await first.quarantine(address, isDamaged: false)
            let second = Self.store(try bucket.client())
            try await second.claim(LibraryID(rawValue: 1), isNew: false)
            try await second.checkReadiness()
            await #expect(throws: StoreError.self) { try await first.checkReadiness() }
            await #expect(throws: StoreError.self) { try await first.purge(name) }
            let other = try await second.save([4], as: .b)
            await #expect(throws: StoreError.self) { _ = try await first.quarantine(other, isDamaged: false) }
            #expect(bucket.keys.count { $0.contains("/originals/") } == 2)
            #expect(bucket.keys.count { $0.contains("/quarantine/") } == 1)
        }
    }

    @Test("An upload whose multipart upload began without a response leaves nothing once it is given up")
    func lostBeginning() async throws {
        let bytes = [UInt8](repeating: 7, count: 9 << 20)
        try await FakeObjectStore().run { bucket in
            let store = Self.store(try bucket.client(attempts: 1))
            let reception = try await store.reception(of: .a, for: bytes)
            bucket.fail(.loses) { $0.query == ["uploads"] }
            await #expect(throws: StoreError.self) { try await reception.append(bytes[...]) }
            #expect(bucket.uploadCount == 1)
            try await store.discard([UploadID.a.description])
            #expect(bucket.uploadCount == 0 && bucket.keys == [])
        }
    }
}

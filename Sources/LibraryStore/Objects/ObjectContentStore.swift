package import LibraryAPI
package import ObjectStorage
package import Persistence
package import PhotoModel
import Synchronization

/// The content store in an S3 bucket; `ObjectKeys` describes its keys.
///
/// If rows do not decide what may be deleted, only one process at a time has the bucket; one that lost it is not ready
/// and deletes nothing. Quarantined bytes stay where they are and are marked. A key is never reused, so a mark never
/// hides new bytes, and only marked objects are ever deleted.
package final class ObjectContentStore: ContentStore {
    /// The bytes of unfinished parts in memory.
    private static let budgetByteCount = 192 << 20
    /// Threads for parsers, which wait for the store.
    private static let threadCount = 4
    /// The most concurrent requests of one call.
    private static let windowCount = 16
    /// The largest content that is lent from memory.
    private static let lentByteCount: Int64 = 1 << 20

    let client: ObjectClient
    /// Whether everything stored is read back.
    let readsBack: Bool
    /// Whether other servers may use the bucket at the same time; rows then say what may be deleted.
    let isShared: Bool
    let budget = Budget(ObjectContentStore.budgetByteCount)
    private let spool: @Sendable () throws -> any OpenFile
    private let blocking = BlockingPool(width: ObjectContentStore.threadCount)
    /// The identifier of this server's run, as written into the bucket.
    private let run = "run \(UInt64.random(in: .min ... .max))\n"
    private let state = Mutex(State())

    private struct State {
        /// The names of quarantined contents.
        var quarantined: Set<String> = []
        /// Batches whose contents have no rows yet.
        var batches: Set<String> = []
        /// Received uploads that consist only of their object.
        var alone: Set<String> = []
    }

    /// Creates a store in a bucket.
    ///
    /// - Parameters:
    ///   - client: the bucket.
    ///   - readsBack: whether to read stored bytes back, because the store does not verify checksums.
    ///   - isShared: whether other servers may use the bucket at the same time.
    ///   - spool: creates a file for another process to read, which is deleted when closed.
    package init(
        _ client: ObjectClient,
        readsBack: Bool,
        isShared: Bool = false,
        spool: @escaping @Sendable () throws -> any OpenFile
    ) {
        self.client = client
        self.readsBack = readsBack
        self.isShared = isShared
        self.spool = spool
    }

    /// Claims the bucket for this process.
    ///
    /// - Parameters:
    ///   - library: the library.
    ///   - isNew: whether to mark an empty bucket as its own.
    /// - Throws: `ForeignBucketError` for another library's bucket, one that lost its marker, or, for a new library,
    ///   one that is not empty.
    package func claim(_ library: LibraryID, isNew: Bool) async throws {
        let line = ObjectKeys.markerLine(library)
        if let found = try await client.small(ObjectKeys.marker) {
            if let departure = Departure(found) { throw ForeignBucketError.departed(departure.place) }
            guard found == line else { throw ForeignBucketError.anotherLibrary }
        } else {
            guard isNew else { throw ForeignBucketError.unmarked }
            guard try await client.list("").objects.allSatisfy({ $0.key.hasPrefix(".tintype/") }) else {
                throw ForeignBucketError.notEmpty
            }
            try await client.put(ObjectKeys.marker, line)
        }
        if !isShared { try await client.put(ObjectKeys.server, Array(run.utf8)) }
    }

    /// The bucket and its host, and whether bytes are read back.
    package var description: String {
        let location = client.location
        let place = "s3://\(location.bucket)/\(location.prefix) at \(location.host)"
        return readsBack ? "\(place), read back after each write" : place
    }

    /// Checks that the bucket responds, and that no other server has taken it.
    package func checkReadiness() async throws { try await requireBucket(isCheck: true) }

    /// Throws unless the bucket is still this library's and, if only one process may have it, this process's.
    private func requireBucket(isCheck: Bool = false) async throws {
        let key = isShared ? ObjectKeys.marker : ObjectKeys.server
        guard let found = try await client.small(key, isCheck: isCheck) else {
            throw StoreError(.unavailable, "The bucket of library.originals was emptied or deleted: restore it.")
        }
        guard isShared || found == Array(run.utf8) else {
            throw StoreError(.unavailable, "Another server took the bucket of library.originals: stop one of them.")
        }
    }

    /// Resumes from parts and objects that contain the confirmed bytes.
    package func receive(
        _ upload: UploadRecord,
        for announced: () async throws -> ContentAddress
    ) async throws -> any ContentReception {
        try await ObjectReception.resume(upload, for: announced(), in: self)
    }

    /// Records a received upload that consists only of its object, so that discarding it needs no lookup.
    func noteAlone(_ name: String) { state.withLock { _ = $0.alone.insert(name) } }

    /// Aborts multipart uploads and deletes everything below `uploads/`; a completed object is left for the sweep.
    package func discard(_ uploads: [String]) async throws {
        for upload in uploads where !upload.isEmpty && state.withLock({ $0.alone.remove(upload) }) == nil {
            let keys = try await objects("\(ObjectKeys.uploads)\(upload)/").map(\.key)
            let notes = keys.filter { ObjectKeys.turn(ofParts: $0, of: upload) != nil }
            for note in notes { try await StoredUpload.read(note, of: upload, in: client)?.abort(in: client) }
            // Notes last: without them the multipart uploads cannot be found.
            for key in keys.filter({ !notes.contains($0) }) + notes { try await client.delete(key) }
        }
    }

    /// The names below `uploads/`.
    package func receptions() async throws -> [String] {
        let keys = try await objects(ObjectKeys.uploads).map(\.key)
        return Set(keys.compactMap { $0.split(separator: "/").dropFirst().first.map(String.init) }).sorted()
    }

    /// Begins a batch whose contents become separate objects.
    package func receiveBatch(_ name: String) async throws -> any BatchReception {
        state.withLock { _ = $0.batches.insert(name) }
        return ObjectBatch(self, name)
    }

    /// Stores a content of a batch.
    func store(_ bytes: [UInt8], at address: ContentAddress) async throws {
        let key = ObjectKeys.content(address)
        try await client.put(key, bytes, digest: address.digest)
        guard readsBack else { return }
        let found = try await reader(key, byteCount: Int64(bytes.count)).wholeDigest()
        guard found == address.digest else {
            throw PersistenceError(.damaged, "store", key, "the store kept different bytes from those sent")
        }
    }

    /// Deletes a content that no row has ever named, or that was marked.
    func remove(_ address: ContentAddress) async throws { try await client.delete(ObjectKeys.content(address)) }

    func end(_ batch: String) { state.withLock { _ = $0.batches.remove(batch) } }

    /// Checks that the bytes are there: uploads and batches store them in their final places.
    package func publish(_ publications: [Publication]) async -> [Result<ContentAddress, any Error>] {
        await withTaskGroup(of: (Int, Result<ContentAddress, any Error>).self) { group in
            var results: [Result<ContentAddress, any Error>] = publications.map { .success($0.address) }
            for (index, publication) in publications.enumerated() {
                if index >= Self.windowCount, let (done, result) = await group.next() { results[done] = result }
                group.addTask { (index, await Result.awaiting { try await self.place(publication) }) }
            }
            for await (done, result) in group { results[done] = result }
            return results
        }
    }

    private func place(_ publication: Publication) async throws -> ContentAddress {
        switch publication.source {
        // Stored and compared just now.
        case .batch: return publication.address
        case .upload(let name, let copy):
            if publication.isKnown, try await byteCount(publication.address) == publication.byteCount {
                return publication.address
            }
            let address = publication.announced.copied(by: copy ?? name)
            guard try await byteCount(address) == publication.byteCount else {
                throw PersistenceError(
                    .damaged,
                    "publish",
                    address.description,
                    "the received bytes are gone: send them again"
                )
            }
            return address
        }
    }

    /// Opens an object for reads of 1 MiB.
    package func open(_ address: ContentAddress) async throws -> any ContentReader {
        guard let byteCount = try await byteCount(address) else {
            throw PersistenceError(.notFound, "open", address.description, "it is not in the store")
        }
        return reader(ObjectKeys.content(address), byteCount: byteCount)
    }

    /// Reads an object of a known length.
    func reader(_ key: String, byteCount: Int64) -> ObjectReader {
        ObjectReader(client, key, byteCount: byteCount, blocking: blocking)
    }

    /// Lends small contents from memory, larger ones through a file that is deleted with its descriptor.
    package func lend(_ address: ContentAddress) throws -> LentContent {
        try ObjectReader.waiting { [self] in
            let reader = try await open(address)
            if reader.byteCount <= Self.lentByteCount {
                return .bytes(try await reader.read(Int(Self.lentByteCount), at: 0))
            }
            let file = try await blocking.run { [spool] in try spool() }
            var offset: Int64 = 0
            while offset < reader.byteCount {
                let bytes = try await reader.read(1 << 20, at: offset)
                try await blocking.run { [offset] in try file.write(bytes[...], at: offset) }
                offset += Int64(bytes.count)
            }
            guard let descriptor = try await blocking.run({ try file.duplicateDescriptor() }) else {
                throw PersistenceError(.notPermitted, "lend", address.description, "a spool has a descriptor")
            }
            return .descriptor(descriptor)
        }
    }

    /// The length of an object; nil if it is quarantined, or missing from a bucket that is still this library's.
    package func byteCount(_ address: ContentAddress) async throws -> Int64? {
        guard !state.withLock({ $0.quarantined.contains(address.fileName) }) else { return nil }
        if let found = try await client.byteCount(ObjectKeys.content(address)) { return found }
        // A missing or foreign bucket must not make every content count as missing.
        try await requireBucket()
        return nil
    }

    /// Lists everything below `originals/`, except quarantined content and batches still being received.
    package func visit(_ body: (_ page: [StoredContent]) async throws -> Void) async throws {
        // Content found damaged by other servers.
        if isShared { _ = try await recover() }
        var continuation: String?
        repeat {
            let page = try await client.list(ObjectKeys.originals, after: continuation)
            let (hidden, coming) = state.withLock { ($0.quarantined, $0.batches) }
            let contents: [StoredContent] = page.objects.compactMap { object in
                let address = ObjectKeys.address(object.key)
                if let address, hidden.contains(address.fileName) || coming.contains(address.copy ?? "") { return nil }
                return StoredContent(address: address, name: String(object.key.dropFirst(ObjectKeys.originals.count)))
            }
            try await body(contents)
            continuation = page.next
        } while continuation != nil
    }

    /// Marks a content as quarantined; its bytes stay where they are.
    package func quarantine(_ address: ContentAddress, isDamaged: Bool) async throws -> String {
        try await requireBucket()
        let name = address.fileName
        // The row is the mark. Damaged bytes are also hidden, until a row names others.
        if isShared, !isDamaged { return name }
        try await client.put(ObjectKeys.quarantined(name), [])
        state.withLock { _ = $0.quarantined.insert(name) }
        return name
    }

    /// Removes the mark of a content whose bytes are intact.
    package func restoreIfWhole(_ address: ContentAddress) async throws -> Bool {
        let name = address.fileName
        guard state.withLock({ $0.quarantined.contains(name) }) else { return false }
        let key = ObjectKeys.content(address)
        guard let byteCount = try await client.byteCount(key),
            try await reader(key, byteCount: byteCount).wholeDigest() == address.digest
        else { return false }
        try await client.delete(ObjectKeys.quarantined(name))
        state.withLock { _ = $0.quarantined.remove(name) }
        return true
    }

    /// Deletes a marked content, then its mark.
    package func purge(_ name: String) async throws {
        guard isShared || state.withLock({ $0.quarantined.contains(name) }),
            let address = ContentAddress(fileName: name)
        else { return }
        try await requireBucket()
        try await remove(address)
        try await client.delete(ObjectKeys.quarantined(name))
        state.withLock { _ = $0.quarantined.remove(name) }
    }

    /// A bucket is unlimited.
    package func freeByteCount() async throws -> Int64? { nil }

    /// Nothing: the contents of batches are stored in their final places.
    package var unsettledByteCount: Int64 { 0 }

    /// Nothing to move.
    package func settle(
        _ wanted: (_ digests: [ContentDigest]) async throws -> Set<ContentDigest>
    ) async throws -> Int { 0 }

    /// Reads which contents are quarantined.
    ///
    /// What a batch stored before its process ended has no rows, and is swept.
    package func recover() async throws -> (contents: Int, dropped: Int) {
        let names = try await objects(ObjectKeys.quarantine).map {
            String($0.key.dropFirst(ObjectKeys.quarantine.count))
        }
        state.withLock { $0.quarantined = Set(names) }
        return (0, 0)
    }

    /// The lengths of all contents, by name, whichever process has the bucket.
    func publishedByteCounts() async throws -> [String: Int64] {
        var counts: [String: Int64] = [:]
        for object in try await objects(ObjectKeys.originals) {
            if let address = ObjectKeys.address(object.key) { counts[address.fileName] = object.byteCount }
        }
        return counts
    }

    private func objects(_ beginning: String) async throws -> [ObjectClient.Listed] {
        var found: [ObjectClient.Listed] = []
        var continuation: String?
        repeat {
            let page = try await client.list(beginning, after: continuation)
            found += page.objects
            continuation = page.next
        } while continuation != nil
        return found
    }
}

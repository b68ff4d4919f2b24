import ObjectStorage
import Persistence
import PhotoModel
import Synchronization

/// Receives one upload into an object.
///
/// The object consists of parts on a fixed grid: part n always has the bytes from 8 MiB * (n - 1) on, so that the same
/// bytes sent twice produce the same part. Bytes that do not fill a part yet are kept in memory, and become a separate
/// object when the request ends. An upload that fits into one part is one object, whose announced digest the store
/// verifies.
actor ObjectReception: ContentReception {
    /// The bytes of a part.
    static let partByteCount = 8 << 20

    private struct Progress {
        var byteCount: Int64 = 0
        /// Nil if another process received the bytes: parts cannot be read before they are an object.
        var hasher: ContentHasher.Running? = ContentHasher.Running()
        var parts: [ObjectClient.Part] = []
    }

    private let store: ObjectContentStore
    private let name: String
    /// The turn that began this reception; see `UploadRecord.turn`.
    private let turn: Int64
    private let address: ContentAddress
    /// The bytes of the whole upload.
    private let totalByteCount: Int64
    /// Readable without waiting for the actor.
    private nonisolated let progress: Mutex<Progress>
    /// The progress that was last made durable.
    private var kept: Progress
    /// The progress after the last whole part.
    private var line: Progress
    /// The bytes after the last part; nil while they are only in the store.
    private var rest: [UInt8]?
    /// The room reserved for `rest` in the budget.
    private var room = 0
    /// The store's identifier of the multipart upload; nil before the first part.
    private var upload: String?
    /// The end offsets of the objects with the rest, oldest first.
    private var offsets: [Int64] = []
    /// Whether the upload's object is all that the store has of it.
    private var isAlone: Bool
    /// Another turn's note of the parts, which this turn's replaces.
    private var former: String?

    private init(
        _ store: ObjectContentStore,
        _ record: UploadRecord,
        _ address: ContentAddress,
        _ progress: Progress,
        _ upload: String?,
        _ note: String?
    ) {
        self.store = store
        name = record.id.description
        turn = record.turn
        self.address = address
        totalByteCount = record.byteCount
        self.progress = Mutex(progress)
        kept = progress
        line = progress
        self.upload = upload
        offsets = progress.byteCount > 0 ? [progress.byteCount] : []
        // An earlier turn's server may have left something behind.
        isAlone = progress.byteCount == 0 && record.turn <= 1
        former = record.turn == 0 ? nil : note
    }

    private var client: ObjectClient { store.client }

    deinit { store.budget.release(room) }

    nonisolated var byteCount: Int64 { progress.withLock(\.byteCount) }

    nonisolated var copy: String? { address.copy }

    nonisolated var digest: ContentDigest? { progress.withLock { $0.hasher?.digest } }

    /// Continues an upload from the durable bytes of its row.
    ///
    /// - Parameters:
    ///   - upload: the upload's row.
    ///   - announced: its address.
    ///   - store: the store.
    /// - Returns: the reception.
    /// - Throws: `damaged` if confirmed bytes are gone; the store's error.
    static func resume(
        _ upload: UploadRecord,
        for announced: ContentAddress,
        in store: ObjectContentStore
    ) async throws -> ObjectReception {
        let name = upload.id.description
        let client = store.client
        var progress = Progress()
        progress.byteCount = upload.durableByteCount
        var (stored, note): (String?, String?)
        // A separate key for each turn: no server can replace what another one finished.
        var address = announced.copied(by: upload.turn == 0 ? name : "\(name)-\(upload.turn)")
        let partCount = Int(upload.durableByteCount / Int64(partByteCount))
        if partCount > 0 {
            (progress.parts, stored, address, note) = try await parts(partCount, of: upload, in: client)
            progress.hasher = nil
        }
        let restCount = upload.durableByteCount % Int64(partByteCount)
        if restCount > 0 {
            let key = ObjectKeys.rest(of: name, upTo: upload.durableByteCount)
            guard try await client.byteCount(key) == restCount else { throw gone(name) }
            if partCount == 0 { progress.hasher?.update(try await client.get(key, 0..<restCount)[...]) }
        }
        return ObjectReception(store, upload, address, progress, stored, note)
    }

    /// The confirmed parts of an upload, and the store's identifier of it, from the newest note that has them.
    private static func parts(
        _ count: Int,
        of upload: UploadRecord,
        in client: ObjectClient
    ) async throws -> ([ObjectClient.Part], String, ContentAddress, note: String) {
        let name = upload.id.description
        var notes = [ObjectKeys.parts(of: name, turn: 0)]
        if upload.turn > 0 {
            let keys = try await client.list(notes[0], after: nil).objects.map(\.key)
            notes = keys.compactMap { key in ObjectKeys.turn(ofParts: key, of: name).map { (key, $0) } }
                .sorted { $0.1 > $1.1 }.map(\.0)
        }
        for note in notes {
            guard let stored = try await StoredUpload.read(note, of: name, in: client), let begun = stored.upload,
                let address = ObjectKeys.address(stored.key), let found = try await client.parts(of: begun, stored.key)
            else { continue }
            var parts = Array(found.prefix(count))
            for (index, checksum) in stored.checksums.prefix(parts.count).enumerated() {
                parts[index].checksum = checksum
            }
            let isWhole = parts.enumerated().allSatisfy { $1.number == $0 + 1 && $1.byteCount == Int64(partByteCount) }
            if parts.count == count, isWhole { return (parts, begun, address, note) }
        }
        throw gone(name)
    }

    private static func gone(_ name: String) -> PersistenceError {
        PersistenceError(.damaged, "resume", name, "confirmed bytes are not in the store: send the resource again")
    }

    func append(_ bytes: ArraySlice<UInt8>) async throws {
        try await uncancelled { try await self.take(bytes) }
    }

    private func take(_ bytes: ArraySlice<UInt8>) async throws {
        var bytes = bytes
        while !bytes.isEmpty {
            var rest = try await loaded()
            if rest.count == Self.partByteCount {
                try await storePart()
                rest = []
            }
            // Once: growing by doubling would copy it several times.
            if rest.isEmpty { rest.reserveCapacity(nextPartByteCount) }
            let front = bytes.prefix(Self.partByteCount - rest.count)
            self.rest = nil
            rest += front
            self.rest = rest
            progress.withLock { progress in
                progress.hasher?.update(front)
                progress.byteCount += Int64(front.count)
            }
            bytes = bytes.dropFirst(front.count)
        }
    }

    /// The offset of the part after the last stored one.
    private var partStart: Int64 { Int64(progress.withLock(\.parts.count)) * Int64(Self.partByteCount) }

    /// The most bytes of that part.
    private var nextPartByteCount: Int { Int(min(Int64(Self.partByteCount), max(0, totalByteCount - partStart))) }

    /// The bytes after the last part, fetched if they are only in the store.
    private func loaded() async throws -> [UInt8] {
        if let rest { return rest }
        let byteCount = progress.withLock(\.byteCount)
        let (start, room) = (partStart, nextPartByteCount)
        await store.budget.acquire(room)
        do {
            let key = ObjectKeys.rest(of: name, upTo: byteCount)
            let rest = byteCount > start ? try await client.get(key, 0..<(byteCount - start)) : []
            self.rest = rest
            self.room = room
            return rest
        } catch {
            store.budget.release(room)
            throw error
        }
    }

    /// Stores the bytes after the last part as the next part, and notes it unless the object is completed next.
    private func storePart(isLast: Bool = false) async throws {
        let bytes = rest ?? []
        let parts = progress.withLock(\.parts)
        let key = ObjectKeys.content(address)
        let upload = try await begun(key)
        let part = try await client.putPart(parts.count + 1, of: upload, key, bytes)
        if !isLast {
            let checksums = (parts + [part]).compactMap(\.checksum)
            try await StoredUpload(key: key, upload: upload, checksums: checksums)
                .write(name, turn: turn, in: client)
            // If it stays, it is deleted with its upload.
            if let former { try? await client.delete(former) }
            former = nil
        }
        rest = []
        line = progress.withLock { progress in
            progress.parts.append(part)
            return progress
        }
    }

    /// The store's identifier of the multipart upload, which another process may have begun.
    private func begun(_ key: String) async throws -> String {
        if let upload { return upload }
        isAlone = false
        // Another process of the only server, or an earlier request, may have begun it; each turn begins its own.
        let note = ObjectKeys.parts(of: name, turn: turn)
        if let stored = try await StoredUpload.read(note, of: name, in: client), let found = stored.upload,
            try await client.parts(of: found, stored.key) != nil
        {
            upload = found
            return found
        }
        try await StoredUpload(key: key).write(name, turn: turn, in: client)
        let new = try await client.beginParts(key)
        upload = new
        return new
    }

    func keep() async throws -> Int64 { try await uncancelled { try await self.keepAll() } }

    private func keepAll() async throws -> Int64 {
        let now = progress.withLock(\.byteCount)
        guard now != kept.byteCount, let rest else {
            release()
            return kept.byteCount
        }
        do {
            if rest.count == Self.partByteCount {
                try await storePart()
            } else if !rest.isEmpty {
                let key = ObjectKeys.rest(of: name, upTo: now)
                isAlone = false
                try await client.put(key, rest)
                offsets.append(now)
            }
            kept = progress.withLock { $0 }
        } catch {
            // Whole parts are durable anyway.
            guard line.byteCount > kept.byteCount else { throw error }
            kept = line
            progress.withLock { [line] in $0 = line }
        }
        release()
        await forgetRests()
        return kept.byteCount
    }

    func revert() async throws {
        release()
        progress.withLock { [kept] in $0 = kept }
        line = kept
    }

    func finish(_ announced: ContentDigest) async throws -> Bool {
        if let digest, digest != announced { return false }
        return try await uncancelled { try await self.complete(announced) }
    }

    private func complete(_ announced: ContentDigest) async throws -> Bool {
        let key = ObjectKeys.content(address)
        let rest = try await loaded()
        let (hasParts, byteCount) = progress.withLock { (!$0.parts.isEmpty, $0.byteCount) }
        if hasParts {
            if !rest.isEmpty { try await storePart(isLast: true) }
            try await client.complete(try await begun(key), key, progress.withLock(\.parts))
        } else {
            try await client.put(key, rest, digest: announced)
        }
        release()
        // For an object of one part the store has verified the digest.
        if hasParts || store.readsBack {
            guard try await client.byteCount(key) == byteCount else { throw Self.gone(name) }
        }
        if isAlone { store.noteAlone(name) }
        guard store.readsBack || digest == nil else { return true }
        // Read back before it is confirmed: another process received parts, or the store verifies no checksums.
        if try await store.reader(key, byteCount: byteCount).wholeDigest() == announced { return true }
        try await client.delete(key)
        guard digest == nil else {
            throw PersistenceError(
                .damaged,
                "store",
                key,
                "the store kept different bytes from those sent: send them again"
            )
        }
        return false
    }

    private func release() {
        rest = nil
        store.budget.release(room)
        room = 0
    }

    /// Deletes objects whose offsets no row can have any more; the row may still have the offset before the last.
    private func forgetRests() async {
        while offsets.count > 2 {
            // If one stays, it is deleted with its upload.
            try? await client.delete(ObjectKeys.rest(of: name, upTo: offsets.removeFirst()))
        }
    }

    /// Runs to its end even if the caller's task is cancelled: others rely on what is durable.
    private func uncancelled<Value: Sendable>(
        _ body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        do {
            return try await Task { try await body() }.value
        } catch let error as ObjectStorageError {
            throw StoreError.wrapping(error, about: name)
        }
    }
}

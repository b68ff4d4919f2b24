import FoundationEssentials
import GRDB
package import LibraryAPI
package import Persistence
package import PhotoModel

/// The box's store: its captures and their state.
///
/// Its root contains `state.sqlite`, `spool/<asset id>/` (being written) and `originals/<asset id>/` (complete): the
/// resources' files and `entry.json`, which describes them, so that the folder alone is enough to recreate its row. The
/// file system must rename atomically, as every journaling one does.
///
/// Guarantees: a capture returned by `add` survives a power cut, a Live Photo with both parts or as an incomplete one;
/// one capture is one asset, however often it is retried; bytes are deleted only against a verified receipt that names
/// every digest.
///
/// All calls block: use them on the `BlockingPool`. They are serialised on one connection, so the store may be shared;
/// code inside a transaction gets that transaction, and must not call the store.
package final class AgentStore: Sendable {
    /// Returns whether a receipt's signature is the pinned library's.
    package typealias ReceiptVerifier = @Sendable (SignedReceipt) -> Bool

    /// The folder that holds everything.
    package let root: Path
    /// What opening the store found and repaired.
    package let recovery: RecoveryReport
    let fileSystem: any FileSystem
    let database: DatabaseQueue
    let replicaChangeNotifier = ReplicaChangeNotifier()
    /// Whether another process may have the store open; only that process repairs it and frees bytes.
    package let isGuest: Bool
    private let lock: (any FileLock)?

    /// Opens the store, creates it if it does not exist, and repairs what an interruption left; interrupted shots whose
    /// record was lost join the album.
    ///
    /// - Throws: `storage`, also when another process has the store open.
    package init(
        root: Path,
        fileSystem: any FileSystem = PosixFileSystem(),
        album: String? = nil,
        now: WallTime
    ) throws {
        self.root = root
        self.fileSystem = fileSystem
        isGuest = false
        let turn: any FileLock
        let isSettled: Bool
        do throws(Persistence.PersistenceError) {
            for folder in [root, root.appending("spool"), root.appending("originals")] {
                try fileSystem.createDirectories(folder)
            }
            lock = try fileSystem.lock(root.appending("lock"))
            turn = try fileSystem.lockWriters(of: root)
            isSettled = try fileSystem.status(Self.settledMarker(in: root)) != nil
        } catch {
            throw AgentStoreError(error)
        }
        database = try Self.opened(root.appending("state.sqlite"))
        recovery = try Recovery(root: root, fileSystem: fileSystem, database: database, album: album, now: now)
            .run(isSettled: isSettled)
        turn.release()
    }

    /// Opens a store beside the process that has it open, to read it, change the view and add captures; SQLite isolates
    /// the two.
    ///
    /// - Throws: `storage`, also if there is no store.
    package init(guestAt root: Path, fileSystem: any FileSystem = PosixFileSystem()) throws {
        self.root = root
        self.fileSystem = fileSystem
        isGuest = true
        lock = nil
        let file = root.appending("state.sqlite")
        do throws(Persistence.PersistenceError) {
            guard try fileSystem.status(file) != nil else {
                throw Persistence.PersistenceError(.notFound, "open", file.text, "there is no store")
            }
        } catch {
            throw AgentStoreError(error)
        }
        database = try Self.opened(file)
        recovery = RecoveryReport()
    }

    private static func opened(_ file: Path) throws -> DatabaseQueue {
        do {
            return try DatabaseOpening(file, schema: AgentSchema.schema).openSerially()
        } catch let error as DatabaseError
            where error.resultCode == .SQLITE_FULL || error.extendedResultCode == .SQLITE_IOERR_SHMSIZE
        {
            throw AgentStoreError(.full, nil, "the disk has no room for the queue: free space", cause: error)
        }
    }

    /// Announces that the view may have changed, after a transaction that changed it.
    package func notifyViewChanged() { replicaChangeNotifier.ring() }

    /// Yields, from now on, whenever the view may have changed.
    package func viewNews() -> AsyncStream<Void> { replicaChangeNotifier.listen() }

    deinit {
        lock?.release()
    }

    /// The folder of files not yet in the queue.
    package var spool: Path { root.appending("spool") }

    /// The folder of an asset's bytes.
    package func folder(of asset: AssetID) -> Path {
        root.appending("originals").appending(asset.description)
    }

    /// The file of a resource's bytes.
    package func file(of resource: AssetResource, in asset: AssetID) -> Path {
        folder(of: asset).appending(Self.fileName(of: resource))
    }

    /// The location of a resource's bytes on disk, and whether they are encrypted, so that only
    /// ``read(_:of:at:count:)`` returns them.
    ///
    /// - Throws: `storage`.
    package func place(of resource: AssetResource, in asset: AssetID) throws -> (path: Path, isEncrypted: Bool) {
        let path = file(of: resource, in: asset)
        let place = try Self.stored(asset) { () throws(Persistence.PersistenceError) in try fileSystem.place(of: path) }
        return (place, place != path)
    }

    /// Opens a resource's file.
    func open(_ resource: AssetResource, of asset: AssetID) throws(Persistence.PersistenceError) -> any OpenFile {
        try fileSystem.open(file(of: resource, in: asset), .read)
    }

    /// Reads bytes of a resource; fewer than the count only at the end.
    ///
    /// - Throws: `storage`.
    package func read(_ resource: AssetResource, of asset: AssetID, at offset: Int64, count: Int) throws -> [UInt8] {
        try Self.stored(asset) { () throws(Persistence.PersistenceError) in
            let file = try open(resource, of: asset)
            defer { try? file.close() }
            return try file.read(count, at: offset)
        }
    }

    /// Why an entry's files cannot be intact, judging by their lengths and last bytes, those of a dead letter by all bytes;
    /// nil if they may be.
    ///
    /// - Throws: `storage` if they cannot be read now.
    package func shortfall(of entry: QueueEntry) throws -> String? {
        try shortfall(of: entry.manifest.resources, in: entry.id, isReadingAll: entry.state == .deadLetter)
    }

    /// The same, of an asset's resources.
    package func shortfall(
        of resources: [AssetResource],
        in asset: AssetID,
        isReadingAll: Bool = false
    ) throws -> String? {
        for resource in resources {
            do throws(AgentStoreError) {
                if try isIntact(resource, of: asset, isReadingAll: isReadingAll) { continue }
            } catch {
                let cause = (error.cause as? Persistence.PersistenceError)?.code
                guard cause == .notFound || cause == .damaged else { throw error }
            }
            return "\(Self.fileName(of: resource)) is missing or truncated on this box, or its bytes have changed: "
                + "check its disk; tintype-agent queue export saves what is left"
        }
        return nil
    }

    private func isIntact(
        _ resource: AssetResource,
        of asset: AssetID,
        isReadingAll: Bool
    ) throws(AgentStoreError) -> Bool {
        try Self.stored(asset) { () throws(Persistence.PersistenceError) -> Bool in
            guard isReadingAll else {
                return try open(resource, of: asset).read(1, at: resource.byteCount - 1).count == 1
            }
            return try ContentHasher.digest(file(of: resource, in: asset), in: fileSystem).digest == resource.digest
        }
    }

    /// Built from the type and the identifier, never from outside input.
    static func fileName(of resource: AssetResource) -> String {
        let ending = ContentAddress(resource.digest, contentType: resource.contentType).fileExtension
        return "\(resource.type.rawValue)-\(resource.id).\(ending)"
    }

    static func json(_ value: some Encodable) throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return Array(try encoder.encode(value))
    }

    static func value<Value: Decodable>(_ type: Value.Type, from bytes: [UInt8]) throws -> Value {
        try JSONDecoder().decode(type, from: Data(bytes))
    }
}

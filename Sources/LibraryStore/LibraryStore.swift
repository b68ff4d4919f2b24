package import FoundationEssentials
package import LibraryAPI
package import Logging
package import Persistence
import PhotoModel

/// The server's store: rows and bytes behind two ports, and the order of steps that keeps every confirmation true.
///
/// 1. Bytes are hashed and stored as they arrive; an offset is confirmed once the bytes and the row with the offset are
///    durable.
/// 2. A commit publishes complete contents durably, then makes the asset visible in one transaction with its receipt.
///    Simultaneous commits share the publication and the transaction.
/// 3. Unfinished work is either resumed, or found by `verify` and quarantined; nothing is deleted before its time in
///    quarantine is over.
package final class LibraryStore: Sendable {
    /// The store's settings, with units and ranges.
    package struct Settings: Hashable, Sendable {
        /// Threads for blocking calls, 1...64.
        package var blockingThreads = 8
        /// Bytes per write to the content store, 64 KiB...8 MiB.
        package var chunkByteCount = 1 << 20
        /// Bytes of the disk that must stay free; uploads that would use them are refused: 1 GiB.
        package var reservedByteCount: Int64 = 1 << 30
        /// The most assets in one transaction, fewer if they have many keywords or long texts: as many as a batch has,
        /// so that one batch is received while another is committed.
        package var groupCount = APILimits.batchAssetCount
        /// Bytes of batches outside their final place above which a new batch waits: 1 GiB.
        package var journalByteCount: Int64 = 1 << 30
        /// How long purged bytes stay in quarantine: 30 days.
        package var quarantineDuration = Duration.seconds(30 * 86_400)
        /// How long an asset stays in the trash: 30 days.
        package var trashDuration = Duration.seconds(30 * 86_400)
        /// Each device's limits.
        package var limits = StoreLimits()
        /// The time zone assumed for captures without their own UTC offset: UTC.
        package var timeZone = TimeZone.gmt

        /// The default settings.
        package init() {}
    }

    /// The library's identifier.
    package let id: LibraryID
    /// The rows.
    package let metadata: any MetadataStore
    /// The bytes.
    package let content: any ContentStore
    /// The threads for blocking calls.
    package let blocking: BlockingPool
    /// The folder of the keys, which backups include.
    let authority: Path
    /// The store's settings.
    package let settings: Settings
    let effects: StoreEffects
    let logger: Logger
    let uploads: UploadSessions
    let space: PromisedSpace
    let commits: CommitQueue
    /// Those who ask during a look share the next one, so that strangers' requests cost one look at a time.
    let readiness: GroupCommitter<Void, Void>
    let settling: GroupCommitter<Void, Int>
    let settlingRequests: AsyncStream<Void>
    let settlingContinuation: AsyncStream<Void>.Continuation
    private let lock: any FileLock

    /// Assembles a store; normally use `open` or `create`.
    package init(
        id: LibraryID,
        metadata: any MetadataStore,
        content: any ContentStore,
        blocking: BlockingPool,
        lock: any FileLock,
        authority: Path,
        effects: StoreEffects,
        settings: Settings,
        logger: Logger
    ) {
        self.authority = authority
        self.id = id
        self.metadata = metadata
        self.content = content
        self.blocking = blocking
        self.lock = lock
        self.effects = effects
        self.settings = settings
        self.logger = logger
        uploads = UploadSessions()
        space = PromisedSpace { countsUploads in
            // Before the free bytes: what an upload stores in between is rather counted twice than not.
            let uploads = countsUploads ? try await metadata.promisedByteCount() : 0
            guard let free = try await content.freeByteCount() else { return nil }
            return PromisedSpace.Room(byteCount: free - settings.reservedByteCount, uploadByteCount: uploads)
        }
        commits = CommitQueue(metadata: metadata, content: content, groupCount: settings.groupCount)
        readiness = GroupCommitter(maximumWeight: .max) { waiting in
            // A request that is cancelled looks for the others too.
            try await Task {
                try metadata.duties.checkReadiness()
                _ = try await metadata.identity()
                try await content.checkReadiness()
            }.value
            return waiting.map { _ in .success(()) }
        }
        (settlingRequests, settlingContinuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        settling = GroupCommitter(maximumWeight: .max) { waiting in
            let count = try await content.settle { try await metadata.wanted($0) }
            return waiting.map { _ in .success(count) }
        }
    }

    /// Opens an existing library.
    ///
    /// - Parameters:
    ///   - root: the library's directory.
    ///   - files: its file system.
    ///   - originals: the location of its originals.
    ///   - metadata: the location of its rows.
    ///   - effects: time, randomness and key.
    ///   - settings: the store's settings.
    ///   - beginsHistory: whether to begin a new history before anything else, because the rows were reset to an earlier
    ///     time.
    ///   - logger: the logger.
    /// - Returns: the store.
    /// - Throws: `foreign` for an empty directory or another library's database, `locked` if another process holds it,
    ///   `ForeignBucketError`; PostgreSQL's errors.
    package static func open(
        at root: Path,
        in files: some FileSystem = PosixFileSystem(),
        originals: Originals = .folder,
        metadata: MetadataLocation = .folder,
        effects: StoreEffects,
        settings: Settings = Settings(),
        beginsHistory: Bool = false,
        logger: Logger
    ) async throws -> LibraryStore {
        let store = try await make(
            at: root,
            creating: nil,
            beginsHistory: beginsHistory,
            in: files,
            originals,
            metadata,
            effects,
            settings,
            logger
        )
        do {
            try await store.content.claim(store.id, isNew: false)
            return store
        } catch {
            store.close()
            throw error
        }
    }

    /// Creates a new library in an empty directory, and opens it.
    ///
    /// - Parameters:
    ///   - root: the library's directory; created if missing.
    ///   - files: its file system.
    ///   - originals: the location of its originals.
    ///   - metadata: the location of its rows.
    ///   - effects: time, randomness and key.
    ///   - settings: the store's settings.
    ///   - logger: the logger.
    ///   - preparing: creates the library's other parts; the directory becomes a library only after that.
    /// - Returns: the store.
    /// - Throws: `exists` if the directory is not empty, `ForeignBucketError`.
    package static func create(
        at root: Path,
        in files: some FileSystem = PosixFileSystem(),
        originals: Originals = .folder,
        metadata: MetadataLocation = .folder,
        effects: StoreEffects,
        settings: Settings = Settings(),
        logger: Logger,
        preparing: @escaping @Sendable () throws -> Void = {}
    ) async throws -> LibraryStore {
        let new: LibraryID = effects.identifier()
        let store = try await make(at: root, creating: new, in: files, originals, metadata, effects, settings, logger)
        do {
            try await store.blocking.run { try preparing() }
            try await store.content.claim(new, isNew: true)
            try await store.blocking.run { try LibraryLayout(root: root).mark(new, in: files) }
            return store
        } catch {
            store.close()
            throw error
        }
    }

    private static func make(
        at root: Path,
        creating new: LibraryID?,
        beginsHistory: Bool = false,
        in files: some FileSystem,
        _ originals: Originals,
        _ metadata: MetadataLocation,
        _ effects: StoreEffects,
        _ settings: Settings,
        _ logger: Logger
    ) async throws -> LibraryStore {
        let layout = LibraryLayout(root: root)
        let blocking = BlockingPool(width: settings.blockingThreads)
        return try await blocking.run {
            let id: LibraryID
            if let new {
                try metadata.requireRoom()
                try layout.createFolders(in: files, holdsOriginals: originals.isFolder)
                id = new
            } else {
                id = try layout.identify(in: files)
                if originals.isFolder { try layout.require(layout.originals, in: files) }
            }
            let isShared = metadata.isServed && !originals.isFolder
            let lock = try files.lock(layout.lock)
            if originals.isFolder { try files.createDirectories(layout.journals) }
            let rows = try metadata.open(
                layout,
                library: id,
                isNew: new != nil,
                beginsHistory: beginsHistory,
                isShared: isShared,
                settings,
                effects,
                logger,
                blocking: blocking
            )
            return LibraryStore(
                id: id,
                metadata: rows,
                content: originals.store(layout, in: files, blocking: blocking, isShared: isShared),
                blocking: blocking,
                lock: lock,
                authority: layout.authority,
                effects: effects,
                settings: settings,
                logger: logger
            )
        }
    }

    /// Checks that rows and bytes can be reached.
    ///
    /// - Throws: the error of the database or the disk.
    package func checkReadiness() async throws { try await readiness.commit(()) }

    /// Releases the library for other processes; nothing may be in progress.
    package func close() { lock.release() }

    /// Records bytes that have become durable.
    func record(_ step: UploadProgress) async throws { try await metadata.record([step])[0].get() }
}

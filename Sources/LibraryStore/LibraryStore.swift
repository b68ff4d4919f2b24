package import FoundationEssentials
package import LibraryAPI
package import Logging
package import Persistence
import PhotoModel

/// The server's store: rows and bytes behind two ports, and the order of steps that keeps what was promised.
///
/// 1. Bytes are received and hashed while they are stored; an offset is told after they are durable and after the row that
///    holds it.
/// 2. A commit publishes complete contents durably, and then makes the asset visible in one transaction with its receipt.
///    Commits that come together share the publication and the transaction.
/// 3. Whatever was begun and not finished is either resumed, or found by `verify` and moved to quarantine; nothing is
///    deleted before its time there has passed.
package final class LibraryStore: Sendable {
    /// What can be set, with units and ranges.
    package struct Settings: Hashable, Sendable {
        /// Threads for calls that block, 1...64.
        package var blockingThreads = 8
        /// Bytes that are handed to the content store at once, 64 KiB...8 MiB.
        package var chunkByteCount = 1 << 20
        /// Bytes of the disk that are kept free; uploads are refused below: 1 GiB.
        package var reservedByteCount: Int64 = 1 << 30
        /// Assets that share one transaction at most, unless more come in one request: as many as a batch holds, so that one
        /// batch is received while another is committed.
        package var groupCount = APILimits.batchAssetCount
        /// Bytes of batches that are not in their final place before a new batch waits for them: 1 GiB.
        package var journalByteCount: Int64 = 1 << 30
        /// How long purged bytes stay in quarantine: 30 days.
        package var quarantineDuration = Duration.seconds(30 * 86_400)
        /// How long an asset stays in the trash: 30 days.
        package var trashDuration = Duration.seconds(30 * 86_400)
        /// What one device may have.
        package var limits = StoreLimits()
        /// Where captures count as taken whose own offset to UTC is unknown: UTC.
        package var timeZone = TimeZone.gmt

        /// The usual settings.
        package init() {}
    }

    /// Which library it is.
    package let id: LibraryID
    /// The rows.
    package let metadata: any MetadataStore
    /// The bytes.
    package let content: any ContentStore
    /// The threads for calls that block.
    package let blocking: BlockingPool
    /// Where the keys lie, which a backup takes along.
    let authority: Path
    /// What is set.
    package let settings: Settings
    let effects: StoreEffects
    let logger: Logger
    let uploads: UploadSessions
    let commits: CommitQueue
    let settling: GroupCommitter<Void, Int>
    let settlingRequests: AsyncStream<Void>
    let settlingContinuation: AsyncStream<Void>.Continuation
    private let lock: any FileLock

    /// Puts a store together; `open` and `create` are the usual ways to one.
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
        commits = CommitQueue(metadata: metadata, content: content, groupCount: settings.groupCount)
        (settlingRequests, settlingContinuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        settling = GroupCommitter(maximumWeight: .max) { waiting in
            do {
                let count = try await content.settle { try await metadata.wanted($0) }
                return waiting.map { _ in .success(count) }
            } catch {
                return waiting.map { _ in .failure(error) }
            }
        }
    }

    /// Opens a library that exists.
    ///
    /// - Parameters:
    ///   - root: the library's directory.
    ///   - files: where it is.
    ///   - originals: where its originals lie.
    ///   - metadata: where its rows are.
    ///   - effects: time, randomness and key.
    ///   - settings: what is set.
    ///   - logger: where the store writes to.
    /// - Returns: the store.
    /// - Throws: `foreign` for an empty directory or another library's database, `locked` if another process has it,
    ///   `ForeignBucketError`; PostgreSQL's errors.
    package static func open(
        at root: Path,
        in files: some FileSystem = PosixFileSystem(),
        originals: Originals = .folder,
        metadata: MetadataLocation = .folder,
        effects: StoreEffects,
        settings: Settings = Settings(),
        logger: Logger
    ) async throws -> LibraryStore {
        let store = try await make(at: root, creating: nil, in: files, originals, metadata, effects, settings, logger)
        do {
            try await store.content.claim(store.id, isNew: false)
            return store
        } catch {
            store.close()
            throw error
        }
    }

    /// Makes a new library in an empty directory, and opens it.
    ///
    /// - Parameters:
    ///   - root: the library's directory; made when missing.
    ///   - files: where it is to be.
    ///   - originals: where its originals are to lie.
    ///   - metadata: where its rows are to be.
    ///   - effects: time, randomness and key.
    ///   - settings: what is set.
    ///   - logger: where the store writes to.
    ///   - preparing: makes what else belongs to a library; the directory is none before that is done.
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

    /// Holds that rows and bytes can be reached.
    ///
    /// - Throws: what the database or the disk says.
    package func checkReadiness() async throws {
        try metadata.duties.checkReadiness()
        _ = try await metadata.identity()
        try await content.checkReadiness()
    }

    /// Lets another process open the library; nothing may be under way.
    package func close() {
        lock.release()
    }

    /// Writes down what has become durable.
    func record(_ step: UploadProgress) async throws {
        try await metadata.record([step])[0].get()
    }
}

package import AgentStore
import Host
import LibraryAPI
package import MediaFiles
package import Persistence
package import PhotoModel

/// Imports files into the queue: each photo, movie, Live Photo pair, or photo with its raw file becomes one asset.
///
/// It is identified by its primary bytes, so that an import can be interrupted, repeated, or run on two boxes without
/// duplicates.
package struct Importer: Sendable {
    /// The result of an import.
    package struct Report: Hashable, Sendable, Codable {
        /// Assets that are new in the queue.
        package var added = 0
        /// Assets already known, by their bytes or their files' attributes.
        package var known = 0
        /// Files that are not media.
        package var skipped = 0
        /// Live Photos among the new ones.
        package var livePhotos = 0
        /// Sidecars that were applied.
        package var sidecars = 0
        /// Apparently truncated files that were imported anyway.
        package var damaged: [String] = []
        /// Files that could not be imported, with the reason.
        package var failed: [String] = []
        /// Movies and raw files that came after their photo was imported, and are assets of their own.
        package var separate: [String] = []
        /// Sidecars that came or changed after their photo was imported, and were not applied.
        package var late: [String] = []
        /// Unreadable sidecars beside their photo: empty, too long, or not XMP.
        package var unreadable: [String] = []
        /// Orphan sidecars: without a photo or movie of their name.
        package var orphans: [String] = []
        /// Texts of an export that have no field here, and files that it excludes.
        package var leftBehind: [String] = []
        /// Links below the folders, which were not followed.
        package var links = 0
        /// FIFOs, sockets and devices below the folders, which were not opened.
        package var specialFiles = 0
        /// Imported files that should have been moved, but could not be removed from their folder.
        package var notRemoved: [String] = []

        /// Sidecars that were not applied.
        package var unusedSidecarCount: Int { late.count + unreadable.count + orphans.count }
    }

    /// The outcome of an import.
    package struct Outcome: Sendable {
        /// The counts.
        package var report = Report()
        /// Why it ended early: `full`, `draining` or `otherFileSystem`; nil if it completed, or was told
        /// to stop.
        package var obstacle: AgentStoreError?
        /// Whether it was told to stop before its end.
        package var isStopped = false

        /// Nothing imported yet.
        package init() {}

        /// The obstacle with the next step, as shown by a command; nil if there was none.
        package var error: AgentError? {
            obstacle.map { obstacle in
                AgentError(
                    AgentExit(obstacle),
                    obstacle.code == .otherFileSystem
                        ? "\(obstacle), without --link and --move; the rest was not tried"
                        : "\(obstacle); the rest was not tried, and is taken when the same is imported again"
                )
            }
        }
    }

    /// An import's progress, for a bar.
    package struct Progress: Hashable, Sendable {
        /// Bytes examined so far.
        package var doneBytes: Int64 = 0
        /// Bytes in all.
        package var byteCount: Int64 = 0
        /// Photos, movies and pairs examined so far.
        package var doneCount = 0
        /// Photos, movies and pairs in all.
        package var count = 0
    }

    /// An import's options.
    package struct Options: Hashable, Sendable {
        /// Whether to report only.
        package var isDryRun = false
        /// Whether assets join an album named after their folder, instead of the settings' one.
        package var makesAlbumsOfFolders = false
        /// Whether assets join their source's album: the first one, since a box can name only one.
        package var keepsAlbums = true
        /// Whether to read even files that are unchanged since their import.
        package var readsEverything = false
        /// How new files' bytes are transferred into the queue.
        package var transfer = Intake.Transfer.copy

        /// Imports everything into the settings' album.
        package init() {}
    }

    /// The queue.
    package let store: AgentStore
    /// The queue's space.
    package let limits: SpaceLimits
    let album: DesiredAlbum?
    /// The options.
    package let options: Options
    private(set) var fileSystem: any FileSystem
    let now: @Sendable () -> WallTime
    /// Whether to stop, asked between files.
    package let mustStop: @Sendable () -> Bool
    let taken: @Sendable () -> Void
    let ledger: ImportLedger

    /// An importer of files into a queue.
    ///
    /// `mustStop` is polled, and what was examined by then is imported completely; `taken` is called whenever more is
    /// durable in the queue.
    package init(
        store: AgentStore,
        limits: SpaceLimits,
        album: String?,
        options: Options = Options(),
        in fileSystem: any FileSystem = PosixFileSystem(),
        now: @escaping @Sendable () -> WallTime = { HostClock.now() },
        mustStop: @escaping @Sendable () -> Bool = { false },
        taken: @escaping @Sendable () -> Void = {}
    ) {
        self.store = store
        self.limits = limits
        self.album = album.map { .title($0) }
        self.options = options
        self.fileSystem = fileSystem
        self.now = now
        self.mustStop = mustStop
        self.taken = taken
        ledger = ImportLedger(store: store)
    }

    /// Imports files, and everything below folders, in the order of names, until the queue is full or it is told to
    /// stop; blocks.
    ///
    /// Calls `progress` after each photo, movie or pair, on any thread, one call at a time. The report has the reason
    /// if it ended early; other failures are reported and skipped.
    ///
    /// - Throws: `PersistenceError` with `notFound` for a path that does not exist, before anything is imported.
    package func run(_ paths: [Path], progress: @Sendable (Progress) -> Void = { _ in }) throws -> Outcome {
        let memory = options.readsEverything ? nil : ledger.memory
        var collection = MediaCollection(
            in: fileSystem,
            readsArchives: true,
            memory: memory,
            now: now(),
            mustStop: mustStop
        )
        try collection.add(named: paths)
        collection.joinPairs()
        var outcome = Outcome()
        outcome.report.known = collection.unchanged
        // An unseen file may be the other half of a seen one.
        guard !collection.isStopped else {
            outcome.isStopped = true
            return outcome
        }
        if options.keepsAlbums { collection.putAlbumsFirst() }
        var importer = self
        importer.fileSystem = collection.fileSystem
        var course = ImportCourse(importer, collection, outcome.report)
        let isThrough = try course.run(progress)
        outcome.report = course.report
        outcome.obstacle = course.obstacle
        outcome.isStopped = !isThrough && course.obstacle == nil
        return outcome
    }

    /// Imports the files of one asset; one that cannot be imported is reported, and the outcome gets an obstacle if the
    /// queue accepts no more.
    ///
    /// - Throws: `storage`; `PersistenceError` if its photo or movie cannot be read.
    package func take(_ group: MediaCollection.Group, _ outcome: inout Outcome) throws -> AssetID? {
        let digest = try ContentHasher.digest(group.primary.path, in: fileSystem).digest
        var collection = MediaCollection(in: fileSystem)
        collection.add(group)
        var course = ImportCourse(self, collection, outcome.report)
        _ = try course.run { _ in }
        outcome.report = course.report
        outcome.obstacle = course.obstacle
        let asset = AssetID.derived(from: digest)
        return try store.entry(asset).map { _ in asset }
    }

    /// Imports files that share a stem, unless one of them ends too early and may still grow; those that belong together
    /// become one asset.
    ///
    /// - Throws: `AgentStoreError` with `full` or `draining`, `failed` for a file that may grow; other failures are
    ///   reported.
    func take(_ files: [Path], mayGrow: Bool = false, _ report: inout Report) throws {
        var collection = MediaCollection(in: fileSystem)
        collection.add(files)
        if mayGrow, let part = collection.damaged.first {
            throw AgentError(.failed, "\(part): it is imported when it is whole, or has not changed for a while")
        }
        var course = ImportCourse(self, collection, report)
        _ = try course.run { _ in }
        report = course.report
        if let obstacle = course.obstacle { throw obstacle }
    }
}

extension Importer.Report {
    /// Adds the remarks on files before any is imported.
    mutating func tell(_ collection: MediaCollection) {
        skipped += collection.skipped
        damaged += collection.damaged.map(\.description)
        failed += collection.failed.map(\.description)
        unreadable += collection.unreadable.map(\.description)
        orphans += collection.orphans.map(\.description)
        leftBehind += collection.leftBehind.map(\.description)
        links += collection.linkCount
        specialFiles += collection.specialCount
    }

    /// Adds the remarks on an asset's sidecar.
    mutating func tell(unreadable asset: ImportableAsset) {
        unreadable += [asset.unreadable].compactMap(\.self).map(\.description)
    }
}

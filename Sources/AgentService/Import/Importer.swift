package import AgentStore
import LibraryAPI
import MediaFiles
package import Persistence
import PhotoLibrary
package import PhotoModel

/// Takes files into the queue: each photo, movie, Live Photo pair, or photo with its raw form becomes one asset, known by
/// its primary bytes, so that an import can be stopped, repeated, or made on two boxes without a second asset.
package struct Importer: Sendable {
    /// What an import did.
    package struct Report: Hashable, Sendable, Codable {
        /// Assets that are new in the queue.
        package var added = 0
        /// Assets that were known, by their bytes or by how their files look.
        package var known = 0
        /// Files that are no media.
        package var skipped = 0
        /// Live Photos among the new ones.
        package var livePhotos = 0
        /// Sidecars that were taken up.
        package var sidecars = 0
        /// Files that were taken though they end too early, or seem to.
        package var damaged: [String] = []
        /// Files that could not be taken, with the reason.
        package var failed: [String] = []
        /// Movies and raw forms that came after their photo was taken, and are assets of their own.
        package var separate: [String] = []
        /// Sidecars that came, or said something new, after their photo was taken, and were not taken up.
        package var late: [String] = []
        /// Sidecars beside their photo from which nothing could be read: empty, too long, or no XMP.
        package var unreadable: [String] = []
        /// Sidecars beside which no photo or movie of their name lies.
        package var orphans: [String] = []
        /// What an export says that has no place here, and what it says is not to be taken.
        package var leftBehind: [String] = []
        /// Links below the folders, which were not followed.
        package var links = 0
        /// FIFOs, sockets and devices below the folders, which were not opened.
        package var specialFiles = 0
        /// Files that are in the queue and should have left their folder, but could not be removed from it.
        package var notRemoved: [String] = []

        /// Sidecars of which nothing was taken up.
        var unusedSidecarCount: Int { late.count + unreadable.count + orphans.count }
    }

    /// How an import ended.
    package struct Outcome: Sendable {
        /// What it did.
        package internal(set) var report = Report()
        /// Why the rest was not tried: `full`, `retiring` or `otherFileSystem`; nil when all of it was, or when it was told
        /// to stop.
        package var obstacle: AgentStoreError?
        /// Whether it was told to stop before all of it was tried.
        package var isStopped = false

        /// The obstacle as a command tells it, with what to do; nil when there was none.
        var error: AgentError? {
            obstacle.map { obstacle in
                AgentError(
                    Console.exit(for: obstacle) ?? .failed,
                    obstacle.code == .otherFileSystem
                        ? "\(obstacle), without --link and --move; the rest was not tried"
                        : "\(obstacle); the rest was not tried: it comes in when the same is imported again after that"
                )
            }
        }
    }

    /// How far an import has come, for a progress bar.
    package struct Progress: Hashable, Sendable {
        /// Bytes that were looked at; at the end they are in the queue.
        package var doneBytes: Int64 = 0
        /// Bytes in all.
        package var byteCount: Int64 = 0
        /// Photos, movies and pairs that were looked at.
        package var doneCount = 0
        /// Photos, movies and pairs in all.
        package var count = 0
    }

    /// How an import goes.
    package struct Options: Hashable, Sendable {
        /// Whether nothing is taken, only reported.
        package var isDryRun = false
        /// Whether assets join the album of their folder's name, instead of the settings' one.
        package var makesAlbumsOfFolders = false
        /// Whether assets join the album that they were in where they come from: the first one, since a box names one.
        package var keepsAlbums = true
        /// Whether files are read, too, that look as they did when they were taken.
        package var readsEverything = false
        /// How the bytes of new files come into the queue.
        package var transfer = Intake.Transfer.copy

        /// Takes everything, into the settings' album.
        package init() {}
    }

    let store: AgentStore
    let limits: SpaceLimits
    let album: DesiredAlbum?
    let options: Options
    private(set) var fileSystem: any FileSystem
    let now: @Sendable () -> WallTime
    let mustStop: @Sendable () -> Bool
    let taken: @Sendable () -> Void
    let ledger: ImportLedger

    /// An importer into a queue, of files that lie in a file system.
    ///
    /// - Parameters:
    ///   - store: the queue.
    ///   - limits: how much room it may take.
    ///   - album: the album that assets join.
    ///   - options: how it goes.
    ///   - fileSystem: where the files lie.
    ///   - now: the box's clock.
    ///   - mustStop: asked again and again whether to try no more; what was looked at by then is taken in whole.
    ///   - taken: told whenever more is durable in the queue.
    package init(
        store: AgentStore,
        limits: SpaceLimits,
        album: String?,
        options: Options = Options(),
        in fileSystem: any FileSystem = PosixFileSystem(),
        now: @escaping @Sendable () -> WallTime = { Box.now() },
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

    /// Takes in files, and everything below folders, in the order of names, until the queue takes no more, or it is told to
    /// stop; blocks.
    ///
    /// - Parameters:
    ///   - paths: files or folders.
    ///   - progress: told after each photo, movie or pair, on any thread, one call at a time.
    /// - Returns: what was done, and why it ended early where it did; other failures are reported and stepped over.
    /// - Throws: `PersistenceError` with `notFound` for a path that is not there, before anything is taken in.
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
        // What was not seen may be the other half of what was.
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

    /// Takes in files that share a stem, those that belong together as one asset.
    ///
    /// - Parameters:
    ///   - files: the files.
    ///   - report: what was done so far.
    /// - Throws: `AgentStoreError` with `full` when there is no more room, or `retiring`; other failures are reported.
    func take(_ files: [Path], _ report: inout Report) throws {
        var collection = MediaCollection(in: fileSystem)
        collection.add(files)
        var course = ImportCourse(self, collection, report)
        _ = try course.run { _ in }
        report = course.report
        if let obstacle = course.obstacle { throw obstacle }
    }
}

extension Importer.Report {
    /// Takes over what is to be said of files before any is taken in.
    mutating func tell(_ collection: MediaCollection) {
        skipped += collection.skipped
        damaged += collection.damaged.map(Self.text)
        failed += collection.failed.map(Self.text)
        unreadable += collection.unreadable.map(Self.text)
        orphans += collection.orphans.map(Self.text)
        leftBehind += collection.leftBehind.map(Self.text)
        links += collection.linkCount
        specialFiles += collection.specialCount
    }

    /// Takes over what is to be said of an asset's sidecar.
    mutating func tell(unreadable asset: ImportableAsset) {
        unreadable += [asset.unreadable].compactMap(\.self).map(Self.text)
    }

    private static func text(_ remark: MediaCollection.Remark) -> String { "\(remark.path): \(remark.reason)" }
}

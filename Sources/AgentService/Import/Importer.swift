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
        /// Links below the folders, which were not followed.
        package var links = 0
        /// FIFOs, sockets and devices below the folders, which were not opened.
        package var specialFiles = 0

        /// Sidecars of which nothing was taken up.
        var unusedSidecarCount: Int { late.count + unreadable.count + orphans.count }
    }

    /// How an import ended.
    package struct Outcome: Sendable {
        /// What it did.
        package fileprivate(set) var report = Report()
        /// Why the rest was not tried: `full` or `retiring`; nil when all of it was, or when it was told to stop.
        package var obstacle: AgentStoreError?
        /// Whether it was told to stop before all of it was tried.
        package var isStopped = false

        /// The obstacle as a command tells it, with what to do; nil when there was none.
        var error: AgentError? {
            obstacle.map { obstacle in
                AgentError(
                    Console.exit(for: obstacle) ?? .failed,
                    "\(obstacle); the rest was not tried: it comes in when the same is imported again after that"
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
        /// Whether files are read, too, that look as they did when they were taken.
        package var readsEverything = false

        /// Takes everything, into the settings' album.
        package init() {}
    }

    private let store: AgentStore
    private let limits: SpaceLimits
    private let album: DesiredAlbum?
    private let options: Options
    private let fileSystem: any FileSystem
    private let now: @Sendable () -> WallTime
    private let mustStop: @Sendable () -> Bool
    private let ledger: ImportLedger

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
    package init(
        store: AgentStore,
        limits: SpaceLimits,
        album: String?,
        options: Options = Options(),
        in fileSystem: any FileSystem = PosixFileSystem(),
        now: @escaping @Sendable () -> WallTime = { Box.now() },
        mustStop: @escaping @Sendable () -> Bool = { false }
    ) {
        self.store = store
        self.limits = limits
        self.album = album.map { .title($0) }
        self.options = options
        self.fileSystem = fileSystem
        self.now = now
        self.mustStop = mustStop
        ledger = ImportLedger(store: store)
    }

    /// Takes in files, and everything below folders, in the order of names, until the queue takes no more, or it is told to
    /// stop; blocks.
    ///
    /// - Parameters:
    ///   - paths: files or folders.
    ///   - progress: told after each photo, movie or pair.
    /// - Returns: what was done, and why it ended early where it did; other failures are reported and stepped over.
    /// - Throws: `PersistenceError` with `notFound` for a path that is not there, before anything is taken in.
    package func run(_ paths: [Path], progress: (Progress) -> Void = { _ in }) throws -> Outcome {
        let memory = options.readsEverything ? nil : ledger.memory
        var collection = MediaCollection(in: fileSystem, memory: memory, now: now(), mustStop: mustStop)
        try collection.add(named: paths)
        collection.joinPairs()
        var outcome = Outcome()
        outcome.report.known = collection.unchanged
        // What was not seen may be the other half of what was.
        guard !collection.isStopped else {
            outcome.isStopped = true
            return outcome
        }
        do {
            outcome.isStopped = try !take(collection, &outcome.report, progress)
        } catch let error as AgentStoreError {
            outcome.obstacle = error
        }
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
        _ = try take(collection, &report) { _ in }
    }

    /// Takes in what was found; false where it was told to stop before the end.
    private func take(
        _ collection: MediaCollection,
        _ report: inout Report,
        _ progress: (Progress) -> Void
    ) throws -> Bool {
        report.tell(collection)
        if !options.isDryRun { try ledger.forget(collection.outgrown) }
        var seen: [AssetID: TakenAsset] = [:]
        var batch = Batch()
        batch.sets = collection.sets.filter { $0.record?.assetCount == 0 }.map { ($0, []) }
        var lost: Set<AssetID> = []
        var assets: [AssetID] = []
        var reached = Progress()
        reached.count = collection.groups.count
        reached.byteCount = collection.groups.reduce(0) { $0 + $1.byteCount }
        var isPlain = true
        for (index, group) in collection.groups.enumerated() {
            if mustStop() { break }
            let remarks = report.failed.count + report.unusedSidecarCount
            do {
                let digest = try ContentHasher.digest(group.primary.path, in: fileSystem).digest
                let items = try prepare(group, primaryDigest: digest, &seen, &report)
                for item in items { batch.append(item) }
                assets.append(.derived(from: digest))
                isPlain = isPlain && items.allSatisfy { $0.remark == nil }
            } catch {
                report.failed.append("\(group.primary.file.displayPath): \(error)")
            }
            isPlain = isPlain && report.failed.count + report.unusedSidecarCount == remarks
            if collection.isLastOfSet(index) {
                if isPlain, let set = collection.set(of: group) { batch.sets.append((set, assets)) }
                isPlain = true
                assets = []
            }
            reached.doneCount += 1
            reached.doneBytes += group.byteCount
            // What was looked at last is done once it is durable.
            if batch.isFull || reached.doneCount == reached.count { try take(&batch, &lost, &report) }
            progress(reached)
        }
        try take(&batch, &lost, &report)
        return reached.doneCount == reached.count
    }

    /// Assets that are taken in together, so that they share the waits for the disk.
    private struct Batch {
        /// One asset to be.
        struct Item {
            let group: MediaCollection.Group
            let draft: CaptureDraft
            /// Sidecars that were taken up with it.
            let sidecarCount: Int
            /// Why it is no part of another asset; nil where it is none.
            var remark: String?
        }

        private static let assetCount = 64
        private static let byteCount: Int64 = 64 << 20
        private static let setCount = 1024

        private(set) var items: [Item] = []
        /// Sets of files that need not be read again once their assets are durable.
        var sets: [(set: FileSet, assets: [AssetID])] = []
        private var bytes: Int64 = 0

        var isFull: Bool {
            items.count >= Self.assetCount || bytes >= Self.byteCount || sets.count >= Self.setCount
        }

        mutating func append(_ item: Item) {
            items.append(item)
            bytes += item.group.byteCount
        }
    }

    /// Takes a batch in; where that fails as a whole, each asset alone, so that one bad file keeps no other out.
    private func take(_ batch: inout Batch, _ lost: inout Set<AssetID>, _ report: inout Report) throws {
        let items = batch.items
        let sets = batch.sets.filter { lost.isDisjoint(with: $0.assets) }.map(\.set)
        batch = Batch()
        guard !items.isEmpty || !sets.isEmpty else { return }
        do {
            if !options.isDryRun {
                try store.add(items.map(\.draft), limits: limits, now: now()) { try ledger.remember(sets, in: $0) }
            }
            for item in items { count(item, &report) }
        } catch let error as AgentStoreError where error.code == .retiring {
            throw error
        } catch  where items.count > 1 {
            for item in items {
                var alone = Batch()
                alone.append(item)
                try take(&alone, &lost, &report)
            }
        } catch  where items.isEmpty {
            // What was taken before is in the queue; that it need not be read again can be told another time.
        } catch let error as AgentStoreError where error.code == .full {
            throw error
        } catch {
            lost.formUnion(items.map(\.draft.manifest.id))
            report.failed += items.map { "\($0.group.primary.file.displayPath): \(error)" }
        }
    }

    private func count(_ item: Batch.Item, _ report: inout Report) {
        report.added += 1
        report.livePhotos += item.draft.manifest.mediaSubtypes.contains(.photoLive) ? 1 : 0
        report.sidecars += item.sidecarCount
        if let remark = item.remark { report.separate.append(remark) }
    }

    /// The captures that a group makes: none for what is known, which is counted, but for what came later beside it.
    private func prepare(
        _ group: MediaCollection.Group,
        primaryDigest digest: ContentDigest,
        _ seen: inout [AssetID: TakenAsset],
        _ report: inout Report
    ) throws -> [Batch.Item] {
        let id = AssetID.derived(from: digest)
        guard let taken = try seen[id] ?? store.entry(id).map({ TakenAsset($0.manifest) }) else {
            return [try newItem(of: group, digest, &seen, &report)]
        }
        report.known += 1
        guard group.hasPartners else { return [] }
        let asset = try ImportableAsset(group, primaryDigest: digest, album: nil, in: fileSystem)
        report.tell(unreadable: asset)
        let latecomers = taken.latecomers(of: group, as: asset)
        report.late += latecomers.sidecars.map { "\($0.path): \($0.reason)" }
        // What the library was told of an asset stays so: what can stand alone does, and no bytes are left behind.
        var items: [Batch.Item] = []
        for partner in latecomers.partners {
            for var item in try prepare(group.alone(partner.file), primaryDigest: partner.digest, &seen, &report) {
                item.remark = "\(partner.remark.path): \(partner.remark.reason)"
                items.append(item)
            }
        }
        return items
    }

    private func newItem(
        of group: MediaCollection.Group,
        _ digest: ContentDigest,
        _ seen: inout [AssetID: TakenAsset],
        _ report: inout Report
    ) throws -> Batch.Item {
        let asset = try ImportableAsset(group, primaryDigest: digest, album: album(of: group), in: fileSystem)
        report.tell(unreadable: asset)
        var manifest = asset.manifest
        if let date = asset.captureDateOverride { manifest.captureTime.wall = date }
        seen[manifest.id] = TakenAsset(manifest)
        // The store describes what it has written.
        manifest.resources = []
        return Batch.Item(
            group: group,
            draft: CaptureDraft(manifest: manifest, resources: asset.parts.map(CaptureDraft.Resource.init)),
            sidecarCount: [group.sidecar, group.adjustment].count { $0 != nil } - (asset.unreadable == nil ? 0 : 1)
        )
    }

    private func album(of group: MediaCollection.Group) -> DesiredAlbum? {
        guard options.makesAlbumsOfFolders, let folder = group.folder else { return album }
        var title = folder.displayText[...]
        while title.utf8.count > Album.maximumTitleByteCount { title.removeLast() }
        return .title(String(title))
    }
}

extension Importer.Report {
    /// Takes over what is to be said of files before any is taken in.
    fileprivate mutating func tell(_ collection: MediaCollection) {
        skipped += collection.skipped
        damaged += collection.damaged.map(Self.text)
        failed += collection.failed.map(Self.text)
        unreadable += collection.unreadable.map(Self.text)
        orphans += collection.orphans.map(Self.text)
        links += collection.linkCount
        specialFiles += collection.specialCount
    }

    /// Takes over what is to be said of an asset's sidecar.
    fileprivate mutating func tell(unreadable asset: ImportableAsset) {
        unreadable += [asset.unreadable].compactMap(\.self).map(Self.text)
    }

    private static func text(_ remark: MediaCollection.Remark) -> String { "\(remark.path): \(remark.reason)" }
}

extension CaptureDraft.Resource {
    /// A part of an import, which stays where it is.
    fileprivate init(_ part: ImportableAsset.Part) {
        let content: Content =
            switch part.content {
            case .file(let path): .copy(path)
            case .bytes(let bytes): .bytes(bytes)
            }
        self.init(
            id: part.resource.id,
            type: part.resource.type,
            contentType: part.resource.contentType,
            originalFilename: part.resource.originalFilename,
            content: content
        )
    }
}

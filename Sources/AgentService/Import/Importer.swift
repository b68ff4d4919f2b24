package import AgentStore
import LibraryAPI
import MediaFiles
package import Persistence
import PhotoLibrary
import PhotoModel

/// Takes files into the queue: each photo, movie, Live Photo pair, or photo with its raw form becomes one asset, known by
/// its primary bytes, so that an import can be stopped, repeated, or made on two boxes without a second asset.
package struct Importer: Sendable {
    /// What an import did.
    package struct Report: Hashable, Sendable, Codable {
        /// Assets that are new in the queue.
        package var added = 0
        /// Assets that were known.
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
    }

    /// How an import goes.
    package struct Options: Hashable, Sendable {
        /// Whether nothing is taken, only reported.
        package var isDryRun = false
        /// Whether assets join the album of their folder's name, instead of the settings' one.
        package var makesAlbumsOfFolders = false

        /// Takes everything, into the settings' album.
        package init() {}
    }

    private let store: AgentStore
    private let limits: SpaceLimits
    private let album: DesiredAlbum?
    private let options: Options
    private let fileSystem = PosixFileSystem()

    /// An importer into a queue.
    package init(store: AgentStore, limits: SpaceLimits, album: String?, options: Options = Options()) {
        self.store = store
        self.limits = limits
        self.album = album.map { .title($0) }
        self.options = options
    }

    /// Takes in files, and everything below folders, in the order of names; blocks.
    ///
    /// - Parameters:
    ///   - paths: files or folders.
    ///   - report: what was done so far.
    /// - Throws: `AgentStoreError` with `full` when there is no more room, or `retiring`; `PersistenceError` with `notFound`
    ///   for a path that is not there; other files are reported and stepped over.
    package func run(_ paths: [Path], _ report: inout Report) throws {
        var collection = MediaCollection(in: fileSystem)
        var files: [Path] = []
        for path in paths {
            if let status = try fileSystem.status(path), !status.isDirectory {
                files.append(path)
            } else {
                try collection.add(path)
            }
        }
        collection.add(files)
        collection.joinPairs()
        try take(collection, &report)
    }

    /// Takes in files that share a stem, those that belong together as one asset.
    ///
    /// - Parameters:
    ///   - files: the files.
    ///   - report: what was done so far.
    /// - Throws: `AgentStoreError` with `full` when there is no more room; other failures are reported.
    func take(_ files: [Path], _ report: inout Report) throws {
        var collection = MediaCollection(in: fileSystem)
        collection.add(files)
        try take(collection, &report)
    }

    private func take(_ collection: MediaCollection, _ report: inout Report) throws {
        report.skipped += collection.skipped
        report.damaged += collection.damaged.map { "\($0.path): \($0.reason)" }
        report.failed += collection.failed.map { "\($0.path): \($0.reason)" }
        var seen: Set<AssetID> = []
        var batch = Batch()
        for group in collection.groups {
            do {
                if let item = try prepare(group, &seen, &report) { batch.append(item) }
            } catch {
                report.failed.append("\(group.primary.file.displayPath): \(error)")
            }
            if batch.isFull { try take(&batch, &report) }
        }
        try take(&batch, &report)
    }

    /// Assets that are taken in together, so that they share the waits for the disk.
    private struct Batch {
        /// One asset to be.
        struct Item {
            let group: MediaCollection.Group
            let draft: CaptureDraft
        }

        private static let assetCount = 64
        private static let byteCount: Int64 = 64 << 20

        private(set) var items: [Item] = []
        private var bytes: Int64 = 0

        var isFull: Bool { items.count >= Self.assetCount || bytes >= Self.byteCount }

        mutating func append(_ item: Item) {
            items.append(item)
            bytes += item.group.byteCount
        }
    }

    /// Takes a batch in; where that fails as a whole, each asset alone, so that one bad file keeps no other out.
    private func take(_ batch: inout Batch, _ report: inout Report) throws {
        let items = batch.items
        batch = Batch()
        guard !items.isEmpty else { return }
        do {
            if !options.isDryRun { try store.add(items.map(\.draft), limits: limits, now: Box.now()) { _ in } }
            for item in items { count(item, &report) }
        } catch let error as AgentStoreError where error.code == .retiring {
            throw error
        } catch  where items.count > 1 {
            for item in items {
                var alone = Batch()
                alone.append(item)
                try take(&alone, &report)
            }
        } catch let error as AgentStoreError where error.code == .full {
            throw error
        } catch {
            report.failed += items.map { "\($0.group.primary.file.displayPath): \(error)" }
        }
    }

    private func count(_ item: Batch.Item, _ report: inout Report) {
        report.added += 1
        report.livePhotos += item.draft.manifest.mediaSubtypes.contains(.photoLive) ? 1 : 0
        report.sidecars += [item.group.sidecar, item.group.adjustment].count { $0 != nil }
    }

    /// The capture that a group makes; nil for one that is known, which is counted.
    private func prepare(
        _ group: MediaCollection.Group,
        _ seen: inout Set<AssetID>,
        _ report: inout Report
    ) throws -> Batch.Item? {
        let digest = try ContentHasher.digest(group.primary.path, in: fileSystem).digest
        let id = AssetID.derived(from: digest)
        guard try seen.insert(id).inserted && store.entry(id) == nil else {
            report.known += 1
            return nil
        }
        let asset = try ImportableAsset(group, primaryDigest: digest, album: album(of: group), in: fileSystem)
        var manifest = asset.manifest
        if let date = asset.captureDateOverride { manifest.captureTime.wall = date }
        // The store describes what it has written.
        manifest.resources = []
        return Batch.Item(
            group: group,
            draft: CaptureDraft(manifest: manifest, resources: asset.parts.map(CaptureDraft.Resource.init))
        )
    }

    private func album(of group: MediaCollection.Group) -> DesiredAlbum? {
        guard options.makesAlbumsOfFolders, let folder = group.folder else { return album }
        var title = folder.displayText[...]
        while title.utf8.count > Album.maximumTitleByteCount { title.removeLast() }
        return .title(String(title))
    }
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

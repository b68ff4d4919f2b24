package import AgentStore
import LibraryAPI
import MediaFiles
package import Persistence
import PhotoModel

/// Takes files into the queue: each photo, movie or Live Photo pair becomes one asset, known by its primary bytes, so that
/// an import can be stopped, repeated, or made on two boxes without a second asset.
package struct Importer: Sendable {
    /// What an import did.
    package struct Report: Hashable, Sendable, Codable {
        /// Assets that are new in the queue.
        package var added = 0
        /// Assets that were known.
        package var known = 0
        /// Files that are no media.
        package var skipped = 0
        /// Files that could not be taken, with the reason.
        package var failed: [String] = []
    }

    private let store: AgentStore
    private let limits: SpaceLimits
    private let album: DesiredAlbum?
    private let fileSystem = PosixFileSystem()

    /// An importer into a queue.
    package init(store: AgentStore, limits: SpaceLimits, album: String?) {
        self.store = store
        self.limits = limits
        self.album = album.map { .title($0) }
    }

    /// Takes in a file, or everything below a folder, in the order of names; blocks.
    ///
    /// - Parameters:
    ///   - path: a file or a folder.
    ///   - report: what was done so far.
    /// - Throws: `AgentStoreError` with `full` when there is no more room; other files are reported and stepped over.
    package func run(_ path: Path, _ report: inout Report) throws {
        var collection = MediaCollection(in: fileSystem)
        try collection.add(path)
        collection.joinPairs()
        try take(collection, &report)
    }

    /// Takes in files that share a stem: a still and a movie are a Live Photo, everything else stands alone.
    ///
    /// - Parameters:
    ///   - files: the files.
    ///   - report: what was done so far.
    /// - Throws: `AgentStoreError` with `full` when there is no more room; other failures are reported.
    func take(_ files: [Path], _ report: inout Report) throws {
        var collection = MediaCollection(in: fileSystem)
        try collection.add(files)
        try take(collection, &report)
    }

    private func take(_ collection: MediaCollection, _ report: inout Report) throws {
        report.skipped += collection.skipped
        for group in collection.groups {
            do {
                try add(group, &report)
            } catch let error as AgentStoreError where error.code == .full {
                throw error
            } catch {
                report.failed.append("\(group.primary.path): \(error)")
            }
        }
    }

    private func add(_ group: MediaCollection.Group, _ report: inout Report) throws {
        if try store.entry(ImportableAsset.identifier(of: group, in: fileSystem)) != nil {
            report.known += 1
            return
        }
        let asset = try ImportableAsset(group, album: album, in: fileSystem)
        var manifest = asset.manifest
        // The store describes what it has written.
        manifest.resources = []
        try store.add(
            CaptureDraft(manifest: manifest, resources: asset.parts.map(CaptureDraft.Resource.init)),
            limits: limits,
            now: Box.now()
        )
        report.added += 1
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

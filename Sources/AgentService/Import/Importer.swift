package import AgentStore
import LibraryAPI
import MediaFormats
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

    /// A longer movie inside a Motion Photo stays only there; in bytes.
    private static let largestEmbeddedMovie = 64 << 20

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
        guard let status = try fileSystem.status(path) else {
            throw AgentError(.failed, "\(path) does not exist")
        }
        if !status.isDirectory { return try take([path], &report) }
        var groups: [String: [Path]] = [:]
        var folders: [Path] = []
        for name in try fileSystem.list(path) where !name.hasPrefix(".") {
            let child = path.appending(name)
            guard let status = try fileSystem.status(child) else { continue }
            if status.isDirectory {
                folders.append(child)
            } else {
                let stem = FileName(name).map { String(decoding: $0.stem, as: UTF8.self) } ?? name
                groups[stem, default: []].append(child)
            }
        }
        for (_, files) in groups.sorted(by: { $0.key < $1.key }) { try take(files, &report) }
        for folder in folders { try run(folder, &report) }
    }

    /// Takes in files that share a stem: a still and a movie are a Live Photo, everything else stands alone.
    ///
    /// - Parameters:
    ///   - files: the files.
    ///   - report: what was done so far.
    /// - Throws: `AgentStoreError` with `full` when there is no more room; other failures are reported.
    func take(_ files: [Path], _ report: inout Report) throws {
        var media: [MediaFile] = []
        for path in files {
            if let file = try MediaFile(path, in: fileSystem) { media.append(file) } else { report.skipped += 1 }
        }
        let stills = media.filter { $0.kind.type == .photo }
        let movies = media.filter { $0.kind.contentType == "video/quicktime" }
        if media.count == 2, let still = stills.first, let movie = movies.first, Self.isPair(still, movie) {
            return try add(still, pairedWith: movie, &report)
        }
        for file in media { try add(file, pairedWith: nil, &report) }
    }

    /// Files of one name are a pair unless they say that they belong to different ones.
    private static func isPair(_ still: MediaFile, _ movie: MediaFile) -> Bool {
        guard let left = still.contentIdentifier, let right = movie.contentIdentifier else { return true }
        return left == right
    }

    private func add(_ primary: MediaFile, pairedWith movie: MediaFile?, _ report: inout Report) throws {
        do {
            let digest = try ContentHasher.digest(primary.path, in: fileSystem).digest
            if try store.entry(.derived(from: digest)) != nil {
                report.known += 1
                return
            }
            var resources = [resource(primary, primary.kind.type, digest)]
            if let movie {
                let digest = try ContentHasher.digest(movie.path, in: fileSystem).digest
                resources.append(resource(movie, .pairedVideo, digest))
            } else if let embedded = try embeddedMovie(of: primary) {
                resources.append(embedded)
            }
            let manifest = manifest(primary, digest, movie: movie, isLive: resources.count > 1)
            try store.add(CaptureDraft(manifest: manifest, resources: resources), limits: limits, now: Box.now())
            report.added += 1
        } catch let error as AgentStoreError where error.code == .full {
            throw error
        } catch {
            report.failed.append("\(primary.path): \(error)")
        }
    }

    private func manifest(
        _ primary: MediaFile,
        _ digest: ContentDigest,
        movie: MediaFile?,
        isLive: Bool
    ) -> AssetManifest {
        var manifest = AssetManifest(
            id: .derived(from: digest),
            mediaType: primary.kind.mediaType,
            mediaSubtypes: isLive ? .photoLive : [],
            captureTime: primary.captureTime,
            desiredAlbum: album,
            resources: []
        )
        manifest.pixelSize = primary.pixelSize
        manifest.location = primary.location ?? movie?.location
        manifest.durationMicroseconds = (primary.duration ?? movie?.duration).map { Int64($0 / .microseconds(1)) }
        return manifest
    }

    private func resource(
        _ file: MediaFile,
        _ type: AssetResourceType,
        _ digest: ContentDigest
    ) -> CaptureDraft.Resource {
        CaptureDraft.Resource(
            id: .derived(from: digest),
            type: type,
            contentType: file.kind.contentType,
            originalFilename: FileName(file.path.name),
            content: .copy(file.path)
        )
    }

    /// The movie inside a Motion Photo, as a resource beside the file, which stays as it is.
    private func embeddedMovie(of file: MediaFile) throws -> CaptureDraft.Resource? {
        guard let range = file.motionPhoto?.movie, range.length <= Self.largestEmbeddedMovie else { return nil }
        let bytes = try FileSource(file.path, in: fileSystem).bytes(in: range)
        guard let kind = FileKind(head: Array(bytes.prefix(FileKind.headByteCount))), kind.type == .video else {
            return nil
        }
        return CaptureDraft.Resource(
            id: .derived(from: ContentHasher.digest(bytes)),
            type: .pairedVideo,
            contentType: kind.contentType,
            content: .bytes(bytes)
        )
    }
}

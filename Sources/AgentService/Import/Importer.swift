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
        /// Live Photos among the new ones.
        package var livePhotos = 0
        /// Sidecars that were taken up.
        package var sidecars = 0
        /// Files that were taken though they end too early, or seem to.
        package var damaged: [String] = []
        /// Files that could not be taken, with the reason.
        package var failed: [String] = []
    }

    /// A longer movie inside a Motion Photo stays only there; in bytes.
    private static let largestEmbeddedMovie = 64 << 20

    private let store: AgentStore
    private let limits: SpaceLimits
    private let album: DesiredAlbum?
    private let options: Options
    private let fileSystem = PosixFileSystem()

    /// How an import goes.
    package struct Options: Hashable, Sendable {
        /// Whether nothing is taken, only reported.
        package var isDryRun = false
        /// Whether assets join the album of their folder's name, instead of the settings' one.
        package var makesAlbumsOfFolders = false

        /// Takes everything, into the settings' album.
        package init() {}
    }

    /// An importer into a queue.
    package init(store: AgentStore, limits: SpaceLimits, album: String?, options: Options = Options()) {
        self.store = store
        self.limits = limits
        self.album = album.map { .title($0) }
        self.options = options
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
        try run(path, named: FileName(path.name), &report)
    }

    private func run(_ path: Path, named name: FileName?, _ report: inout Report) throws {
        let listing: FolderListing
        do {
            listing = try FolderListing(path)
        } catch {
            report.failed.append("\(error)")
            return
        }
        report.failed += listing.failed
        // By bytes: two names that only look the same, as NFC and NFD twins do, are two names.
        let groups = Dictionary(grouping: listing.files, by: \.groupKey)
        let folderAlbum = options.makesAlbumsOfFolders ? Self.album(of: name) ?? album : album
        for (_, files) in groups.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
            try take(files, in: path, folderAlbum, &report)
        }
        for folder in listing.folders { try run(folder.path, named: folder.name, &report) }
    }

    private static func album(of folder: FileName?) -> DesiredAlbum? {
        guard let folder else { return nil }
        var title = Substring(folder.displayText)
        while title.utf8.count > Album.maximumTitleByteCount { title.removeLast() }
        return .title(String(title))
    }

    /// Takes in files that share a stem: a still and a movie are a Live Photo, everything else stands alone.
    ///
    /// - Parameters:
    ///   - files: the files.
    ///   - report: what was done so far.
    /// - Throws: `AgentStoreError` with `full` when there is no more room; other failures are reported.
    func take(_ files: [Path], _ report: inout Report) throws {
        try take(files.compactMap { NamedFile($0) }, in: files.first?.parent ?? Path("."), album, &report)
    }

    private func take(
        _ files: [NamedFile],
        in folder: Path,
        _ album: DesiredAlbum?,
        _ report: inout Report
    ) throws {
        var media: [MediaFile] = []
        var sidecars: [Sidecar] = []
        for file in files {
            do {
                if let sidecar = try Sidecar(file, in: fileSystem) {
                    sidecars.append(sidecar)
                } else if let found = try MediaFile(file, in: fileSystem) {
                    if found.isCutOff { report.damaged.append("\(file.words(in: folder)): it ends too early") }
                    media.append(found)
                } else if try fileSystem.openByteCount(file.path) == 0 {
                    report.failed.append("\(file.words(in: folder)): it is empty")
                } else {
                    report.skipped += 1
                }
            } catch {
                report.failed.append("\(file.words(in: folder)): \(error)")
            }
        }
        let beside = Beside(folder: folder, album: album, sidecars: sidecars)
        let stills = media.filter { $0.kind.type == .photo }
        let movies = media.filter { $0.kind.contentType == "video/quicktime" }
        if media.count == 2, let still = stills.first, let movie = movies.first, Self.isPair(still, movie) {
            return try add(still, pairedWith: movie, beside, &report)
        }
        for file in media { try add(file, pairedWith: nil, beside, &report) }
    }

    /// What an asset has from where it lies.
    private struct Beside {
        let folder: Path
        let album: DesiredAlbum?
        let sidecars: [Sidecar]
    }

    /// Files of one name are a pair unless they say that they belong to different ones.
    private static func isPair(_ still: MediaFile, _ movie: MediaFile) -> Bool {
        guard let left = still.contentIdentifier, let right = movie.contentIdentifier else { return true }
        return left == right
    }

    private func add(
        _ primary: MediaFile,
        pairedWith movie: MediaFile?,
        _ beside: Beside,
        _ report: inout Report
    ) throws {
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
            let isLive = resources.count > 1
            var manifest = manifest(primary, digest, movie: movie, isLive: isLive)
            manifest.desiredAlbum = beside.album
            for sidecar in beside.sidecars {
                switch sidecar.content {
                case .properties(let properties): manifest.take(properties)
                case .adjustment(let file): resources.append(try adjustment(file))
                }
            }
            if !options.isDryRun {
                try store.add(CaptureDraft(manifest: manifest, resources: resources), limits: limits, now: Box.now())
            }
            report.added += 1
            report.livePhotos += isLive ? 1 : 0
            report.sidecars += beside.sidecars.count
        } catch let error as AgentStoreError where error.code == .full {
            throw error
        } catch {
            report.failed.append("\(primary.file.words(in: beside.folder)): \(error)")
        }
    }

    /// How an edit was made, kept as it came beside the original.
    private func adjustment(_ file: NamedFile) throws -> CaptureDraft.Resource {
        CaptureDraft.Resource(
            id: .derived(from: try ContentHasher.digest(file.path, in: fileSystem).digest),
            type: .adjustmentData,
            contentType: "application/x-apple-adjustment-data",
            originalFilename: file.name,
            content: .copy(file.path)
        )
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
            originalFilename: file.file.name,
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

extension FileSystem {
    /// The length of a file, also of one that is held open.
    fileprivate func openByteCount(_ path: Path) throws(PersistenceError) -> Int64 {
        let file = try open(path, .read)
        defer { try? file.close() }
        return try file.byteCount()
    }
}

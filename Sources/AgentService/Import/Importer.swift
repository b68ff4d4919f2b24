package import AgentStore
import Glibc
import LibraryAPI
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

    /// Files that share a stem: a still and a movie are a Live Photo, everything else stands alone.
    private func take(_ files: [Path], _ report: inout Report) throws {
        var kinds: [(path: Path, kind: FileKind)] = []
        for path in files {
            if let kind = try kind(of: path) { kinds.append((path, kind)) } else { report.skipped += 1 }
        }
        let stills = kinds.filter { $0.kind.type == .photo }
        let movies = kinds.filter { $0.kind.contentType == "video/quicktime" }
        if stills.count == 1, movies.count == 1, kinds.count == 2 {
            return try add(
                [(stills[0].path, stills[0].kind, .photo), (movies[0].path, movies[0].kind, .pairedVideo)],
                &report
            )
        }
        for (path, kind) in kinds { try add([(path, kind, kind.type)], &report) }
    }

    private func add(_ parts: [(path: Path, kind: FileKind, type: AssetResourceType)], _ report: inout Report) throws {
        do {
            let digests = try parts.map { try ContentHasher.digest($0.path, in: fileSystem).digest }
            var manifest = AssetManifest(
                id: .derived(from: digests[0]),
                mediaType: parts[0].kind.mediaType,
                mediaSubtypes: parts.count > 1 ? .photoLive : [],
                captureTime: CaptureTime(
                    wall: modificationTime(of: parts[0].path),
                    source: .fileModification,
                    isSynchronized: true
                ),
                resources: []
            )
            manifest.desiredAlbum = album
            if try store.entry(manifest.id) != nil {
                report.known += 1
                return
            }
            let resources = zip(parts, digests).map { part, digest in
                CaptureDraft.Resource(
                    id: .derived(from: digest),
                    type: part.type,
                    contentType: part.kind.contentType,
                    originalFilename: FileName(part.path.name),
                    content: .copy(part.path)
                )
            }
            try store.add(CaptureDraft(manifest: manifest, resources: resources), limits: limits, now: Box.now())
            report.added += 1
        } catch let error as AgentStoreError where error.code == .full {
            throw error
        } catch {
            report.failed.append("\(parts[0].path): \(error)")
        }
    }

    private func kind(of path: Path) throws -> FileKind? {
        let file = try fileSystem.open(path, .read)
        defer { try? file.close() }
        return FileKind(head: try file.read(FileKind.headByteCount, at: 0))
    }

    private func modificationTime(of path: Path) -> WallTime {
        var status = stat()
        guard unsafe lstat(path.text, &status) == 0 else { return Box.now() }
        return WallTime(
            microsecondsSince1970: Int64(status.st_mtim.tv_sec) * 1_000_000 + Int64(status.st_mtim.tv_nsec) / 1000
        )
    }
}

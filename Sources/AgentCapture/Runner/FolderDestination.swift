package import AgentStore
package import Capture
import Host
import LibraryAPI
import MediaFiles
package import Persistence
package import PhotoModel
import Synchronization
package import SystemPackage

/// Files shots into the caller's folder, named by their time; nothing is queued.
///
/// While shots are being taken, the folder contains a hidden one, `.tintype-<identifier>`, with a folder for each shot
/// and a file `lock` that is locked until the last of them is filed. A process that finds such a folder unlocked
/// recovers what a crash left there: a file in it has its digest in its name, which tells whether it is whole.
package final class FolderDestination: CaptureDestination {
    private static let workPrefix = ".tintype-"
    private static let lockName = "lock"

    private let folder: Path
    private let work: Path
    private let fileSystem: any FileSystem
    private let state = Mutex(State())

    private struct State {
        var lock: (any FileLock)?
        /// The shots that have a folder.
        var shots: Set<AssetID> = []
    }

    /// Files into an existing folder.
    package init(folder: Path, fileSystem: any FileSystem = PosixFileSystem()) {
        self.folder = folder
        self.fileSystem = fileSystem
        var generator = SystemRandomNumberGenerator()
        let identifier = AssetID.version7(unixMilliseconds: HostClock.now().millisecondsSince1970, using: &generator)
        work = folder.appending("\(Self.workPrefix)\(identifier)")
    }

    deinit {
        // A shot that could not be filed is kept for the next process.
        try? state.withLock { try close(&$0) }
    }

    /// Removes the hidden folder, if it is there and has no shot.
    private func close(_ state: inout State) throws {
        guard let held = state.lock.take() else { return }
        defer { held.release() }
        try fileSystem.unlink(work.appending(Self.lockName))
        try fileSystem.removeDirectory(work)
    }

    /// Creates a hidden folder for the shot.
    package func begin(_ record: EntryRecord) throws -> FilePath {
        let shot = workFolder(of: record.manifest.id)
        try state.withLock { state in
            if state.lock == nil {
                try fileSystem.createDirectories(work)
                state.lock = try fileSystem.lock(work.appending(Self.lockName))
            }
            try fileSystem.createDirectories(shot)
            state.shots.insert(record.manifest.id)
        }
        return FilePath(shot.text)
    }

    /// Gives the files their final names.
    package func file(_ result: CaptureResult, _ record: EntryRecord) throws -> [Path] {
        let files = result.resources.map { resource in
            (Path(resource.file.path.string), resource.originalFilename?.displayText ?? "\(resource.file.digest)")
        }
        let paths = try place(files)
        try discard(result.id)
        return paths
    }

    /// Removes the shot's hidden folder, and after the last shot the folder around it.
    package func discard(_ asset: AssetID) throws {
        try fileSystem.removeTree(workFolder(of: asset))
        try state.withLock { state in
            state.shots.remove(asset)
            if state.shots.isEmpty { try close(&state) }
        }
    }

    /// Recovers and returns what dead processes have left: stills with their movies get their names, the rest is
    /// removed; after an error, running it again continues.
    package func recover() throws -> [Path] {
        var found: [Path] = []
        for name in try fileSystem.list(folder) where name.hasPrefix(Self.workPrefix) {
            // Held, since anybody may have put a link there, and behind it nothing may be removed.
            guard let work = try? HeldFolder(folder).subfolder(name) else { continue }
            found += try work.within { try recover(work, at: $0) }
            // Somebody else's folder stays, with what else is in it.
            try? fileSystem.removeDirectory(folder.appending(name))
        }
        return found
    }

    /// Recovers the shots in a hidden folder, unless another process is working there.
    private func recover(_ work: HeldFolder, at place: Path) throws -> [Path] {
        guard let lock = try? fileSystem.lock(place.appending(Self.lockName)) else { return [] }
        defer { lock.release() }
        var found: [Path] = []
        for name in try fileSystem.list(place) {
            guard let id = AssetID(name), let shot = try? work.subfolder(name) else { continue }
            found += try shot.within { folder -> [Path] in
                let taken = try takeIn(folder, id)
                // Somebody else's folder in it stays, and keeps nobody from taking shots.
                for name in try fileSystem.list(folder) { try? fileSystem.unlink(folder.appending(name)) }
                return taken
            }
            try? fileSystem.removeDirectory(place.appending(name))
        }
        try fileSystem.unlink(place.appending(Self.lockName))
        return found
    }

    private func takeIn(_ shot: Path, _ id: AssetID) throws -> [Path] {
        let files = try fileSystem.list(shot).filter { $0.hasPrefix("\(id).") }
            .map { shot.appending($0) }.filter(fileSystem.hasNamedBytes)
            .compactMap { try MediaFile($0, in: fileSystem) }
        let photos = files.filter { $0.kind.type == .photo }
        guard let still = photos.first(where: { !$0.kind.isRaw }) ?? photos.first else { return [] }
        let stem = CaptureResult.stem(of: still.captureTime)
        let ending = still.path.name.split(separator: ".").last.map { $0.uppercased() } ?? "JPG"
        let movies = files.filter { $0.kind.type == .video }.map { ($0.path, "\(stem).MOV") }
        let raw = photos.filter { $0.kind.isRaw && $0.path != still.path }.map { ($0.path, "\(stem).DNG") }
        return try place([(still.path, "\(stem).\(ending)")] + raw + movies)
    }

    private func workFolder(of asset: AssetID) -> Path {
        work.appending(asset.description)
    }

    /// Gives files, the still first, unique names in the folder: as requested, or with `-2`, `-3` and so on.
    ///
    /// Each keeps its first name until all are durable. Files that were renamed before a crash keep their name.
    private func place(_ files: [(source: Path, name: String)]) throws -> [Path] {
        for number in 1...10_000 {
            let suffix = number == 1 ? "" : "-\(number)"
            let placed = files.map { ($0.source, folder.appending(Self.name($0.name, suffix))) }
            guard try placed.allSatisfy({ try isFree($0.1, for: $0.0) }) else { continue }
            if try placed.allSatisfy({ try give($0.0, the: $0.1) }) {
                try fileSystem.synchronizeDirectory(folder)
                return placed.map(\.1)
            }
        }
        throw AgentError(.failed, "\(folder) has 10,000 files of this moment: choose another folder")
    }

    /// Whether a name is free, or already this file's.
    private func isFree(_ path: Path, for source: Path) throws -> Bool {
        guard let there = try fileSystem.status(path) else { return true }
        guard there.byteCount == (try fileSystem.status(source)?.byteCount) else { return false }
        return try ContentHasher.digest(path, in: fileSystem).digest
            == ContentHasher.digest(source, in: fileSystem).digest
    }

    /// Gives a file a second name; false if it was just taken.
    private func give(_ source: Path, the path: Path) throws -> Bool {
        do throws(PersistenceError) {
            try fileSystem.link(source, to: path)
            return true
        } catch {
            switch error.code {
            case .exists: return try isFree(path, for: source)
            case .notPermitted:
                // A file system without hard links, as on memory cards.
                guard try fileSystem.status(path) == nil else { return false }
                try fileSystem.rename(source, to: path)
                return true
            default: throw error
            }
        }
    }

    private static func name(_ name: String, _ suffix: String) -> String {
        let stem = name.lastIndex(of: ".").map { name[..<$0] } ?? name[...]
        return stem + suffix + name.dropFirst(stem.count)
    }
}

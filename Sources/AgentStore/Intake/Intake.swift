import Glibc
package import Persistence
package import PhotoModel
import Synchronization

/// A folder in the store's spool in which files wait to become assets: `spool/<name>/`, locked while its process uses it.
///
/// A shot's folder is opened before the shutter and has its asset's name: a recorder writes its files into it, beside
/// `entry.json` with what is known so far. The folder of an import or a request is named `staging-<number>` and created
/// with its first file, since the files determine the assets.
///
/// Every byte is hashed on its way here, or by the recorder that wrote it, and is not read again. The folder is removed
/// with the last reference to it or its files, after whatever was added to the queue has been moved out. After a crash
/// nobody holds its lock: the next opening of the store adds the shot in it, as far as that is complete, and removes
/// the rest.
package final class Intake: Sendable {
    /// How a file's bytes get here.
    package enum Transfer: Hashable, Sendable {
        /// Copied; if the file system supports it, both files share their blocks until one of them changes.
        case copy
        /// The file gets a second hard link, so nobody may modify it any more.
        case link
        /// The file gets a second hard link, and loses the first one as soon as its asset is durable in the queue.
        case move
        /// Like `move`; a file that cannot get a second link is copied, and the original removed at the same point.
        case moveOrCopy
    }

    /// A file to remove once its bytes are durable in the queue.
    struct Source: Hashable, Sendable {
        /// Its name.
        let path: Path
        /// What had the name when it was read; another file may take it meanwhile, such as a camera's next photo.
        let status: FileStatus?
    }

    /// A waiting file; its folder exists as long as one of its files is referenced.
    package struct File: Sendable {
        private let intake: Intake
        /// Where it is.
        let path: Path
        /// The digest of its bytes.
        package let digest: ContentDigest
        /// Its length.
        package let byteCount: Int64
        /// The file to remove once the bytes are durable in the queue; nil for none.
        let movedFrom: Source?
        /// Whether its bytes, and a name with their digest, would survive a power cut.
        let isDurable: Bool

        fileprivate init(
            _ content: WrittenContent,
            at path: Path,
            in intake: Intake,
            movedFrom: Source? = nil,
            isDurable: Bool = false
        ) {
            self.intake = intake
            self.path = path
            digest = content.digest
            byteCount = content.byteCount
            self.movedFrom = movedFrom
            self.isDurable = isDurable
        }
    }

    private struct State {
        /// Nil until the folder exists.
        var lock: (any FileLock)?
        var fileCount = 0
    }

    /// The prefix of folders not named after an asset.
    static let prefix = "staging-"
    /// Attempts to create a folder: another process may remove one as abandoned before it is locked.
    private static let attempts = 100

    /// The folder; a recorder may write into it after ``open()``.
    package let path: Path
    private let fileSystem: any FileSystem
    private let state = Mutex(State())

    init(_ name: String, in spool: Path, of fileSystem: any FileSystem) {
        path = spool.appending(name)
        self.fileSystem = fileSystem
    }

    deinit {
        guard let lock = state.withLock({ $0.lock.take() }) else { return }
        // What cannot be removed now is removed when the store is next opened.
        try? fileSystem.removeTree(path)
        lock.release()
    }

    /// Creates and locks the folder; blocks.
    func open() throws(Persistence.PersistenceError) {
        try state.withLock { state throws(Persistence.PersistenceError) in
            if state.lock == nil { state.lock = try lock() }
        }
    }

    /// Brings a file here; blocks, and may run on several threads at once.
    ///
    /// - Throws: `otherFileSystem` if it can only be copied; `PersistenceError`: `damaged` if it changes meanwhile.
    package func stage(_ source: Path, by transfer: Transfer = .copy, from sources: any FileSystem) throws -> File {
        let path = try nextPath()
        let status = try sources.status(source)
        let content: WrittenContent
        if transfer == .copy || (transfer == .moveOrCopy && !canLink(source, to: path)) {
            content = try fileSystem.copy(source, of: sources, to: path)
        } else {
            if transfer != .moveOrCopy { try link(source, to: path) }
            content = try ContentHasher.digest(path, in: fileSystem)
        }
        // A file that is still being written would be half of one, or a mixture of two. One that was removed is whole.
        if let now = try sources.status(source), now != status { throw PersistenceError.changed(source) }
        let isMoved = transfer == .move || transfer == .moveOrCopy
        return File(content, at: path, in: self, movedFrom: isMoved ? Source(path: source, status: status) : nil)
    }

    /// Writes bytes from memory; blocks.
    package func write(_ bytes: [UInt8]) throws -> File {
        let path = try nextPath()
        return File(try fileSystem.write(bytes, to: path), at: path, in: self)
    }

    /// A file that a recorder wrote into this folder, made durable under a name with the digest of its bytes, which are
    /// not read again.
    ///
    /// - Throws: `PersistenceError`: `damaged` if the file's length differs.
    package func recorded(_ path: Path, digest: ContentDigest, byteCount: Int64) throws -> File {
        guard try fileSystem.status(path)?.byteCount == byteCount else {
            throw PersistenceError(.damaged, "add", path.text, "it is no longer \(byteCount) bytes long, as written")
        }
        let isNamed = ContentDigest(inFileName: path.name) == digest
        return File((digest, byteCount), at: path, in: self, isDurable: isNamed)
    }

    private func canLink(_ source: Path, to path: Path) -> Bool {
        do {
            try fileSystem.link(source, to: path)
            return true
        } catch {
            return false
        }
    }

    private func link(_ source: Path, to path: Path) throws {
        do throws(Persistence.PersistenceError) {
            try fileSystem.link(source, to: path)
        } catch {
            guard error.code == .system(EXDEV) else { throw error }
            throw AgentStoreError(
                .otherFileSystem,
                nil,
                "\(source) and the queue (\(self.path.parent)) are on different file systems: import it as a copy",
                cause: error
            )
        }
    }

    /// A free name, in the existing folder.
    private func nextPath() throws(Persistence.PersistenceError) -> Path {
        try state.withLock { state throws(Persistence.PersistenceError) in
            if state.lock == nil { state.lock = try lock() }
            state.fileCount += 1
            return path.appending("\(state.fileCount)")
        }
    }

    private func lock() throws(Persistence.PersistenceError) -> any FileLock {
        for _ in 1..<Self.attempts {
            do throws(Persistence.PersistenceError) {
                if try fileSystem.status(path) == nil { try fileSystem.createDirectory(path) }
                let lock = try fileSystem.lockDirectory(path)
                // A store opened between the two steps removed the folder: try again.
                if try fileSystem.status(path) != nil { return lock }
            } catch {
                guard error.code == .locked || error.code == .notFound else { throw error }
                usleep(1000)
            }
        }
        throw Persistence.PersistenceError(.locked, "open", path.text, "another process has it")
    }
}

extension PersistenceError {
    /// The error for a file that somebody writes or replaces while it is imported.
    package static func changed(_ path: Path) -> Self {
        Self(.damaged, "import", path.text, "it changed while it was imported: import it again")
    }
}

/// The digest and length of a file's content.
package typealias WrittenContent = (digest: ContentDigest, byteCount: Int64)

extension FileSystem {
    /// Locks an intake's folder; nil while another process uses it, or if the folder is gone.
    func lockAbandoned(_ folder: Path) throws(Persistence.PersistenceError) -> (any FileLock)? {
        do throws(Persistence.PersistenceError) {
            return try lockDirectory(folder)
        } catch {
            guard error.code == .locked || error.code == .notFound else { throw error }
            return nil
        }
    }

    /// Copies a file, hashing it on the way; where both share a file system that can, no bytes are written.
    ///
    /// The copy's bytes are hashed, not the source's: another program may change the source meanwhile.
    func copy(_ source: Path, of sources: any FileSystem, to destination: Path) throws -> WrittenContent {
        let file = try sources.open(source, .read)
        defer { try? file.close() }
        let copy = try open(destination, .create)
        defer { try? copy.close() }
        if try copy.clone(file) {
            let byteCount = try copy.byteCount()
            let digest = try ContentHasher.digest(byteCount: byteCount) { try copy.read($1, at: $0) }
            return (digest, byteCount)
        }
        let content = try copy.fill { offset in try file.read(StagingFile.chunkByteCount, at: offset) }
        try copy.close()
        return content
    }

    /// Writes a new file without syncing it.
    @discardableResult
    func write(_ bytes: [UInt8], to path: Path) throws -> WrittenContent {
        let file = try open(path, .create)
        let content = try file.fill { $0 == 0 ? bytes : [] }
        try file.close()
        return content
    }

    /// Gives a file its name as a resource of an asset, and returns whether it is the same file rather than a copy.
    ///
    /// A file in the asset's own folder is renamed; one elsewhere gets a second link, so that it still exists after a
    /// failure. If linking fails, it is copied; if the queue is encrypted, a recorder's plaintext is sealed on the way.
    @discardableResult
    func place(_ source: Path, at destination: Path) throws -> Bool {
        let isOwn = source.parent == destination.parent
        do throws(Persistence.PersistenceError) {
            if isOwn { try rename(source, to: destination) } else { try link(source, to: destination) }
            return true
        } catch {
            guard error.code != .noSpace, error.code != .inputOutput, error.code != .exists else { throw error }
            if try status(destination) != nil { try unlink(destination) }
            _ = try copy(source, of: self, to: destination)
            if isOwn { try unlink(source) }
            return false
        }
    }

    /// Whether a file has the bytes of the digest in its name: after a power cut there may be only the name.
    ///
    /// A name without a digest is from an earlier version, which named files only once they were durable.
    package func hasNamedBytes(_ path: Path) throws -> Bool {
        guard let digest = ContentDigest(inFileName: path.name) else { return true }
        return try ContentHasher.digest(path, in: self).digest == digest
    }

    /// Makes a file's bytes durable.
    func synchronize(_ path: Path) throws(Persistence.PersistenceError) {
        let file = try open(path, .read)
        try file.synchronize()
        try file.close()
    }
}

extension OpenFile {
    /// Fills an empty file until the source is exhausted, hashing the bytes on the way.
    package func fill(from read: (Int64) throws -> [UInt8]) throws -> WrittenContent {
        var running = ContentHasher.Running()
        var byteCount: Int64 = 0
        while true {
            let bytes = try read(byteCount)
            if bytes.isEmpty { break }
            try write(bytes[...], at: byteCount)
            beginWriting(bytes.count, at: byteCount)
            running.update(bytes[...])
            byteCount += Int64(bytes.count)
        }
        return (running.digest, byteCount)
    }
}

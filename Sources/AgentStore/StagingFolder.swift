import Glibc
package import Persistence
package import PhotoModel
import Synchronization

/// A folder in the store's spool, `staging-<number>`, in which files wait until it is known which assets they make.
///
/// Each file is read once: it is hashed on its way here, and what is taken in from here is not read again. The folder is
/// made with its first file and belongs to the process that has its `lock`; one that nobody has is removed by the next
/// opening of the store, since nothing in it was ever reported. What was taken in has a second name by the time that the
/// folder goes.
package final class StagingFolder: Sendable {
    /// How a file's bytes get here.
    package enum Transfer: Hashable, Sendable {
        /// They are copied; where the file system can, both files share their blocks until one of them is changed.
        case copy
        /// The file gets a second name, so nobody may change it any more.
        case link
        /// The file gets a second name, and loses its first one as soon as its asset is durable in the queue.
        case move
    }

    /// A file that waits; its folder stays for as long as one of its files is referred to.
    package struct File: Sendable {
        private let folder: StagingFolder
        /// Where it is.
        let path: Path
        /// The digest of its bytes.
        package let digest: ContentDigest
        /// Its length.
        package let byteCount: Int64
        /// The name that goes once the bytes are durable in the queue; nil for none.
        let movedFrom: Path?

        fileprivate init(_ content: WrittenContent, at path: Path, in folder: StagingFolder, movedFrom: Path? = nil) {
            self.folder = folder
            self.path = path
            digest = content.digest
            byteCount = content.byteCount
            self.movedFrom = movedFrom
        }
    }

    private struct State {
        /// Nil until the first file comes.
        var lock: (any FileLock)?
        var fileCount = 0
    }

    /// What the names of these folders begin with, which no asset's name does.
    static let prefix = "staging-"
    static let lockName = "lock"
    /// A folder may be taken for an abandoned one before it is locked; each attempt has a new name.
    private static let attempts = 100

    private let path: Path
    private let fileSystem: any FileSystem
    private let state = Mutex(State())

    init(in spool: Path, of fileSystem: any FileSystem) {
        path = spool.appending("\(Self.prefix)\(UInt64.random(in: 0 ... .max))")
        self.fileSystem = fileSystem
    }

    deinit {
        guard let lock = state.withLock({ $0.lock.take() }) else { return }
        // What cannot be removed now is removed by the next opening of the store.
        try? fileSystem.removeTree(path)
        lock.release()
    }

    /// Brings a file here; blocks, and may run on several threads at once.
    ///
    /// - Parameters:
    ///   - source: the file.
    ///   - transfer: how its bytes get here.
    ///   - sources: the file system that a copy is read from.
    /// - Returns: the file.
    /// - Throws: `otherFileSystem` for what can only be copied; `PersistenceError`.
    package func stage(
        _ source: Path,
        by transfer: Transfer = .copy,
        from sources: any FileSystem
    ) throws -> File {
        let path = try nextPath()
        switch transfer {
        case .copy:
            return File(try fileSystem.copy(source, of: sources, to: path), at: path, in: self)
        case .link, .move:
            try link(source, to: path)
            let content = try ContentHasher.digest(path, in: fileSystem)
            return File(content, at: path, in: self, movedFrom: transfer == .move ? source : nil)
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

    /// A name that is free, in a folder that is there.
    private func nextPath() throws(Persistence.PersistenceError) -> Path {
        try state.withLock { state throws(Persistence.PersistenceError) in
            if state.lock == nil { state.lock = try lock() }
            state.fileCount += 1
            return path.appending("\(state.fileCount)")
        }
    }

    /// Makes the folder, and makes it this process's.
    private func lock() throws(Persistence.PersistenceError) -> any FileLock {
        let lockPath = path.appending(Self.lockName)
        for _ in 1..<Self.attempts {
            do throws(Persistence.PersistenceError) {
                if try fileSystem.status(path) == nil { try fileSystem.createDirectory(path) }
                let lock = try fileSystem.lock(lockPath)
                // A store that was opened between the two took the folder away again.
                if try fileSystem.status(lockPath) != nil { return lock }
            } catch {
                guard error.code == .locked || error.code == .notFound else { throw error }
                usleep(1000)
            }
        }
        throw Persistence.PersistenceError(.locked, "stage", path.text, "another process has it")
    }
}

extension FileSystem {
    /// Removes what processes that are gone have left of their staging folders.
    ///
    /// - Parameter spool: the folder in which they are.
    /// - Returns: what was removed.
    /// - Throws: what failed; running it again goes on.
    func removeAbandonedStaging(in spool: Path) throws(Persistence.PersistenceError) -> [String] {
        var removed: [String] = []
        for name in try list(spool) where name.hasPrefix(StagingFolder.prefix) {
            let folder = spool.appending(name)
            let held: any FileLock
            do throws(Persistence.PersistenceError) {
                held = try lock(folder.appending(StagingFolder.lockName))
            } catch {
                // Its process is at work, or has just removed it.
                guard error.code == .locked || error.code == .notFound else { throw error }
                continue
            }
            defer { held.release() }
            try removeTree(folder)
            removed.append(name)
        }
        return removed
    }

    /// Copies a file, hashing it on the way; where both share a file system that can, no bytes are written.
    ///
    /// The bytes are hashed as they are in the copy: another program may change the source meanwhile.
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
}

/// What was written into a file.
typealias WrittenContent = (digest: ContentDigest, byteCount: Int64)

extension OpenFile {
    /// Writes an empty file, hashing it on the way, until there are no more bytes.
    func fill(from read: (Int64) throws -> [UInt8]) throws -> WrittenContent {
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

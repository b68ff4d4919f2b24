import Persistence
import PhotoModel
import Synchronization

/// A file being written and hashed; it gets its name only once it is complete and durable.
final class PartFile: Sendable {
    private struct State {
        var byteCount: Int64 = 0
        var hasher = ContentHasher.Running()
    }

    private let path: Path
    private let file: any OpenFile
    private let fileSystem = PosixFileSystem()
    private let state = Mutex(State())

    /// Creates a hidden file, distinct from others being written under the same name.
    ///
    /// - Parameters:
    ///   - name: its final name.
    ///   - folder: created if missing.
    /// - Throws: `PersistenceError`.
    init(_ name: SafeFileName, in folder: Path) throws {
        try fileSystem.createDirectories(folder)
        var attempt = 1
        while true {
            let path = folder.appending(".\(name.text(attempt: attempt)).part")
            do throws(PersistenceError) {
                file = try fileSystem.open(path, .create)
                self.path = path
                return
            } catch {
                guard error.code == .exists else { throw error }
                attempt += 1
            }
        }
    }

    /// The number of bytes written.
    var byteCount: Int64 { state.withLock(\.byteCount) }

    /// SHA-256 of the bytes written.
    var digest: ContentDigest { state.withLock(\.hasher.digest) }

    /// Writes the next bytes.
    ///
    /// - Parameter bytes: the next bytes.
    /// - Returns: the number of bytes written so far.
    /// - Throws: `PersistenceError`.
    func append(_ bytes: [UInt8]) throws -> Int64 {
        try file.write(bytes[...], at: byteCount)
        return state.withLock { state in
            state.hasher.update(bytes[...])
            state.byteCount += Int64(bytes.count)
            return state.byteCount
        }
    }

    /// Names the complete file, with a number if the name is taken, so that nothing is overwritten.
    ///
    /// - Parameters:
    ///   - name: the name.
    ///   - folder: the destination.
    /// - Returns: the file.
    /// - Throws: `PersistenceError`.
    func publish(named name: SafeFileName, in folder: Path) throws -> Path {
        try file.synchronize()
        try file.close()
        var attempt = 1
        while try !isLinked(as: folder.appending(name.text(attempt: attempt))) { attempt += 1 }
        try fileSystem.unlink(path)
        try fileSystem.synchronizeDirectory(folder)
        return folder.appending(name.text(attempt: attempt))
    }

    /// Links the file to a second name; false if it is taken.
    private func isLinked(as destination: Path) throws(PersistenceError) -> Bool {
        do {
            try fileSystem.link(path, to: destination)
            return true
        } catch {
            guard error.code == .exists else { throw error }
            return false
        }
    }

    /// Deletes the file.
    func discard() throws {
        try file.close()
        if try fileSystem.status(path) != nil { try fileSystem.unlink(path) }
    }
}

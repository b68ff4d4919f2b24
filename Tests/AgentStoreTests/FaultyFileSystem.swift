import Persistence
import Synchronization

/// The real file system, whose nth call fails: with a full disk, an I/O error, or as if the power went, after which
/// nothing works any more.
final class FaultyFileSystem: FileSystem {
    enum Fault: Sendable, CaseIterable {
        case noSpace
        case inputOutput
        case powerCut
    }

    private struct State {
        var calls = 0
        var operations: [String: Int] = [:]
        var failing: Int?
        var fault = Fault.inputOutput
        var isDead = false
    }

    private let real = PosixFileSystem()
    private let state = Mutex(State())
    /// Whether a file may have a second name; between file systems it may not.
    private let hasLinks: Bool
    /// Bytes of the disk; nil for as many as it has.
    private let capacity: Int64?

    init(hasLinks: Bool = true, capacity: Int64? = nil) {
        self.hasLinks = hasLinks
        self.capacity = capacity
    }

    /// Calls that were made.
    var calls: Int { state.withLock(\.calls) }

    /// How often it was waited for the disk.
    var flushes: Int { ["fdatasync", "fsync", "syncfs"].reduce(0) { $0 + count(of: $1) } }

    /// How often a system call was made.
    func count(of operation: String) -> Int { state.withLock { $0.operations[operation] ?? 0 } }

    /// Makes the nth call from now fail.
    func fail(_ call: Int, with fault: Fault) {
        state.withLock { $0 = State(failing: call, fault: fault) }
    }

    fileprivate func count(_ operation: String, _ path: Path) throws(PersistenceError) {
        let fault = state.withLock { state -> Fault? in
            state.calls += 1
            state.operations[operation, default: 0] += 1
            if state.isDead { return .powerCut }
            guard state.calls == state.failing else { return nil }
            state.isDead = state.fault == .powerCut
            return state.fault
        }
        switch fault {
        case nil: return
        case .noSpace: throw PersistenceError(.noSpace, operation, path.text, "planted")
        case .inputOutput, .powerCut: throw PersistenceError(.inputOutput, operation, path.text, "planted")
        }
    }

    func open(_ path: Path, _ mode: OpenMode) throws(PersistenceError) -> any OpenFile {
        try count("open", path)
        return FaultyFile(file: try real.open(path, mode), path: path, fileSystem: self)
    }
    func rename(_ source: Path, to destination: Path) throws(PersistenceError) {
        try count("rename", source)
        try real.rename(source, to: destination)
    }
    func link(_ source: Path, to destination: Path) throws(PersistenceError) {
        try count("link", source)
        guard hasLinks else { throw PersistenceError(.system(18), "link", source.text, "EXDEV") }
        try real.link(source, to: destination)
    }
    func unlink(_ path: Path) throws(PersistenceError) {
        try count("unlink", path)
        try real.unlink(path)
    }

    func touch(_ path: Path) throws(PersistenceError) {
        try count("touch", path)
        try real.touch(path)
    }
    func createDirectory(_ path: Path) throws(PersistenceError) {
        try count("mkdir", path)
        try real.createDirectory(path)
    }
    func removeDirectory(_ path: Path) throws(PersistenceError) {
        try count("rmdir", path)
        try real.removeDirectory(path)
    }
    func synchronizeDirectory(_ path: Path) throws(PersistenceError) {
        try count("fsync", path)
        try real.synchronizeDirectory(path)
    }
    func synchronizeAll(_ path: Path) throws(PersistenceError) {
        try count("syncfs", path)
        try real.synchronizeAll(path)
    }
    func list(_ path: Path) throws(PersistenceError) -> [String] {
        try count("readdir", path)
        return try real.list(path)
    }
    func status(_ path: Path) throws(PersistenceError) -> FileStatus? {
        try count("lstat", path)
        return try real.status(path)
    }
    func makeReadOnly(_ path: Path) throws(PersistenceError) {
        try count("chmod", path)
        try real.makeReadOnly(path)
    }

    func makePrivate(_ path: Path) throws(PersistenceError) {
        try count("chmod", path)
        try real.makePrivate(path)
    }
    func freeByteCount(_ path: Path) throws(PersistenceError) -> Int64 {
        try count("statvfs", path)
        guard let capacity else { return try real.freeByteCount(path) }
        return capacity - (try byteCount(below: path))
    }

    /// Bytes of all files below a folder but the database's, which grows as it likes.
    private func byteCount(below folder: Path) throws(PersistenceError) -> Int64 {
        var sum: Int64 = 0
        for name in try real.list(folder) where !name.hasPrefix("state.sqlite") {
            let path = folder.appending(name)
            guard let status = try real.status(path) else { continue }
            if status.isDirectory { sum += try byteCount(below: path) } else { sum += status.byteCount }
        }
        return sum
    }

    func lock(_ path: Path) throws(PersistenceError) -> any FileLock {
        try count("flock", path)
        return try real.lock(path)
    }
    func lockDirectory(_ path: Path) throws(PersistenceError) -> any FileLock {
        try count("flock", path)
        return try real.lockDirectory(path)
    }
}

private final class FaultyFile: OpenFile {
    private let file: any OpenFile
    private let path: Path
    private let fileSystem: FaultyFileSystem

    init(file: any OpenFile, path: Path, fileSystem: FaultyFileSystem) {
        self.file = file
        self.path = path
        self.fileSystem = fileSystem
    }

    func write(_ bytes: ArraySlice<UInt8>, at offset: Int64) throws(PersistenceError) {
        do {
            try fileSystem.count("pwrite", path)
        } catch {
            // A write that fails may have written a part.
            try file.write(bytes.prefix(bytes.count / 2), at: offset)
            throw error
        }
        try file.write(bytes, at: offset)
    }
    func read(_ count: Int, at offset: Int64) throws(PersistenceError) -> [UInt8] {
        try fileSystem.count("pread", path)
        return try file.read(count, at: offset)
    }
    func synchronize() throws(PersistenceError) {
        try fileSystem.count("fdatasync", path)
        try file.synchronize()
    }
    func truncate(to byteCount: Int64) throws(PersistenceError) {
        try fileSystem.count("ftruncate", path)
        try file.truncate(to: byteCount)
    }
    func byteCount() throws(PersistenceError) -> Int64 {
        try fileSystem.count("fstat", path)
        return try file.byteCount()
    }
    func close() throws(PersistenceError) {
        try file.close()
    }
}

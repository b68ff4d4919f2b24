import Glibc
import Persistence
import Synchronization

/// The real file system, which counts the bytes that are read and written of each file.
final class ReadCounter: FileSystem {
    private let real = PosixFileSystem()
    private let counts = Mutex<[String: Int]>([:])
    private let written = Mutex<[String: Int]>([:])
    private let flushes = Mutex(0)
    /// Whether a file may have a second name; between file systems it may not.
    private let hasLinks: Bool
    /// Whether files can share their blocks.
    fileprivate let sharesBlocks: Bool
    /// Called before a file is opened.
    private let opening: @Sendable (Path, OpenMode) -> Void

    init(
        hasLinks: Bool = true,
        sharesBlocks: Bool = false,
        opening: @escaping @Sendable (Path, OpenMode) -> Void = { _, _ in }
    ) {
        self.opening = opening
        self.hasLinks = hasLinks
        self.sharesBlocks = sharesBlocks
    }

    /// Bytes that were read of files of a name.
    func byteCount(of name: String) -> Int { counts.withLock { $0[name] ?? 0 } }

    /// Bytes that were written into files of a name.
    func writtenByteCount(of name: String) -> Int { written.withLock { $0[name] ?? 0 } }

    /// How often a whole file system was made durable.
    var flushCount: Int { flushes.withLock { $0 } }

    fileprivate func count(_ byteCount: Int, of path: Path) {
        counts.withLock { $0[path.name, default: 0] += byteCount }
    }

    fileprivate func countWritten(_ byteCount: Int, of path: Path) {
        written.withLock { $0[path.name, default: 0] += byteCount }
    }

    func open(_ path: Path, _ mode: OpenMode) throws(PersistenceError) -> any OpenFile {
        opening(path, mode)
        return CountedFile(file: try real.open(path, mode), path: path, counter: self)
    }
    func rename(_ source: Path, to destination: Path) throws(PersistenceError) {
        try real.rename(source, to: destination)
    }
    func link(_ source: Path, to destination: Path) throws(PersistenceError) {
        guard hasLinks else { throw PersistenceError(.system(EXDEV), "link", destination.text, "other file system") }
        try real.link(source, to: destination)
    }
    func unlink(_ path: Path) throws(PersistenceError) { try real.unlink(path) }
    func touch(_ path: Path) throws(PersistenceError) { try real.touch(path) }
    func createDirectory(_ path: Path) throws(PersistenceError) { try real.createDirectory(path) }
    func removeDirectory(_ path: Path) throws(PersistenceError) { try real.removeDirectory(path) }
    func synchronizeDirectory(_ path: Path) throws(PersistenceError) { try real.synchronizeDirectory(path) }
    func synchronizeAll(_ path: Path) throws(PersistenceError) {
        flushes.withLock { $0 += 1 }
        try real.synchronizeAll(path)
    }
    func list(_ path: Path) throws(PersistenceError) -> [String] { try real.list(path) }
    func status(_ path: Path) throws(PersistenceError) -> FileStatus? { try real.status(path) }
    func makeReadOnly(_ path: Path) throws(PersistenceError) { try real.makeReadOnly(path) }
    func makePrivate(_ path: Path) throws(PersistenceError) { try real.makePrivate(path) }
    func freeByteCount(_ path: Path) throws(PersistenceError) -> Int64 { try real.freeByteCount(path) }
    func lock(_ path: Path) throws(PersistenceError) -> any FileLock { try real.lock(path) }
    func lockDirectory(_ path: Path) throws(PersistenceError) -> any FileLock { try real.lockDirectory(path) }
}

private final class CountedFile: OpenFile {
    private let file: any OpenFile
    private let path: Path
    private let counter: ReadCounter

    init(file: any OpenFile, path: Path, counter: ReadCounter) {
        self.file = file
        self.path = path
        self.counter = counter
    }

    func write(_ bytes: ArraySlice<UInt8>, at offset: Int64) throws(PersistenceError) {
        counter.countWritten(bytes.count, of: path)
        try file.write(bytes, at: offset)
    }
    func clone(_ source: any OpenFile) throws(PersistenceError) -> Bool {
        guard counter.sharesBlocks, let source = source as? CountedFile else { return false }
        // What the kernel does here, and nobody counts.
        try file.write(source.file.read(1 << 30, at: 0)[...], at: 0)
        return true
    }
    func read(_ count: Int, at offset: Int64) throws(PersistenceError) -> [UInt8] {
        let bytes = try file.read(count, at: offset)
        counter.count(bytes.count, of: path)
        return bytes
    }
    func synchronize() throws(PersistenceError) { try file.synchronize() }
    func truncate(to byteCount: Int64) throws(PersistenceError) { try file.truncate(to: byteCount) }
    func byteCount() throws(PersistenceError) -> Int64 { try file.byteCount() }
    func close() throws(PersistenceError) { try file.close() }
}

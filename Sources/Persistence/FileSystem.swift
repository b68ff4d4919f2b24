/// The file system operations that durable storage needs; every call blocks and belongs on the `BlockingPool`.
///
/// `PosixFileSystem` is the real one. A simulated one loses unsynced data, tears writes and fails on request, so that
/// the order of calls above it can be tested.
package protocol FileSystem: Sendable {
    /// Opens a file.
    func open(_ path: Path, _ mode: OpenMode) throws(PersistenceError) -> any OpenFile
    /// Renames a file, replacing an existing one; both paths must be on one file system.
    func rename(_ source: Path, to destination: Path) throws(PersistenceError)
    /// Creates a hard link on the same file system; `exists` if the name is taken.
    func link(_ source: Path, to destination: Path) throws(PersistenceError)
    /// Removes a file.
    func unlink(_ path: Path) throws(PersistenceError)
    /// Sets a file's modification time to now, to record that it is in use.
    func touch(_ path: Path) throws(PersistenceError)
    /// Creates a directory, mode 0750; `exists` if there already is one.
    func createDirectory(_ path: Path) throws(PersistenceError)
    /// Removes an empty directory.
    func removeDirectory(_ path: Path) throws(PersistenceError)
    /// Makes the names in a directory durable (`fsync` on the directory).
    func synchronizeDirectory(_ path: Path) throws(PersistenceError)
    /// Makes everything written to a directory's file system durable (`syncfs`).
    func synchronizeAll(_ path: Path) throws(PersistenceError)
    /// The names in a directory, sorted, without `.` and `..`.
    func list(_ path: Path) throws(PersistenceError) -> [String]
    /// The status of a path; nil if nothing is there.
    func status(_ path: Path) throws(PersistenceError) -> FileStatus?
    /// Removes write permission.
    func makeReadOnly(_ path: Path) throws(PersistenceError)
    /// Removes every permission of a file or directory except its owner's.
    func makePrivate(_ path: Path) throws(PersistenceError)
    /// Bytes that an unprivileged process can still write.
    func freeByteCount(_ path: Path) throws(PersistenceError) -> Int64
    /// The path at which a file's bytes are stored on disk, which may differ.
    func place(of path: Path) throws(PersistenceError) -> Path
    /// Takes a file's exclusive lock, creating the file if needed; `locked` if another process holds it.
    func lock(_ path: Path) throws(PersistenceError) -> any FileLock
    /// Takes a directory's exclusive lock, which survives a rename; `locked` if another process holds it.
    func lockDirectory(_ path: Path) throws(PersistenceError) -> any FileLock
}

/// How to open a file.
package enum OpenMode: Hashable, Sendable {
    /// For reading; it must exist.
    case read
    /// For reading and writing; created with mode 0640 if missing.
    case update
    /// For reading and writing; `exists` if the file already exists.
    case create
}

/// An open file.
package protocol OpenFile: AnyObject, Sendable {
    /// Writes all bytes at an offset.
    func write(_ bytes: ArraySlice<UInt8>, at offset: Int64) throws(PersistenceError)
    /// Reads at most this many bytes at an offset; fewer only at the end.
    func read(_ count: Int, at offset: Int64) throws(PersistenceError) -> [UInt8]
    /// Starts writing bytes to the disk, so that a later sync waits less.
    ///
    /// A hint: nothing is guaranteed or reported, and short ranges are left to the sync.
    func beginWriting(_ byteCount: Int, at offset: Int64)
    /// Starts reading bytes that will be requested sequentially; a hint.
    func beginReading(_ byteCount: Int64, at offset: Int64)
    /// Makes the bytes, and the metadata needed to read them, durable (`fdatasync`).
    func synchronize() throws(PersistenceError)
    /// Truncates or extends the file.
    func truncate(to byteCount: Int64) throws(PersistenceError)
    /// The file's length.
    func byteCount() throws(PersistenceError) -> Int64
    /// Makes an empty file a clone of another one: both share their blocks until one of them changes.
    ///
    /// - Returns: false, with nothing done, if the file system does not support it for these two files.
    func clone(_ source: any OpenFile) throws(PersistenceError) -> Bool
    /// A duplicate descriptor for another process, close-on-exec; nil if the file has none.
    func duplicateDescriptor() throws(PersistenceError) -> Int32?
    /// Closes the file; later calls fail. Dropping the last reference closes it too, silently.
    func close() throws(PersistenceError)
}

extension OpenFile {
    /// Does nothing: simulated files have no disk.
    package func beginWriting(_ byteCount: Int, at offset: Int64) {}

    /// Does nothing: simulated and sealed files are not read ahead.
    package func beginReading(_ byteCount: Int64, at offset: Int64) {}

    /// Not supported for simulated and sealed files.
    package func clone(_ source: any OpenFile) throws(PersistenceError) -> Bool { false }

    /// Simulated files have no descriptor.
    package func duplicateDescriptor() throws(PersistenceError) -> Int32? { nil }
}

/// A held lock; released when dropped or when the process ends.
package protocol FileLock: AnyObject, Sendable {
    /// Releases the lock.
    func release()
}

/// The status of a file or directory.
package struct FileStatus: Hashable, Sendable {
    /// Whether it is a directory.
    package let isDirectory: Bool
    /// Length in bytes; meaningless for directories.
    package let byteCount: Int64
    /// Whether nobody has write permission.
    package let isReadOnly: Bool
    /// When the file was last written or touched, in nanoseconds since 1970, clamped; 0 if unknown.
    package let modifiedNanoseconds: Int64

    package init(isDirectory: Bool, byteCount: Int64, isReadOnly: Bool, modifiedNanoseconds: Int64 = 0) {
        self.isDirectory = isDirectory
        self.byteCount = byteCount
        self.isReadOnly = isReadOnly
        self.modifiedNanoseconds = modifiedNanoseconds
    }
}

extension FileSystem {
    /// By default the path itself.
    package func place(of path: Path) throws(PersistenceError) -> Path { path }

    /// Creates a directory and its missing parents, each durable in its parent.
    package func createDirectories(_ path: Path) throws(PersistenceError) {
        if let status = try status(path) {
            guard status.isDirectory else {
                throw PersistenceError(.exists, "mkdir", path.text, "a file is in the way")
            }
            return
        }
        try createDirectories(path.parent)
        do {
            try createDirectory(path)
        } catch  where error.code == .exists {
            return
        }
        try synchronizeDirectory(path.parent)
    }

    /// Replaces a whole file: temporary file, sync, rename, directory sync.
    ///
    /// Readers see either the old or the new bytes, also after a power cut or an error.
    package func writeAtomically(_ path: Path, _ bytes: [UInt8]) throws(PersistenceError) {
        let temporary = path.parent.appending(".\(path.name).new")
        if try status(temporary) != nil { try unlink(temporary) }
        let file = try open(temporary, .create)
        try file.write(bytes[...], at: 0)
        try file.synchronize()
        try file.close()
        try rename(temporary, to: path)
        try synchronizeDirectory(path.parent)
    }

    /// A small file's bytes; nil if it does not exist, and longer files are refused as damaged.
    package func readAll(_ path: Path, maximumByteCount: Int = 1 << 20) throws(PersistenceError) -> [UInt8]? {
        guard let status = try status(path), !status.isDirectory else { return nil }
        guard status.byteCount <= Int64(maximumByteCount) else {
            throw PersistenceError(.damaged, "read", path.text, "longer than \(maximumByteCount) bytes")
        }
        let file = try open(path, .read)
        let bytes = try file.read(maximumByteCount, at: 0)
        try file.close()
        return bytes
    }
}

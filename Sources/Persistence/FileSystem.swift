/// The file system as far as durable storage needs it; every call blocks and belongs on the `BlockingPool`.
///
/// The real one is `PosixFileSystem`. A simulated one loses what was not synchronised, tears, and fails on request, so
/// that the order of calls above it can be proven.
package protocol FileSystem: Sendable {
    /// Opens a file.
    func open(_ path: Path, _ mode: OpenMode) throws(PersistenceError) -> any OpenFile
    /// Renames a file, replacing any file of the new name; both must be on one file system.
    func rename(_ source: Path, to destination: Path) throws(PersistenceError)
    /// Links a file to a second name on the same file system; `exists` if the name is taken.
    func link(_ source: Path, to destination: Path) throws(PersistenceError)
    /// Removes a file.
    func unlink(_ path: Path) throws(PersistenceError)
    /// Notes that a file is used now: its modification time is this moment.
    func touch(_ path: Path) throws(PersistenceError)
    /// Makes a directory, mode 0750; `exists` when it is there.
    func createDirectory(_ path: Path) throws(PersistenceError)
    /// Removes an empty directory.
    func removeDirectory(_ path: Path) throws(PersistenceError)
    /// Makes the names in a directory durable (`fsync` on the directory).
    func synchronizeDirectory(_ path: Path) throws(PersistenceError)
    /// Makes everything durable that was written to the file system that holds a directory (`syncfs`).
    func synchronizeAll(_ path: Path) throws(PersistenceError)
    /// The names in a directory, sorted; neither `.` nor `..`.
    func list(_ path: Path) throws(PersistenceError) -> [String]
    /// What is at a path; nil for nothing.
    func status(_ path: Path) throws(PersistenceError) -> FileStatus?
    /// Takes away the permission to write.
    func makeReadOnly(_ path: Path) throws(PersistenceError)
    /// Takes every permission from everybody but the owner, of a file or a directory.
    func makePrivate(_ path: Path) throws(PersistenceError)
    /// Bytes that an unprivileged process can still write.
    func freeByteCount(_ path: Path) throws(PersistenceError) -> Int64
    /// Where the bytes of a file lie on the disk, which may be another file than the path names.
    func place(of path: Path) throws(PersistenceError) -> Path
    /// Takes the exclusive lock of a file, which is made when missing; `locked` when another has it.
    func lock(_ path: Path) throws(PersistenceError) -> any FileLock
    /// Takes the exclusive lock of a directory, which it keeps when it is renamed; `locked` when another has it.
    func lockDirectory(_ path: Path) throws(PersistenceError) -> any FileLock
}

/// How a file is opened.
package enum OpenMode: Hashable, Sendable {
    /// To read; it must exist.
    case read
    /// To read and write; made, mode 0640, when missing.
    case update
    /// To read and write; `exists` when it is there.
    case create
}

/// An open file.
package protocol OpenFile: AnyObject, Sendable {
    /// Writes all bytes at an offset.
    func write(_ bytes: ArraySlice<UInt8>, at offset: Int64) throws(PersistenceError)
    /// Reads at most this many bytes at an offset; fewer only at the end.
    func read(_ count: Int, at offset: Int64) throws(PersistenceError) -> [UInt8]
    /// Lets the disk begin with bytes that were written, so that making them durable later waits for less of it.
    ///
    /// It promises nothing, and so reports nothing; few bytes are left to the sync that follows them.
    func beginWriting(_ byteCount: Int, at offset: Int64)
    /// Lets the disk read bytes ahead of calls that will ask for them in order; promises nothing.
    func beginReading(_ byteCount: Int64, at offset: Int64)
    /// Makes the bytes, and what is needed to find them, durable (`fdatasync`).
    func synchronize() throws(PersistenceError)
    /// Cuts or extends the file.
    func truncate(to byteCount: Int64) throws(PersistenceError)
    /// The file's length.
    func byteCount() throws(PersistenceError) -> Int64
    /// Makes an empty file the same as another one, without copying: both share their blocks until one of them is changed.
    ///
    /// - Returns: false, and nothing was done, where the file system cannot do that, or not for these two files.
    func clone(_ source: any OpenFile) throws(PersistenceError) -> Bool
    /// A descriptor of its own for another process, closed on exec; nil where the file has none.
    func duplicateDescriptor() throws(PersistenceError) -> Int32?
    /// Closes the file; later calls fail. Dropping the last reference closes it too, silently.
    func close() throws(PersistenceError)
}

extension OpenFile {
    /// Files that are simulated lie on no disk.
    package func beginWriting(_ byteCount: Int, at offset: Int64) {}

    /// Files that are simulated or sealed are read when they are asked for.
    package func beginReading(_ byteCount: Int64, at offset: Int64) {}

    /// Files that are simulated or sealed share nothing.
    package func clone(_ source: any OpenFile) throws(PersistenceError) -> Bool { false }

    /// Files that are simulated have no descriptor.
    package func duplicateDescriptor() throws(PersistenceError) -> Int32? { nil }
}

/// A held lock; it is released when it is dropped or when the process ends.
package protocol FileLock: AnyObject, Sendable {
    /// Releases the lock.
    func release()
}

/// What is at a path.
package struct FileStatus: Hashable, Sendable {
    /// Whether it is a directory.
    package let isDirectory: Bool
    /// Length in bytes; of no meaning for directories.
    package let byteCount: Int64
    /// Whether nobody may write.
    package let isReadOnly: Bool
    /// When the bytes were written, or the file was touched: nanoseconds since 1970; 0 where nobody keeps it.
    package let modifiedNanoseconds: Int64

    package init(isDirectory: Bool, byteCount: Int64, isReadOnly: Bool, modifiedNanoseconds: Int64 = 0) {
        self.isDirectory = isDirectory
        self.byteCount = byteCount
        self.isReadOnly = isReadOnly
        self.modifiedNanoseconds = modifiedNanoseconds
    }
}

extension FileSystem {
    /// Files lie where their paths say.
    package func place(of path: Path) throws(PersistenceError) -> Path { path }

    /// Makes a directory and those above it, each durable in its parent; what exists stays.
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

    /// Replaces a file as a whole: temporary file, sync, rename, sync of the directory.
    ///
    /// - Parameters:
    ///   - path: the file; a reader sees the old bytes or the new ones, also after a power cut.
    ///   - bytes: the new content.
    /// - Throws: what failed; the old content is there then.
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

    /// A small file's bytes; nil if it does not exist.
    ///
    /// - Parameters:
    ///   - path: the file.
    ///   - maximumByteCount: a longer one is refused as damaged.
    /// - Returns: all bytes.
    /// - Throws: what failed.
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

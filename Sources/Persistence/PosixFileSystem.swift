import CFileSystem
import Glibc
package import PhotoModel

/// The machine's own file system.
package struct PosixFileSystem: FileSystem {
    /// Bytes per page: whole pages may be written with direct I/O.
    package static let pageByteCount = DirectWriter.alignment

    private let direct: DirectWriter?

    /// The machine's file system.
    ///
    /// - Parameter writesPastCache: whether whole pages of long pieces are written with direct I/O, if the file system
    ///   supports it: for programs that write much and seldom read it soon.
    package init(writesPastCache: Bool = false) {
        direct = writesPastCache ? DirectWriter() : nil
    }

    /// The corresponding C function is `open`, with `O_CLOEXEC` and `O_NOFOLLOW`; opening a FIFO does not block.
    package func open(_ path: Path, _ mode: OpenMode) throws(PersistenceError) -> any OpenFile {
        let flags =
            switch mode {
            case .read: O_RDONLY | O_NONBLOCK
            case .update: O_RDWR | O_CREAT
            case .create: O_RDWR | O_CREAT | O_EXCL
            }
        return PosixFile(descriptor: try descriptor(path, flags), path: path, direct: direct)
    }

    /// The corresponding C function is `rename`.
    package func rename(_ source: Path, to destination: Path) throws(PersistenceError) {
        try check(unsafe Glibc.rename(source.systemBytes, destination.systemBytes), "rename", destination)
    }

    /// The corresponding C function is `link`.
    package func link(_ source: Path, to destination: Path) throws(PersistenceError) {
        try check(unsafe Glibc.link(source.systemBytes, destination.systemBytes), "link", destination)
    }

    /// The corresponding C function is `unlink`.
    package func unlink(_ path: Path) throws(PersistenceError) {
        try check(unsafe Glibc.unlink(path.systemBytes), "unlink", path)
    }

    /// The corresponding C function is `mkdir`.
    package func createDirectory(_ path: Path) throws(PersistenceError) {
        try check(unsafe mkdir(path.systemBytes, 0o750), "mkdir", path)
    }

    /// The corresponding C function is `rmdir`.
    package func removeDirectory(_ path: Path) throws(PersistenceError) {
        try check(unsafe rmdir(path.systemBytes), "rmdir", path)
    }

    /// The corresponding C function is `fsync`.
    package func synchronizeDirectory(_ path: Path) throws(PersistenceError) {
        let directory = PosixFile(descriptor: try descriptor(path, O_RDONLY | O_DIRECTORY), path: path)
        try directory.withDescriptor { descriptor throws(PersistenceError) in
            try check(fsync(descriptor), "fsync", path)
        }
    }

    /// The corresponding C function is `syncfs`, which reports failed writes since Linux 5.8.
    package func synchronizeAll(_ path: Path) throws(PersistenceError) {
        let directory = PosixFile(descriptor: try descriptor(path, O_RDONLY | O_DIRECTORY), path: path)
        try directory.withDescriptor { descriptor throws(PersistenceError) in
            try check(syncfs(descriptor), "syncfs", path)
        }
    }

    /// The corresponding C functions are `opendir` and `readdir`.
    package func list(_ path: Path) throws(PersistenceError) -> [String] {
        try fileNames(in: path).map(\.displayText).sorted()
    }

    /// The names in a directory, which need not be UTF-8, in no order and without `.` and `..`.
    package func fileNames(in path: Path) throws(PersistenceError) -> [FileName] {
        guard let directory = unsafe opendir(path.systemBytes) else {
            throw PersistenceError.systemCall(errno, "opendir", path)
        }
        defer { unsafe closedir(directory) }
        var names: [FileName] = []
        errno = 0
        while let entry = unsafe readdir(directory) {
            let bytes = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { unsafe Array($0.prefix { $0 != 0 }) }
            if let name = FileName(bytes: bytes) { names.append(name) }
            errno = 0
        }
        if errno != 0 { throw PersistenceError.systemCall(errno, "readdir", path) }
        return names
    }

    /// The corresponding C function is `lstat`: a symbolic link is not followed.
    package func status(_ path: Path) throws(PersistenceError) -> FileStatus? {
        var status = stat()
        let flags = Self.isHeldOpen(path) ? 0 : AT_SYMLINK_NOFOLLOW
        guard unsafe fstatat(AT_FDCWD, path.systemBytes, &status, flags) == 0 else {
            let number = errno
            if number == ENOENT || number == ENOTDIR { return nil }
            throw PersistenceError.systemCall(number, "lstat", path)
        }
        return FileStatus(
            isDirectory: status.st_mode & S_IFMT == S_IFDIR,
            byteCount: Int64(status.st_size),
            isReadOnly: status.st_mode & 0o222 == 0,
            modifiedNanoseconds: Self.nanoseconds(status.st_mtim)
        )
    }

    /// Nanoseconds since 1970; clamped, since they end in 2262 and file systems store later dates.
    private static func nanoseconds(_ time: timespec) -> Int64 {
        let (product, overflowed) = Int64(time.tv_sec).multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, overflowedToo) = product.addingReportingOverflow(Int64(time.tv_nsec))
        return overflowed || overflowedToo ? (time.tv_sec < 0 ? .min : .max) : sum
    }

    /// The corresponding C function is `chmod`.
    package func makeReadOnly(_ path: Path) throws(PersistenceError) {
        try check(unsafe chmod(path.systemBytes, 0o440), "chmod", path)
    }

    /// The corresponding C function is `chmod`: 0700 for directories, 0600 for files.
    package func makePrivate(_ path: Path) throws(PersistenceError) {
        let isDirectory = try status(path)?.isDirectory == true
        try check(unsafe chmod(path.systemBytes, isDirectory ? 0o700 : 0o600), "chmod", path)
    }

    /// The corresponding C function is `statvfs`.
    package func freeByteCount(_ path: Path) throws(PersistenceError) -> Int64 {
        var status = statvfs()
        try check(unsafe statvfs(path.systemBytes, &status), "statvfs", path)
        return Int64(clamping: UInt64(status.f_bavail).multipliedReportingOverflow(by: UInt64(status.f_frsize)).0)
    }

    /// The corresponding C function is `flock`, exclusive and without waiting.
    package func lock(_ path: Path) throws(PersistenceError) -> any FileLock {
        try locked(try descriptor(path, O_RDWR | O_CREAT), path)
    }

    /// The corresponding C function is `flock`, exclusive and without waiting.
    package func lockDirectory(_ path: Path) throws(PersistenceError) -> any FileLock {
        try locked(try descriptor(path, O_RDONLY | O_DIRECTORY), path)
    }

    private func locked(_ descriptor: Int32, _ path: Path) throws(PersistenceError) -> any FileLock {
        let file = PosixFile(descriptor: descriptor, path: path)
        try file.withDescriptor { descriptor throws(PersistenceError) in
            try check(flock(descriptor, LOCK_EX | LOCK_NB), "flock", path)
        }
        return PosixFileLock(file)
    }

    /// The corresponding C function is `utimensat`.
    package func touch(_ path: Path) throws(PersistenceError) {
        try check(unsafe utimensat(AT_FDCWD, path.systemBytes, nil, AT_SYMLINK_NOFOLLOW), "utimensat", path)
    }

    /// Whether a path goes through a descriptor that this process opened, where a link cannot redirect it; within a
    /// held folder a link still can.
    private static func isHeldOpen(_ path: Path) -> Bool {
        path.text.hasPrefix("/proc/self/fd/") && path.parent.text == "/proc/self/fd"
    }

    func descriptor(_ path: Path, _ flags: Int32) throws(PersistenceError) -> Int32 {
        let flags = flags | O_CLOEXEC | (Self.isHeldOpen(path) ? 0 : O_NOFOLLOW)
        while true {
            let descriptor = unsafe Glibc.open(path.systemBytes, flags, 0o640)
            if descriptor >= 0 { return descriptor }
            let number = errno
            if number != EINTR { throw PersistenceError.systemCall(number, "open", path) }
        }
    }

    private func check(_ result: Int32, _ operation: String, _ path: Path) throws(PersistenceError) {
        if result != 0 { throw PersistenceError.systemCall(errno, operation, path) }
    }
}

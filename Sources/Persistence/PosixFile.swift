import CFileSystem
import Glibc
import Synchronization

/// A file descriptor that is closed exactly once, even if several threads use it.
///
/// The mutex is held during each call, so that the number cannot be closed and reused meanwhile; it is only ever taken
/// on the blocking pool's threads.
final class PosixFile: OpenFile {
    /// Shorter writes are left to the following sync.
    private static let earlyWritingByteCount = 256 << 10

    private let descriptor: Mutex<Int32?>
    private let path: Path
    private let direct: DirectWriter?

    init(descriptor: Int32, path: Path, direct: DirectWriter? = nil) {
        self.descriptor = Mutex(descriptor)
        self.path = path
        self.direct = direct
    }

    deinit {
        descriptor.withLock { descriptor in
            if let descriptor { _ = Glibc.close(descriptor) }
        }
    }

    func withDescriptor<Value>(_ body: (Int32) throws(PersistenceError) -> Value) throws(PersistenceError) -> Value {
        try descriptor.withLock { descriptor throws(PersistenceError) in
            guard let descriptor else { throw PersistenceError.systemCall(EBADF, "use after close", path) }
            return try body(descriptor)
        }
    }

    func write(_ bytes: ArraySlice<UInt8>, at offset: Int64) throws(PersistenceError) {
        try withDescriptor { descriptor throws(PersistenceError) in
            var written = try direct?.write(bytes, at: offset, to: descriptor, of: path) ?? 0
            while written < bytes.count {
                let count = unsafe bytes.withUnsafeBytes { buffer in
                    let rest = unsafe UnsafeRawBufferPointer(rebasing: buffer[written...])
                    return unsafe pwrite(descriptor, rest.baseAddress, rest.count, off_t(offset) + off_t(written))
                }
                if count >= 0 {
                    written += count
                } else if errno != EINTR {
                    throw PersistenceError.systemCall(errno, "pwrite", path)
                }
            }
        }
    }

    func read(_ count: Int, at offset: Int64) throws(PersistenceError) -> [UInt8] {
        try withDescriptor { descriptor throws(PersistenceError) in
            var status = stat()
            guard unsafe fstat(descriptor, &status) == 0 else {
                throw PersistenceError.systemCall(errno, "fstat", path)
            }
            let wanted = Int(clamping: max(0, min(Int64(count), Int64(status.st_size) - offset)))
            var failure: Int32 = 0
            let bytes = unsafe [UInt8](unsafeUninitializedCapacity: wanted) { buffer, initialized in
                while initialized < wanted {
                    let rest = unsafe UnsafeMutableRawBufferPointer(
                        rebasing: UnsafeMutableRawBufferPointer(buffer)[initialized...]
                    )
                    let got = unsafe pread(descriptor, rest.baseAddress, rest.count, off_t(offset) + off_t(initialized))
                    if got > 0 {
                        initialized += got
                    } else if got == 0 {
                        break
                    } else if errno != EINTR {
                        failure = errno
                        break
                    }
                }
            }
            if failure != 0 { throw PersistenceError.systemCall(failure, "pread", path) }
            return bytes
        }
    }

    /// The corresponding C function is `sync_file_range`, with `SYNC_FILE_RANGE_WRITE`.
    func beginWriting(_ byteCount: Int, at offset: Int64) {
        guard byteCount >= Self.earlyWritingByteCount else { return }
        descriptor.withLock { descriptor in
            guard let descriptor else { return }
            _ = sync_file_range(descriptor, .init(offset), .init(byteCount), UInt32(tt_sync_file_range_write))
        }
    }

    /// The corresponding C function is `posix_fadvise`, with `POSIX_FADV_WILLNEED`.
    func beginReading(_ byteCount: Int64, at offset: Int64) {
        descriptor.withLock { descriptor in
            guard let descriptor else { return }
            _ = posix_fadvise(descriptor, off_t(offset), off_t(byteCount), POSIX_FADV_WILLNEED)
        }
    }

    func synchronize() throws(PersistenceError) {
        try withDescriptor { descriptor throws(PersistenceError) in
            if fdatasync(descriptor) != 0 { throw PersistenceError.systemCall(errno, "fdatasync", path) }
        }
    }

    func truncate(to byteCount: Int64) throws(PersistenceError) {
        try withDescriptor { descriptor throws(PersistenceError) in
            if ftruncate(descriptor, off_t(byteCount)) != 0 {
                throw PersistenceError.systemCall(errno, "ftruncate", path)
            }
        }
    }

    func byteCount() throws(PersistenceError) -> Int64 {
        try withDescriptor { descriptor throws(PersistenceError) in
            var status = stat()
            guard unsafe fstat(descriptor, &status) == 0 else {
                throw PersistenceError.systemCall(errno, "fstat", path)
            }
            return Int64(status.st_size)
        }
    }

    /// The corresponding C function is `ioctl`, with `FICLONE`.
    func clone(_ source: any OpenFile) throws(PersistenceError) -> Bool {
        guard let source = source as? PosixFile else { return false }
        return try source.withDescriptor { source throws(PersistenceError) in
            try withDescriptor { descriptor throws(PersistenceError) in
                if ioctl(descriptor, UInt(tt_clone_file), source) == 0 { return true }
                let number = errno
                // Blocks cannot be shared: an unsupported file system, different kinds of files, or too many owners.
                guard [EIO, ENOSPC, EDQUOT].contains(number) else { return false }
                throw PersistenceError.systemCall(number, "ioctl", path)
            }
        }
    }

    func duplicateDescriptor() throws(PersistenceError) -> Int32? {
        try withDescriptor { descriptor throws(PersistenceError) in
            let duplicate = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
            guard duplicate >= 0 else { throw PersistenceError.systemCall(errno, "fcntl", path) }
            return duplicate
        }
    }

    func close() throws(PersistenceError) {
        let descriptor = descriptor.withLock { descriptor in
            defer { descriptor = nil }
            return descriptor
        }
        // Linux has released the number even if close reports an error: a retry could close an unrelated file.
        if let descriptor, Glibc.close(descriptor) != 0, errno != EINTR {
            throw PersistenceError.systemCall(errno, "close", path)
        }
    }
}

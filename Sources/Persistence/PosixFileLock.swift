#if canImport(Glibc)
import Glibc
#endif

/// A lock of `flock(2)` that is given up by name.
///
/// Closing alone would not do: a child that is being started holds a copy of the descriptor until its `exec`, and with it
/// the lock.
final class PosixFileLock: FileLock {
    private let file: PosixFile

    init(_ file: PosixFile) { self.file = file }

    deinit { release() }

    func release() {
        try? file.withDescriptor { descriptor in _ = flock(descriptor, LOCK_UN) }
        try? file.close()
    }
}

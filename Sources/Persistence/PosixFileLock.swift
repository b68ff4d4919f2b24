import Glibc

/// A `flock(2)` lock that is released explicitly.
///
/// Closing is not enough: a child being started holds a copy of the descriptor until its `exec`, and with it the lock.
final class PosixFileLock: FileLock {
    private let file: PosixFile

    init(_ file: PosixFile) { self.file = file }

    deinit { release() }

    func release() {
        try? file.withDescriptor { descriptor in _ = flock(descriptor, LOCK_UN) }
        try? file.close()
    }
}

import Glibc
import Persistence

/// Lets other programs add captures while one has the store open, one at a time.
///
/// `intake.lock` is held while a secondary writer adds captures, and while the store is repaired, so neither sees the
/// other's partial work. What a crashed writer leaves behind is in the spool, which every opening of the store
/// examines.
struct SecondaryWriterLock: Sendable {
    /// Retries, 20 ms apart: half a minute, enough to write any capture.
    private static let attempts = 1500

    private let path: Path
    private let fileSystem: any FileSystem

    init(in root: Path, of fileSystem: any FileSystem) {
        path = root.appending("intake.lock")
        self.fileSystem = fileSystem
    }

    /// Blocks until the current writer is done.
    func lock() throws(PersistenceError) -> any FileLock {
        for _ in 1..<Self.attempts {
            do {
                return try fileSystem.lock(path)
            } catch  where error.code == .locked {
                usleep(20_000)
            }
        }
        return try fileSystem.lock(path)
    }
}

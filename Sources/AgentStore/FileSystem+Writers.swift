import Glibc
import Persistence

extension FileSystem {
    /// Lets other programs add captures while one has the store open, and files be imported, one at a time; blocks until
    /// the current writer is done, for half a minute at most, enough to write any capture.
    ///
    /// `intake.lock` is held while a secondary writer adds captures, while anybody adds imported files, and while the
    /// store is repaired, so none sees another's partial work. What a crashed writer leaves behind is in the spool, which
    /// every opening of the store examines.
    func lockWriters(of root: Path) throws(PersistenceError) -> any FileLock {
        let path = root.appending("intake.lock")
        for _ in 1..<1500 {
            do {
                return try lock(path)
            } catch  where error.code == .locked {
                usleep(20_000)
            }
        }
        return try lock(path)
    }
}

import Glibc
import Persistence

/// Lets other programs add captures while one has the store open, one at a time.
///
/// `intake.lock` is held while a secondary writer writes, and while the store is repaired. `intake` exists from before
/// a writer's first file until its capture is complete: if the writer dies in between, the next open examines
/// everything.
struct SecondaryWriterLock: Sendable {
    /// Retries every 20 ms: half a minute, enough to write any capture.
    private static let attempts = 1500

    private let root: Path
    private let fileSystem: any FileSystem

    init(in root: Path, of fileSystem: any FileSystem) {
        self.root = root
        self.fileSystem = fileSystem
    }

    /// Whether a secondary writer was interrupted.
    var isInterrupted: Bool { get throws(PersistenceError) { try fileSystem.status(mark) != nil } }

    /// Records that the repair is done, and nothing of an interrupted writer is left.
    func clear() throws(PersistenceError) {
        if try isInterrupted { try fileSystem.unlink(mark) }
    }

    /// Locks out secondary writers to change folders; blocks until the current one is done.
    func lock() throws(PersistenceError) -> any FileLock {
        for _ in 1..<Self.attempts {
            do {
                return try fileSystem.lock(root.appending("intake.lock"))
            } catch  where error.code == .locked {
                usleep(20_000)
            }
        }
        return try fileSystem.lock(root.appending("intake.lock"))
    }

    /// Records that a secondary writer starts.
    func begin() throws(PersistenceError) {
        try fileSystem.open(mark, .update).close()
        try fileSystem.synchronizeDirectory(root)
    }

    private var mark: Path { root.appending("intake") }
}

extension AgentStore {
    /// Changes folders as a secondary writer: exclusively, and so that an interruption is detected.
    func asGuest(_ body: () throws -> Void) throws {
        let lock = try Self.stored { () throws(Persistence.PersistenceError) in try intake.lock() }
        defer { lock.release() }
        try Self.stored { () throws(Persistence.PersistenceError) in try intake.begin() }
        try body()
        try Self.stored { () throws(Persistence.PersistenceError) in try intake.clear() }
    }

    /// Converts a file error to a store error.
    static func stored<Value>(
        _ call: () throws(Persistence.PersistenceError) -> Value
    ) throws(AgentStoreError) -> Value {
        do {
            return try call()
        } catch {
            throw AgentStoreError(error)
        }
    }
}

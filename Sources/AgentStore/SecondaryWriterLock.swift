import Glibc
import Persistence

/// Lets programs beside the one that has the store open take captures in, one at a time.
///
/// `intake.lock` is held while a guest writes, and while the store is repaired. `intake` is there from before a guest's first
/// file until its capture is whole: should the guest end in between, the next opening looks at everything.
struct SecondaryWriterLock: Sendable {
    /// Waits of 20 ms: half a minute, in which any capture is written.
    private static let attempts = 1500

    private let root: Path
    private let fileSystem: any FileSystem

    init(in root: Path, of fileSystem: any FileSystem) {
        self.root = root
        self.fileSystem = fileSystem
    }

    /// Whether a guest did not come to its end.
    var isInterrupted: Bool { get throws(PersistenceError) { try fileSystem.status(mark) != nil } }

    /// The repair is done: nothing of an interrupted guest is left.
    func clear() throws(PersistenceError) {
        if try isInterrupted { try fileSystem.unlink(mark) }
    }

    /// The right to change folders, against guests; blocks until the one that has it is done.
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

    /// A guest begins to write.
    func begin() throws(PersistenceError) {
        try fileSystem.open(mark, .update).close()
        try fileSystem.synchronizeDirectory(root)
    }

    private var mark: Path { root.appending("intake") }
}

extension AgentStore {
    /// Changes folders as a guest may: alone among guests, and so that an interruption is found.
    func asGuest(_ body: () throws -> Void) throws {
        let lock = try Self.stored { () throws(Persistence.PersistenceError) in try intake.lock() }
        defer { lock.release() }
        try Self.stored { () throws(Persistence.PersistenceError) in try intake.begin() }
        try body()
        try Self.stored { () throws(Persistence.PersistenceError) in try intake.clear() }
    }

    /// Makes an error of the store of one of its files'.
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

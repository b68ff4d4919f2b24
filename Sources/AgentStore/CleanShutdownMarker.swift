import Persistence
import Synchronization

/// Says that folders and rows belong together, so that opening the store need not look through all of them.
///
/// The file `settled` is there only while nobody takes captures in or lets bytes go: it is removed, durably, before the first
/// such change, and comes back once everything is in order. After an interruption it is missing, and the next opening looks
/// at everything. It may be missing at any time without harm.
final class CleanShutdownMarker: Sendable {
    private let path: Path
    private let fileSystem: any FileSystem
    /// Whether this process knows that the file is gone.
    private let isGone = Mutex(false)

    init(in root: Path, of fileSystem: any FileSystem) {
        path = root.appending("settled")
        self.fileSystem = fileSystem
    }

    var isThere: Bool { get throws(PersistenceError) { try fileSystem.status(path) != nil } }

    /// Everything is in order.
    func set() throws(PersistenceError) {
        guard try !isThere else { return }
        try fileSystem.open(path, .update).close()
        isGone.withLock { $0 = false }
    }

    /// Something is about to change.
    func remove() throws(PersistenceError) {
        guard isGone.withLock({ !$0 }) else { return }
        if try isThere {
            try fileSystem.unlink(path)
            try fileSystem.synchronizeDirectory(path.parent)
        }
        isGone.withLock { $0 = true }
    }
}

extension AgentStore {
    /// Notes that everything is in order, so that the next opening is quick; only while nothing is being taken in or let go.
    ///
    /// - Throws: `storage`.
    package func settle() throws {
        guard !isGuest else { return }
        try Self.stored { () throws(Persistence.PersistenceError) in
            // What an interrupted guest left has to be looked at.
            if try !intake.isInterrupted { try settled.set() }
        }
    }

    /// Notes that folders are about to change.
    func unsettle() throws {
        try Self.stored { () throws(Persistence.PersistenceError) in try settled.remove() }
    }
}

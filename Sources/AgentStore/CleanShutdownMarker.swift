import Persistence

/// A marker that folders and rows are consistent, so that opening the store need not examine them all.
///
/// The file `settled` exists only while nobody adds captures or frees bytes: it is removed, durably, before the first
/// such change, and restored once everything is consistent. After an interruption it is missing, and the next open
/// examines everything. It may be missing at any time without harm.
final class CleanShutdownMarker: Sendable {
    private let path: Path
    private let fileSystem: any FileSystem

    init(in root: Path, of fileSystem: any FileSystem) {
        path = root.appending("settled")
        self.fileSystem = fileSystem
    }

    var isThere: Bool { get throws(PersistenceError) { try fileSystem.status(path) != nil } }

    /// Records that everything is consistent.
    func set() throws(PersistenceError) {
        guard try !isThere else { return }
        try fileSystem.open(path, .update).close()
    }

    /// Records that something is about to change.
    func remove() throws(PersistenceError) {
        // Checked each time: the service may have set it again since, while an import runs beside it.
        guard try isThere else { return }
        try fileSystem.unlink(path)
        try fileSystem.synchronizeDirectory(path.parent)
    }
}

extension AgentStore {
    /// Records that everything is consistent, so that the next open is fast; call it only while nothing is added or
    /// freed.
    ///
    /// - Throws: `storage`.
    package func settle() throws {
        guard !isGuest else { return }
        try Self.stored { () throws(Persistence.PersistenceError) in try settled.set() }
    }

    /// Records that folders are about to change.
    func unsettle() throws {
        try Self.stored { () throws(Persistence.PersistenceError) in try settled.remove() }
    }
}

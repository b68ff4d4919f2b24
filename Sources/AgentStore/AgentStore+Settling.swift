import Persistence

// A marker that folders and rows are consistent, so that opening the store need not examine them all.
//
// The file `settled` exists only while nobody adds captures or frees bytes: it is removed, durably, before the first
// such change, and restored once everything is consistent. After an interruption it is missing, and the next open
// examines everything. It may be missing at any time without harm.

extension AgentStore {
    /// The marker's place in a store.
    static func settledMarker(in root: Path) -> Path { root.appending("settled") }

    /// Records that everything is consistent, unless something could not be repaired, so that the next open is fast; call
    /// it only while nothing is added or freed.
    ///
    /// - Throws: `storage`.
    package func settle() throws {
        guard !isGuest, recovery.failed.isEmpty else { return }
        let marker = Self.settledMarker(in: root)
        try Self.stored { () throws(Persistence.PersistenceError) -> Void in
            if try fileSystem.status(marker) == nil { try fileSystem.open(marker, .update).close() }
        }
    }

    /// Records that folders are about to change.
    func unsettle() throws {
        let marker = Self.settledMarker(in: root)
        try Self.stored { () throws(Persistence.PersistenceError) -> Void in
            // Checked each time: the service may have set it again since, while an import runs beside it.
            guard try fileSystem.status(marker) != nil else { return }
            try fileSystem.unlink(marker)
            try fileSystem.synchronizeDirectory(root)
        }
    }
}

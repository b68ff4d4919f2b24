import GRDB
import Persistence

extension AgentStore {
    /// Erases everything captured, received or remembered; the empty store stays open.
    ///
    /// - Throws: `storage`; call it again to continue.
    package func erase() throws {
        try unsettle()
        for folder in [spool, root.appending("originals"), root.appending("capturing"), root.appending("cache")] {
            try removeContents(of: folder)
        }
        try database.write { database in
            for table in ["imports", "entries", "replica_changes", "replica_entities", "replica_log", "facts"] {
                try database.execute(sql: "DELETE FROM \(table)")
            }
        }
        // Deleted data is overwritten: the remaining pages hold none of it.
        try database.writeWithoutTransaction { database in
            try database.execute(sql: "VACUUM")
            try database.checkpoint(.truncate)
        }
    }

    private func removeContents(of folder: Path) throws {
        guard try fileSystem.status(folder) != nil else { return }
        for name in try fileSystem.list(folder) {
            let path = folder.appending(name)
            if try fileSystem.status(path)?.isDirectory == true {
                try removeContents(of: path)
                try fileSystem.removeDirectory(path)
            } else {
                try fileSystem.unlink(path)
            }
        }
    }
}

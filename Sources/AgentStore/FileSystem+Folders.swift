package import Persistence

extension FileSystem {
    /// Removes a folder with its files, if it exists; it must have no subfolders.
    package func removeTree(_ folder: Path) throws(PersistenceError) {
        guard let status = try status(folder) else { return }
        guard status.isDirectory else { return try unlink(folder) }
        for name in try list(folder) { try unlink(folder.appending(name)) }
        try removeDirectory(folder)
    }
}

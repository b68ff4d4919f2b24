import Persistence

extension FileSystem {
    /// Gives a folder its final name: its names durable, renamed, both parents durable.
    func moveIntoPlace(_ folder: Path, _ destination: Path) throws(PersistenceError) {
        try synchronizeDirectory(folder)
        try rename(folder, to: destination)
        try synchronizeDirectory(destination.parent)
        try synchronizeDirectory(folder.parent)
    }

    /// Removes a folder with its files, or nothing when there is none; folders in it are the caller's mistake.
    func removeTree(_ folder: Path) throws(PersistenceError) {
        guard let status = try status(folder) else { return }
        guard status.isDirectory else { return try unlink(folder) }
        for name in try list(folder) { try unlink(folder.appending(name)) }
        try removeDirectory(folder)
    }
}

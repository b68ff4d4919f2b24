import Persistence

extension FileSystem {
    /// Gives a folder its final name: makes its entries durable, renames it, makes both parents durable.
    func moveIntoPlace(_ folder: Path, _ destination: Path) throws(PersistenceError) {
        try synchronizeDirectory(folder)
        try rename(folder, to: destination)
        try synchronizeDirectory(destination.parent)
        try synchronizeDirectory(folder.parent)
    }

    /// Removes a folder with its files, if it exists; subfolders are a programming error.
    func removeTree(_ folder: Path) throws(PersistenceError) {
        guard let status = try status(folder) else { return }
        guard status.isDirectory else { return try unlink(folder) }
        for name in try list(folder) { try unlink(folder.appending(name)) }
        try removeDirectory(folder)
    }
}

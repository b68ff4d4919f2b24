/// A file system on top of another one, which does what the upper one does not do itself.
package protocol LayeredFileSystem: FileSystem {
    /// The file system below.
    var base: any FileSystem { get }
}

extension LayeredFileSystem {
    /// Renames a file below.
    package func rename(_ source: Path, to destination: Path) throws(PersistenceError) {
        try base.rename(source, to: destination)
    }

    /// Links a file below.
    package func link(_ source: Path, to destination: Path) throws(PersistenceError) {
        try base.link(source, to: destination)
    }

    /// Removes a file below.
    package func unlink(_ path: Path) throws(PersistenceError) { try base.unlink(path) }
    /// Touches a file below.
    package func touch(_ path: Path) throws(PersistenceError) { try base.touch(path) }
    /// Makes a folder below.
    package func createDirectory(_ path: Path) throws(PersistenceError) { try base.createDirectory(path) }
    /// Removes a folder below.
    package func removeDirectory(_ path: Path) throws(PersistenceError) { try base.removeDirectory(path) }
    /// Makes the names in a folder below durable.
    package func synchronizeDirectory(_ path: Path) throws(PersistenceError) { try base.synchronizeDirectory(path) }
    /// Makes everything durable that was written below.
    package func synchronizeAll(_ path: Path) throws(PersistenceError) { try base.synchronizeAll(path) }
    /// Lists a folder below.
    package func list(_ path: Path) throws(PersistenceError) -> [String] { try base.list(path) }
    /// Makes a file below read-only.
    package func makeReadOnly(_ path: Path) throws(PersistenceError) { try base.makeReadOnly(path) }
    /// Makes a file below private.
    package func makePrivate(_ path: Path) throws(PersistenceError) { try base.makePrivate(path) }
    /// Tells the free space below.
    package func freeByteCount(_ path: Path) throws(PersistenceError) -> Int64 { try base.freeByteCount(path) }
    /// Where the file system below stores a file.
    package func place(of path: Path) throws(PersistenceError) -> Path { try base.place(of: path) }
    /// Locks a file below.
    package func lock(_ path: Path) throws(PersistenceError) -> any FileLock { try base.lock(path) }
    /// Locks a folder below.
    package func lockDirectory(_ path: Path) throws(PersistenceError) -> any FileLock { try base.lockDirectory(path) }
}

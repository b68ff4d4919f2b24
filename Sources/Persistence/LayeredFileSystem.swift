/// A file system on top of another one, which does what the upper one does not do itself.
package protocol LayeredFileSystem: FileSystem {
    /// The file system below.
    var base: any FileSystem { get }
}

extension LayeredFileSystem {
    package func rename(_ source: Path, to destination: Path) throws(PersistenceError) {
        try base.rename(source, to: destination)
    }

    package func link(_ source: Path, to destination: Path) throws(PersistenceError) {
        try base.link(source, to: destination)
    }

    package func unlink(_ path: Path) throws(PersistenceError) { try base.unlink(path) }
    package func touch(_ path: Path) throws(PersistenceError) { try base.touch(path) }
    package func createDirectory(_ path: Path) throws(PersistenceError) { try base.createDirectory(path) }
    package func removeDirectory(_ path: Path) throws(PersistenceError) { try base.removeDirectory(path) }
    package func synchronizeDirectory(_ path: Path) throws(PersistenceError) { try base.synchronizeDirectory(path) }
    package func synchronizeAll(_ path: Path) throws(PersistenceError) { try base.synchronizeAll(path) }
    package func list(_ path: Path) throws(PersistenceError) -> [String] { try base.list(path) }
    package func makeReadOnly(_ path: Path) throws(PersistenceError) { try base.makeReadOnly(path) }
    package func makePrivate(_ path: Path) throws(PersistenceError) { try base.makePrivate(path) }
    package func freeByteCount(_ path: Path) throws(PersistenceError) -> Int64 { try base.freeByteCount(path) }
    package func place(of path: Path) throws(PersistenceError) -> Path { try base.place(of: path) }
    package func lock(_ path: Path) throws(PersistenceError) -> any FileLock { try base.lock(path) }
    package func lockDirectory(_ path: Path) throws(PersistenceError) -> any FileLock { try base.lockDirectory(path) }
}

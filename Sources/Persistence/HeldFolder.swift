import Glibc

/// A folder held open: names are looked up in it even if it, or a folder above it, is replaced by a link.
///
/// Each subfolder is opened by name within the one above it, so no link on the way is followed.
package final class HeldFolder: Sendable {
    private let descriptor: Int32
    private let displayPath: Path
    private let fileSystem = PosixFileSystem()

    /// Opens a folder chosen by the user, which may be a link.
    package convenience init(_ path: Path) throws(PersistenceError) {
        try self.init(Path(path.text + "/."), displayPath: path)
    }

    /// The corresponding C function is `open`, with `O_DIRECTORY` and `O_NOFOLLOW`.
    private init(_ path: Path, displayPath: Path) throws(PersistenceError) {
        self.displayPath = displayPath
        descriptor = try PosixFileSystem().descriptor(path, O_RDONLY | O_DIRECTORY)
    }

    deinit { close(descriptor) }

    /// Opens a subfolder; a missing one is created durably if `isMade`, and nil otherwise.
    ///
    /// - Throws: `exists` if a link or a file has the name.
    package func subfolder(_ name: String, isMade: Bool = false) throws -> HeldFolder? {
        try within { folder in
            let (path, displayPath) = (folder.appending(name), displayPath.appending(name))
            do throws(PersistenceError) {
                return try HeldFolder(path, displayPath: displayPath)
            } catch  where error.code == .notFound {
                // The system returns the same error for a link and a file.
                guard try fileSystem.status(path) == nil else {
                    throw PersistenceError(.exists, "open", path.text, "it is a link or a file, not a folder")
                }
            }
            guard isMade else { return nil }
            try fileSystem.createDirectory(path)
            try fileSystem.synchronizeDirectory(folder)
            return try HeldFolder(path, displayPath: displayPath)
        }
    }

    /// Passes a path that reaches this folder through its descriptor, valid only during the call, with at most one name
    /// appended; errors of the file system name the folder's own path.
    package func within<Value>(_ body: (Path) throws -> Value) throws -> Value {
        let path = Path("/proc/self/fd/\(descriptor)")
        do {
            return try withExtendedLifetime(self) { try body(path) }
        } catch let error as PersistenceError where error.object.hasPrefix(path.text) {
            let object = displayPath.text + error.object.dropFirst(path.text.count)
            throw PersistenceError(error.code, error.operation, object, error.message)
        }
    }
}

import Crypto

/// A file system in which the files below some folders are sealed on the disk (`SealedFormat`), and look as if they were not.
///
/// The file of a path is kept as `path.sealed`. What lies there unsealed, from before, stays as it is and can be read. Names,
/// lengths and times are not hidden.
package struct SealedFileSystem: FileSystem {
    /// The end of a sealed file's name.
    private static let ending = ".sealed"

    private let base: any FileSystem
    private let folders: [Path]
    private let key: SymmetricKey
    private let sealsNew: Bool

    /// A file system over another one.
    ///
    /// - Parameters:
    ///   - base: where the files are.
    ///   - folders: below which new files are sealed.
    ///   - key: 32 bytes that nobody else knows.
    ///   - sealsNew: whether new files are sealed; otherwise the ones that are can still be read.
    package init(_ base: any FileSystem, below folders: [Path], key: [UInt8], sealsNew: Bool = true) {
        self.base = base
        self.folders = folders
        self.key = SymmetricKey(data: key)
        self.sealsNew = sealsNew
    }

    /// Opens a file; one that is made here is sealed.
    package func open(_ path: Path, _ mode: OpenMode) throws(PersistenceError) -> any OpenFile {
        guard isInside(path) else { return try base.open(path, mode) }
        let sealed = Self.sealed(path)
        switch mode {
        case .read:
            guard try base.status(sealed) != nil else { return try base.open(path, .read) }
            return try SealedReader(try base.open(sealed, .read), path, key: key)
        case .create:
            guard sealsNew else { return try base.open(path, .create) }
            guard try base.status(path) == nil else {
                throw PersistenceError(.exists, "open", path.text, "it exists already")
            }
            return try SealedWriter(try base.open(sealed, .create), path, key: key)
        case .update:
            throw PersistenceError(.notPermitted, "open", path.text, "a sealed file is written once")
        }
    }

    /// Renames what is at a path; a file that would stay plain below the folders is refused: copy the bytes.
    package func rename(_ source: Path, to destination: Path) throws(PersistenceError) {
        guard try isSealed(source) else {
            if sealsNew, isInside(destination), try base.status(source)?.isDirectory == false {
                throw PersistenceError(.notPermitted, "rename", source.text, "a plain file is sealed first")
            }
            return try base.rename(source, to: destination)
        }
        guard isInside(destination) else {
            throw PersistenceError(.notPermitted, "rename", source.text, "a sealed file stays where it is sealed")
        }
        try base.rename(Self.sealed(source), to: Self.sealed(destination))
        if try base.status(destination).map({ !$0.isDirectory }) ?? false { try base.unlink(destination) }
    }

    /// A second name that would leave a file unsealed below the folders, or sealed outside, is refused: copy the bytes.
    package func link(_ source: Path, to destination: Path) throws(PersistenceError) {
        let isSealed = try isSealed(source)
        guard isSealed == (isInside(destination) && (sealsNew || isSealed)) else {
            throw PersistenceError(.notPermitted, "link", destination.text, "sealed files stay where they are sealed")
        }
        guard isSealed else { return try base.link(source, to: destination) }
        guard try base.status(destination) == nil else {
            throw PersistenceError(.exists, "link", destination.text, "it exists already")
        }
        try base.link(Self.sealed(source), to: Self.sealed(destination))
    }

    /// Removes a file, sealed or not.
    package func unlink(_ path: Path) throws(PersistenceError) {
        try base.unlink(try isSealed(path) ? Self.sealed(path) : path)
    }

    /// Notes that a file is used now.
    package func touch(_ path: Path) throws(PersistenceError) {
        try base.touch(try isSealed(path) ? Self.sealed(path) : path)
    }

    /// Makes a directory.
    package func createDirectory(_ path: Path) throws(PersistenceError) { try base.createDirectory(path) }

    /// Removes an empty directory.
    package func removeDirectory(_ path: Path) throws(PersistenceError) { try base.removeDirectory(path) }

    /// Makes the names in a directory durable.
    package func synchronizeDirectory(_ path: Path) throws(PersistenceError) { try base.synchronizeDirectory(path) }

    /// Makes everything durable.
    package func synchronizeAll(_ path: Path) throws(PersistenceError) { try base.synchronizeAll(path) }

    /// The names in a directory, as they are called for who has the key.
    package func list(_ path: Path) throws(PersistenceError) -> [String] {
        let names = try base.list(path)
        guard folders.contains(path) || isInside(path) else { return names }
        return names.map { $0.hasSuffix(Self.ending) ? String($0.dropLast(Self.ending.count)) : $0 }.sorted()
    }

    /// What is at a path; the length is the plain one.
    package func status(_ path: Path) throws(PersistenceError) -> FileStatus? {
        guard isInside(path), let status = try base.status(Self.sealed(path)) else { return try base.status(path) }
        return FileStatus(
            isDirectory: status.isDirectory,
            // One that was cut off has no plain length; reading it says so.
            byteCount: SealedFormat.plainByteCount(ofSealed: status.byteCount) ?? -1,
            isReadOnly: status.isReadOnly,
            modifiedNanoseconds: status.modifiedNanoseconds
        )
    }

    /// Takes away the permission to write.
    package func makeReadOnly(_ path: Path) throws(PersistenceError) { try base.makeReadOnly(try place(of: path)) }

    /// Takes every permission from everybody but the owner.
    package func makePrivate(_ path: Path) throws(PersistenceError) { try base.makePrivate(try place(of: path)) }

    /// Bytes that can still be written.
    package func freeByteCount(_ path: Path) throws(PersistenceError) -> Int64 { try base.freeByteCount(path) }

    /// Takes a lock.
    package func lock(_ path: Path) throws(PersistenceError) -> any FileLock { try base.lock(path) }

    /// Takes a directory's lock.
    package func lockDirectory(_ path: Path) throws(PersistenceError) -> any FileLock { try base.lockDirectory(path) }

    /// The encrypted file on the disk.
    package func place(of path: Path) throws(PersistenceError) -> Path {
        try isSealed(path) ? Self.sealed(path) : path
    }

    private func isSealed(_ path: Path) throws(PersistenceError) -> Bool {
        guard isInside(path) else { return false }
        return try base.status(Self.sealed(path)) != nil
    }

    private func isInside(_ path: Path) -> Bool {
        folders.contains { path.text.hasPrefix($0.text + "/") }
    }

    private static func sealed(_ path: Path) -> Path { path.parent.appending(path.name + ending) }
}

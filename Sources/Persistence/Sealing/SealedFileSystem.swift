import Crypto

/// A file system that transparently seals the files below some folders (`SealedFormat`).
///
/// A path's file is stored as `path.sealed`. Existing plaintext files stay as they are and remain readable. Names,
/// lengths and times are not hidden.
package struct SealedFileSystem: LayeredFileSystem {
    /// The suffix of a sealed file's name.
    private static let ending = ".sealed"

    /// The file system below.
    package let base: any FileSystem
    private let folders: [Path]
    private let key: SymmetricKey
    private let sealsNew: Bool

    /// Creates the file system on top of another one; with `sealsNew`, new files below the folders are sealed with the
    /// 32 secret bytes, and sealed files are readable either way.
    package init(_ base: any FileSystem, below folders: [Path], key: [UInt8], sealsNew: Bool = true) {
        self.base = base
        self.folders = folders
        self.key = SymmetricKey(data: key)
        self.sealsNew = sealsNew
    }

    /// Opens a file; a new one is sealed.
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
                throw PersistenceError(.exists, "open", path.text, "it already exists")
            }
            return try SealedWriter(try base.open(sealed, .create), path, key: key)
        case .update:
            throw PersistenceError(.notPermitted, "open", path.text, "a sealed file can only be written once")
        }
    }

    /// Renames a file or directory; refuses to move a plaintext file below the folders, which must be copied instead.
    package func rename(_ source: Path, to destination: Path) throws(PersistenceError) {
        guard try isSealed(source) else {
            if sealsNew, isInside(destination), try base.status(source)?.isDirectory == false {
                throw PersistenceError(.notPermitted, "rename", source.text, "a plaintext file must be sealed first")
            }
            return try base.rename(source, to: destination)
        }
        guard isInside(destination) else {
            throw PersistenceError(.notPermitted, "rename", source.text, "a sealed file cannot leave its folders")
        }
        try base.rename(Self.sealed(source), to: Self.sealed(destination))
        if try base.status(destination).map({ !$0.isDirectory }) ?? false { try base.unlink(destination) }
    }

    /// Links a file; refuses a link that would leave a plaintext file below the folders, or a sealed one outside: copy
    /// the bytes instead.
    package func link(_ source: Path, to destination: Path) throws(PersistenceError) {
        let isSealed = try isSealed(source)
        guard isSealed == (isInside(destination) && (sealsNew || isSealed)) else {
            throw PersistenceError(.notPermitted, "link", destination.text, "a sealed file cannot leave its folders")
        }
        guard isSealed else { return try base.link(source, to: destination) }
        guard try base.status(destination) == nil else {
            throw PersistenceError(.exists, "link", destination.text, "it already exists")
        }
        try base.link(Self.sealed(source), to: Self.sealed(destination))
    }

    /// Removes a file, sealed or not.
    package func unlink(_ path: Path) throws(PersistenceError) {
        try base.unlink(try isSealed(path) ? Self.sealed(path) : path)
    }

    /// Sets a file's modification time to now.
    package func touch(_ path: Path) throws(PersistenceError) {
        try base.touch(try isSealed(path) ? Self.sealed(path) : path)
    }

    /// The names in a directory, without the suffix of sealed files.
    package func list(_ path: Path) throws(PersistenceError) -> [String] {
        let names = try base.list(path)
        guard folders.contains(path) || isInside(path) else { return names }
        return names.map { $0.hasSuffix(Self.ending) ? String($0.dropLast(Self.ending.count)) : $0 }.sorted()
    }

    /// The status of a path, with the plaintext length.
    package func status(_ path: Path) throws(PersistenceError) -> FileStatus? {
        guard isInside(path), let status = try base.status(Self.sealed(path)) else { return try base.status(path) }
        return FileStatus(
            isDirectory: status.isDirectory,
            // A truncated one has no plaintext length; reading it throws.
            byteCount: SealedFormat.plainByteCount(ofSealed: status.byteCount) ?? -1,
            isReadOnly: status.isReadOnly,
            modifiedNanoseconds: status.modifiedNanoseconds
        )
    }

    /// Removes write permission.
    package func makeReadOnly(_ path: Path) throws(PersistenceError) { try base.makeReadOnly(try place(of: path)) }

    /// Removes every permission except the owner's.
    package func makePrivate(_ path: Path) throws(PersistenceError) { try base.makePrivate(try place(of: path)) }

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

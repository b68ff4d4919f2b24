package import Persistence
package import PhotoModel

/// Bytes that were fetched from the library, below a limit; all of it can be lost without loss.
///
/// A file is named `<asset id>-<what it is>`; the oldest ones go first, and those of assets that leave the view at once.
package struct MediaCache: Sendable {
    /// The folder.
    package let folder: Path
    private let fileSystem: any FileSystem

    init(_ folder: Path, in fileSystem: any FileSystem) {
        self.folder = folder
        self.fileSystem = fileSystem
    }

    /// The file of a part of an asset; nil when it is not here.
    package func file(_ part: String, of asset: AssetID) throws -> Path? {
        let path = folder.appending("\(asset)-\(part)")
        return try fileSystem.status(path) == nil ? nil : path
    }

    /// Takes over a file that was fetched; one that is there already stays.
    ///
    /// - Parameters:
    ///   - fetched: the file, on the same file system; it is gone afterwards.
    ///   - part: what it is.
    ///   - asset: of which asset.
    ///   - limit: bytes of the cache; older files go to make room.
    /// - Returns: where it is now.
    /// - Throws: `PersistenceError`.
    package func take(_ fetched: Path, as part: String, of asset: AssetID, limit: Int64) throws -> Path {
        let path = folder.appending("\(asset)-\(part)")
        try fileSystem.rename(fetched, to: path)
        try trim(to: limit, keeping: path)
        return path
    }

    /// Drops what is kept of assets.
    package func drop(_ assets: Set<AssetID>) throws {
        guard !assets.isEmpty, try fileSystem.status(folder) != nil else { return }
        let prefixes = Set(assets.map(\.description))
        for name in try fileSystem.list(folder) where prefixes.contains(String(name.prefix(36))) {
            try fileSystem.unlink(folder.appending(name))
        }
    }

    /// Files by age are files by name here: an asset's identifier begins with its time, and what is newer is wanted more.
    private func trim(to limit: Int64, keeping kept: Path) throws {
        var files: [(path: Path, byteCount: Int64)] = []
        for name in try fileSystem.list(folder).sorted() {
            let path = folder.appending(name)
            if let status = try fileSystem.status(path) { files.append((path, status.byteCount)) }
        }
        var total = files.reduce(0) { $0 + $1.byteCount }
        for file in files where total > limit && file.path != kept {
            try fileSystem.unlink(file.path)
            total -= file.byteCount
        }
    }
}

extension AgentStore {
    /// Bytes that were fetched from the library.
    package var cache: MediaCache { MediaCache(root.appending("cache"), in: fileSystem) }
}

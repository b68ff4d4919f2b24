package import Persistence
package import PhotoModel

/// Bytes that were fetched from the library, below a limit; all of it can be lost without loss.
///
/// A file is named `<asset id>-<what it is>`; what was not used for longest goes first, and what belongs to assets
/// that leave the view at once.
package struct MediaCache: Sendable {
    /// The folder.
    package let folder: Path
    private let fileSystem: any FileSystem

    init(_ folder: Path, in fileSystem: any FileSystem) {
        self.folder = folder
        self.fileSystem = fileSystem
    }

    /// The file of a part of an asset, which counts as used now; nil when it is not here.
    package func file(_ part: String, of asset: AssetID) throws -> Path? {
        let path = folder.appending("\(asset)-\(part)")
        guard try fileSystem.status(path) != nil else { return nil }
        try fileSystem.touch(path)
        return path
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

    private func trim(to limit: Int64, keeping kept: Path) throws {
        var files: [(path: Path, status: FileStatus)] = []
        for name in try fileSystem.list(folder) {
            let path = folder.appending(name)
            if let status = try fileSystem.status(path) { files.append((path, status)) }
        }
        files.sort { ($0.status.modifiedNanoseconds, $0.path) < ($1.status.modifiedNanoseconds, $1.path) }
        var total = files.reduce(0) { $0 + $1.status.byteCount }
        for file in files where total > limit && file.path != kept {
            try fileSystem.unlink(file.path)
            total -= file.status.byteCount
        }
    }
}

extension AgentStore {
    /// Bytes that were fetched from the library.
    package var cache: MediaCache { MediaCache(root.appending("cache"), in: fileSystem) }
}

package import Persistence
package import PhotoModel

/// A size-limited cache of bytes fetched from the library; all of it is expendable.
///
/// A file is named `<asset id>-<part>`; the least recently used go first, and those of assets that leave the view go at
/// once. Other names are downloads in progress, or left by a crash.
package struct MediaCache: Sendable {
    /// How long a download may pause, in nanoseconds; older ones were left by a crash.
    private static let leftoverAge: Int64 = 86_400_000_000_000

    /// The folder.
    package let folder: Path
    let fileSystem: any FileSystem

    /// The file of an asset's part, marked as just used; nil if not cached.
    package func file(_ part: String, of asset: AssetID) throws -> Path? {
        let path = folder.appending("\(asset)-\(part)")
        guard try fileSystem.status(path) != nil else { return nil }
        do throws(PersistenceError) {
            try fileSystem.touch(path)
        } catch {
            // Evicted just now, to make room for captures.
            guard error.code == .notFound else { throw error }
            return nil
        }
        return path
    }

    /// Takes over a fetched file of the same file system by moving it, and evicts older files to keep the cache within
    /// the limit in bytes; an existing one is kept.
    ///
    /// - Throws: `PersistenceError`.
    package func take(_ fetched: Path, as part: String, of asset: AssetID, limit: Int64) throws -> Path {
        let path = folder.appending("\(asset)-\(part)")
        try fileSystem.rename(fetched, to: path)
        try trim(to: limit, keeping: path)
        return path
    }

    /// Drops the cached files of assets.
    package func drop(_ assets: Set<AssetID>) throws {
        guard !assets.isEmpty, try fileSystem.status(folder) != nil else { return }
        let prefixes = Set(assets.map(\.description))
        for name in try fileSystem.list(folder) where prefixes.contains(String(name.prefix(36))) {
            try remove(folder.appending(name))
        }
    }

    /// Bytes that can be evicted.
    func byteCount() throws -> Int64 {
        try files().filter(\.isWhole).reduce(0) { $0 + $1.status.byteCount }
    }

    /// Evicts files, least recently used first, until the closure says so, and returns what it said last; undeletable
    /// ones stay.
    func giveUp(until isEnough: () -> Bool) -> Bool {
        for file in (try? files()) ?? [] where file.isWhole {
            do {
                try remove(file.path)
            } catch {
                continue
            }
            if isEnough() { return true }
        }
        return false
    }

    private func trim(to limit: Int64, keeping kept: Path) throws {
        let files = try files()
        // Just written, so dated by the same clock as the other files.
        let now = try fileSystem.status(kept)?.modifiedNanoseconds ?? 0
        for file in files where !file.isWhole && file.status.modifiedNanoseconds < now - Self.leftoverAge {
            try remove(file.path)
        }
        let whole = files.filter(\.isWhole)
        var total = whole.reduce(0) { $0 + $1.status.byteCount }
        for file in whole where total > limit && file.path != kept {
            try remove(file.path)
            total -= file.status.byteCount
        }
    }

    /// A file in the folder.
    private struct File {
        let path: Path
        let status: FileStatus

        /// Whether it is complete.
        var isWhole: Bool { path.name.utf8.dropFirst(36).first == UInt8(ascii: "-") }
    }

    /// Everything in the folder, least recently used first.
    private func files() throws -> [File] {
        guard try fileSystem.status(folder) != nil else { return [] }
        var files: [File] = []
        for name in try fileSystem.list(folder) {
            let path = folder.appending(name)
            if let status = try fileSystem.status(path) { files.append(File(path: path, status: status)) }
        }
        return files.sorted { ($0.status.modifiedNanoseconds, $0.path) < ($1.status.modifiedNanoseconds, $1.path) }
    }

    /// Removes a file, unless another program already did.
    private func remove(_ path: Path) throws {
        do throws(PersistenceError) {
            try fileSystem.unlink(path)
        } catch {
            guard error.code == .notFound else { throw error }
        }
    }
}

extension AgentStore {
    /// The cache of bytes fetched from the library.
    package var cache: MediaCache { MediaCache(folder: root.appending("cache"), fileSystem: fileSystem) }
}

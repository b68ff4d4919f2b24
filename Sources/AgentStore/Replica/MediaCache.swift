package import Persistence
package import PhotoModel

/// Bytes that were fetched from the library, below a limit; all of it can be lost without loss.
///
/// A file is named `<asset id>-<what it is>`; what was not used for longest goes first, and what belongs to assets
/// that leave the view at once. Under any other name lies what is still being loaded, or what a crash left of that.
package struct MediaCache: Sendable {
    /// How long a load may pause, in nanoseconds; what nobody wrote for longer was left by a crash.
    private static let leftoverAge: Int64 = 86_400_000_000_000

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
        do throws(PersistenceError) {
            try fileSystem.touch(path)
        } catch {
            // It was given up a moment ago, for captures.
            guard error.code == .notFound else { throw error }
            return nil
        }
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
            try remove(folder.appending(name))
        }
    }

    /// Bytes that can be given up.
    func byteCount() throws -> Int64 {
        try files().filter(\.isWhole).reduce(0) { $0 + $1.status.byteCount }
    }

    /// Gives files up, what was not used for longest first; one that cannot be removed stays.
    ///
    /// - Parameter isEnough: asked after each file.
    /// - Returns: whether it was enough in the end.
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
        // It was written a moment ago, by the clock that dates the others.
        let now = try fileSystem.status(kept)?.modifiedNanoseconds ?? 0
        for file in files where !file.isWhole && now - file.status.modifiedNanoseconds > Self.leftoverAge {
            try remove(file.path)
        }
        let whole = files.filter(\.isWhole)
        var total = whole.reduce(0) { $0 + $1.status.byteCount }
        for file in whole where total > limit && file.path != kept {
            try remove(file.path)
            total -= file.status.byteCount
        }
    }

    /// What lies in the folder.
    private struct File {
        let path: Path
        let status: FileStatus

        /// Whether it was taken over.
        var isWhole: Bool { path.name.utf8.dropFirst(36).first == UInt8(ascii: "-") }
    }

    /// Everything in the folder, what was not used for longest first.
    private func files() throws -> [File] {
        guard try fileSystem.status(folder) != nil else { return [] }
        var files: [File] = []
        for name in try fileSystem.list(folder) {
            let path = folder.appending(name)
            if let status = try fileSystem.status(path) { files.append(File(path: path, status: status)) }
        }
        return files.sorted { ($0.status.modifiedNanoseconds, $0.path) < ($1.status.modifiedNanoseconds, $1.path) }
    }

    /// Removes a file, which another program may have done meanwhile.
    private func remove(_ path: Path) throws {
        do throws(PersistenceError) {
            try fileSystem.unlink(path)
        } catch {
            guard error.code == .notFound else { throw error }
        }
    }
}

extension AgentStore {
    /// Bytes that were fetched from the library.
    package var cache: MediaCache { MediaCache(root.appending("cache"), in: fileSystem) }
}

import FoundationEssentials
import LibraryAPI
import Persistence
import PhotoModel

extension BackupLayout {
    /// A name that sorts by time and fits every file system: the time without colons.
    static func snapshotName(_ time: WallTime) -> String { "\(time)".replacing(":", with: "-") }

    static func encode(_ manifest: BackupManifest) throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return Array(try encoder.encode(manifest)) + [UInt8(ascii: "\n")]
    }

    /// Reads a snapshot's manifest.
    ///
    /// - Throws: `damaged` if it is unreadable.
    func manifest(of name: String, in files: some FileSystem) throws -> BackupManifest {
        let path = snapshot(name).manifest
        guard let bytes = try files.readAll(path, maximumByteCount: 1 << 28) else {
            throw PersistenceError(.notFound, "read", path.text, "there is no such snapshot, or it was never finished")
        }
        do {
            return try JSONDecoder().decode(BackupManifest.self, from: Data(bytes))
        } catch {
            throw PersistenceError(.damaged, "read", path.text, "it is not a manifest of this version")
        }
    }

    /// The leftovers of interrupted backups.
    func unfinishedSnapshots(in files: some FileSystem) throws -> [String] {
        let finished = Set(try finishedSnapshots(in: files))
        return try files.list(snapshots).filter { !finished.contains($0) }
    }

    /// Removes a snapshot, manifest first, so that a partly removed one no longer counts.
    func remove(_ name: String, in files: some FileSystem) throws {
        let snapshot = snapshot(name)
        if try files.status(snapshot.manifest) != nil {
            try files.unlink(snapshot.manifest)
            try files.synchronizeDirectory(snapshot.root)
        }
        try files.removeTree(snapshot.root)
    }

    /// Removes the oldest snapshots, then content that no remaining one needs.
    ///
    /// - Returns: the number of removed snapshots.
    func prune(keeping count: Int, in files: some FileSystem) throws -> Int {
        let names = try finishedSnapshots(in: files)
        guard names.count > count else { return 0 }
        for name in names.dropLast(count) { try remove(name, in: files) }
        var wanted: Set<ContentDigest> = []
        for name in names.suffix(count) {
            let rows = try SnapshotTable(snapshot(name).database)
            var last: ContentDigest?
            while let page = Optional(try rows.contents(after: last, limit: 4096)), let end = page.last {
                wanted.formUnion(page.map(\.address.digest))
                last = end.address.digest
            }
        }
        for outer in try files.list(originals) {
            for inner in try files.list(originals.appending(outer)) {
                let directory = originals.appending(outer).appending(inner)
                for name in try files.list(directory) {
                    if let address = ContentAddress(fileName: name), wanted.contains(address.digest) { continue }
                    try files.unlink(directory.appending(name))
                }
            }
        }
        return names.count - count
    }
}

extension FileSystem {
    /// Removes a directory with everything below it.
    func removeTree(_ path: Path) throws {
        for name in try list(path) {
            let child = path.appending(name)
            if try status(child)?.isDirectory == true { try removeTree(child) } else { try unlink(child) }
        }
        try removeDirectory(path)
    }

    /// Copies the files of a folder of secrets, readable by the owner only; a missing folder has none.
    func copySecrets(_ source: Path, to destination: Path) throws {
        guard try status(source)?.isDirectory == true else { return }
        try createDirectories(destination)
        try makePrivate(destination)
        for name in try list(source) where try status(source.appending(name))?.isDirectory == false {
            guard let bytes = try readAll(source.appending(name)) else { continue }
            try writeAtomically(destination.appending(name), bytes)
            try makePrivate(destination.appending(name))
        }
    }
}

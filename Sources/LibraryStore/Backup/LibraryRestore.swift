package import LibraryAPI
package import Logging
package import Persistence
package import PhotoModel

/// Restores a library from a backup, into an empty place of any kind.
package struct LibraryRestore: Sendable {
    /// The result of a restore.
    package struct Report: Hashable, Sendable, Codable {
        /// The snapshot.
        package let snapshot: String
        /// Its manifest.
        package let manifest: BackupManifest
        /// The new history.
        package let epoch: LibraryEpoch
        /// The number of contents restored.
        package let contents: Int
        /// Contents missing from the backup; boxes are asked for them.
        package let missing: [ContentDigest]
    }

    private let backup: BackupLayout
    private let files = PosixFileSystem()
    private let blocking = BlockingPool(width: 8)

    /// Opens a backup in a folder.
    package init(from folder: Path) { backup = BackupLayout(root: folder) }

    /// Restores a snapshot.
    ///
    /// Every content is hashed while it is copied. The marker is written last: an interrupted restore is not a library,
    /// and running it again continues it. The library begins a new history (epoch), so that devices offer again what it
    /// had after the backup.
    ///
    /// - Parameters:
    ///   - name: the snapshot; nil for the newest complete one.
    ///   - place: the library's new place; empty or missing.
    ///   - effects: time, randomness and key.
    ///   - logger: logs missing content.
    ///   - progress: called after every content.
    /// - Returns: the result.
    /// - Throws: `foreign` if the folder is not a backup; `exists` or ``ForeignBucketError`` if the new place is not
    ///   empty; `damaged` if no snapshot is complete; errors of either disk, database or store.
    package func restore(
        _ name: String? = nil,
        to place: LibraryPlace,
        effects: StoreEffects,
        logger: Logger,
        progress: @escaping @Sendable (TransferProgress) -> Void = { _ in }
    ) async throws -> Report {
        let (chosen, manifest) = try await blocking.run {
            guard try backup.identify(in: files) != nil else {
                throw PersistenceError(
                    .foreign,
                    "restore",
                    backup.root.text,
                    "there is no backup: is the disk mounted?"
                )
            }
            return try choose(name, logger)
        }
        let arrival = try await LibraryArrival.begin(
            manifest.libraryID,
            at: place,
            keepsBucket: false,
            new: effects.identifier(),
            writes: true,
            blocking: blocking
        )
        let snapshot = backup.snapshot(chosen)
        let contents = try await arrival.contents()
        let missing = try await copyContents(of: snapshot, manifest, contents, logger, progress)
        try await blocking.run { try files.copySecrets(snapshot.authority, to: place.layout.authority) }
        try await arrival.takeRows(contents, missing: missing, at: effects.now(), logger: logger) { path in
            try await blocking.run { try files.copyFile(snapshot.database, to: path) }
        }
        let epoch = LibraryEpoch(rawValue: effects.randomBits())
        try await arrival.rows(effects).beginEpoch(epoch)
        try await arrival.finish()
        return Report(
            snapshot: chosen,
            manifest: manifest,
            epoch: epoch,
            contents: manifest.contents - missing.count,
            missing: missing
        )
    }

    /// Copies the originals; returns the digests missing from the backup.
    private func copyContents(
        of snapshot: BackupLayout.Snapshot,
        _ manifest: BackupManifest,
        _ contents: any ContentArrival,
        _ logger: Logger,
        _ progress: @Sendable (TransferProgress) -> Void
    ) async throws -> [ContentDigest] {
        let table = try await blocking.run { try SnapshotTable(snapshot.database) }
        let totals = TransferProgress(contents: manifest.contents, byteCount: manifest.byteCount)
        let transfer = ContentTransfer(arrival: contents, logger: logger) { row in
            try await blocking.run {
                let file = try files.open(row.address.path(in: backup.originals), .read)
                return FileReader(file: file, byteCount: try file.byteCount(), blocking: blocking)
            }
        }
        return try await transfer.run(.snapshot(table, totals, blocking), progress: progress).missing
    }

    /// The named snapshot, or the newest one with intact rows.
    private func choose(_ name: String?, _ logger: Logger) throws -> (String, BackupManifest) {
        if let name { return (name, try check(name)) }
        for candidate in try backup.finishedSnapshots(in: files).reversed() {
            do {
                return (candidate, try check(candidate))
            } catch {
                logger.error("a snapshot is incomplete", metadata: ["snapshot": "\(candidate)", "error": "\(error)"])
            }
        }
        throw PersistenceError(.damaged, "restore", backup.root.text, "it has no complete snapshot")
    }

    private func check(_ name: String) throws -> BackupManifest {
        let manifest = try backup.manifest(of: name, in: files)
        let database = backup.snapshot(name).database
        guard try ContentHasher.digest(database, in: files).digest == manifest.databaseDigest,
            try SnapshotTable(database).isWhole()
        else {
            throw PersistenceError(.damaged, "restore", database.text, "it is not the database that was backed up")
        }
        return manifest
    }
}

extension FileSystem {
    /// Copies one file durably.
    fileprivate func copyFile(_ source: Path, to destination: Path) throws {
        let from = try open(source, .read)
        let to = try open(destination, .create)
        let byteCount = try from.byteCount()
        var offset: Int64 = 0
        while offset < byteCount {
            let bytes = try from.read(StagingFile.chunkByteCount, at: offset)
            guard !bytes.isEmpty else {
                throw PersistenceError(.damaged, "copy", source.text, "it became shorter while it was read")
            }
            try to.write(bytes[...], at: offset)
            offset += Int64(bytes.count)
        }
        try to.synchronize()
        try to.close()
        try from.close()
        try synchronizeDirectory(destination.parent)
    }
}

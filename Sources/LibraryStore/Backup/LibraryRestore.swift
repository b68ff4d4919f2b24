package import LibraryAPI
package import Logging
package import Persistence
package import PhotoModel

/// Brings a library back from a backup, into an empty place of any kind.
package struct LibraryRestore: Sendable {
    /// What a restore did.
    package struct Report: Hashable, Sendable, Codable {
        /// The snapshot.
        package let snapshot: String
        /// What it was.
        package let manifest: BackupManifest
        /// The history that begins now.
        package let epoch: LibraryEpoch
        /// Contents that are there.
        package let contents: Int
        /// Contents whose bytes the backup lacks; boxes are asked for them.
        package let missing: [ContentDigest]
    }

    private let backup: BackupLayout
    private let files = PosixFileSystem()
    private let blocking = BlockingPool(width: 8)

    /// A backup in a folder.
    package init(from folder: Path) {
        backup = BackupLayout(root: folder)
    }

    /// Restores a snapshot.
    ///
    /// Every content is hashed while it is copied. The marker is written last: a restore that was cut off is no library,
    /// and goes on where it was when it is run again. The library begins a new history (epoch), so that devices offer again
    /// what it had after the backup.
    ///
    /// - Parameters:
    ///   - name: the snapshot; nil for the newest that is whole.
    ///   - place: where the library is to be; empty, or not there.
    ///   - effects: time, randomness and key.
    ///   - logger: told of what is missing.
    ///   - progress: told after every content.
    /// - Returns: what was done.
    /// - Throws: `foreign` if the folder is no backup; `exists` or ``ForeignBucketError`` if the new place is not empty;
    ///   `damaged` if no snapshot is whole; what either disk, database or store says.
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
        try await arrival.takeRows(contents, missing: missing, at: effects.now()) { path in
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

    /// Copies the originals; returns the digests whose bytes the backup lacks.
    private func copyContents(
        of snapshot: BackupLayout.Snapshot,
        _ manifest: BackupManifest,
        _ contents: any ContentArrival,
        _ logger: Logger,
        _ progress: @Sendable (TransferProgress) -> Void
    ) async throws -> [ContentDigest] {
        let table = try await blocking.run { try SnapshotTable(snapshot.database) }
        let totals = TransferProgress(contents: manifest.contents, byteCount: manifest.byteCount)
        let rows = ContentTransfer.Rows(totals: totals) { last, limit in
            try await blocking.run { try table.contents(after: last, limit: limit) }
        }
        let transfer = ContentTransfer(arrival: contents, logger: logger) { row in
            try await blocking.run {
                let file = try files.open(row.address.path(in: backup.originals), .read)
                return FileReader(file: file, byteCount: try file.byteCount(), blocking: blocking)
            }
        }
        return try await transfer.run(rows, progress: progress).missing
    }

    /// The named snapshot, or the newest whose rows are whole.
    private func choose(_ name: String?, _ logger: Logger) throws -> (String, BackupManifest) {
        if let name { return (name, try check(name)) }
        for candidate in try backup.finishedSnapshots(in: files).reversed() {
            do {
                return (candidate, try check(candidate))
            } catch {
                logger.error("a snapshot is not whole", metadata: ["snapshot": "\(candidate)", "error": "\(error)"])
            }
        }
        throw PersistenceError(.damaged, "restore", backup.root.text, "it holds no snapshot that is whole")
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
    /// Copies one file, durable when it returns.
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

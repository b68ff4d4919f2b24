package import LibraryAPI
package import Logging
package import Persistence
package import PhotoModel

/// Brings a library back from a backup, into an empty folder.
package struct LibraryRestore<Files: FileSystem>: Sendable {
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
    private let files: Files

    /// A backup in a folder.
    package init(from folder: Path, in files: Files = PosixFileSystem()) {
        backup = BackupLayout(root: folder)
        self.files = files
    }

    /// Restores a snapshot.
    ///
    /// Every content is hashed while it is copied. The marker is written last: a restore that was cut off is no
    /// library, and is begun again in another folder, or in this one once it is empty. The library begins a new history
    /// (epoch), so that devices offer again what it had after the backup.
    ///
    /// - Parameters:
    ///   - name: the snapshot; nil for the newest that is whole.
    ///   - root: the new library's folder; empty, or not there.
    ///   - effects: time, randomness and key.
    ///   - logger: told of what is missing.
    ///   - progress: told after every content.
    /// - Returns: what was done.
    /// - Throws: `foreign` if the folder is no backup; `exists` if the new folder is not empty; `damaged` if no
    ///   snapshot is whole; what either disk says.
    package func restore(
        _ name: String? = nil,
        to root: Path,
        effects: StoreEffects,
        logger: Logger,
        progress: @escaping @Sendable (TransferProgress) -> Void = { _ in }
    ) async throws -> Report {
        let blocking = BlockingPool(width: 2)
        let (chosen, manifest, missing) = try await blocking.run { [self] in
            guard try backup.identify(in: files) != nil else {
                throw PersistenceError(
                    .foreign,
                    "restore",
                    backup.root.text,
                    "there is no backup: is the disk mounted?"
                )
            }
            let (chosen, manifest) = try choose(name, logger)
            let missing = try fill(root, from: chosen, manifest, logger, progress)
            return (chosen, manifest, missing)
        }
        let layout = LibraryLayout(root: root)
        let metadata = try SQLMetadataStore(
            layout,
            library: manifest.libraryID,
            isNew: false,
            timeZone: nil,
            effects: effects,
            blocking: blocking
        )
        let epoch = LibraryEpoch(rawValue: effects.randomBits())
        try await metadata.beginEpoch(epoch)
        for digest in missing { try await metadata.setMissing(digest, true) }
        try await blocking.run { [files] in try layout.mark(manifest.libraryID, in: files) }
        return Report(
            snapshot: chosen,
            manifest: manifest,
            epoch: epoch,
            contents: manifest.contents - missing.count,
            missing: missing
        )
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

    /// Copies rows, keys and originals; gives the digests whose bytes the backup lacks.
    private func fill(
        _ root: Path,
        from name: String,
        _ manifest: BackupManifest,
        _ logger: Logger,
        _ progress: (TransferProgress) -> Void
    ) throws -> [ContentDigest] {
        let layout = LibraryLayout(root: root)
        try layout.createFolders(in: files)
        let snapshot = backup.snapshot(name)
        try files.copyFile(snapshot.database, to: layout.database)
        try files.copySecrets(snapshot.authority, to: layout.authority)
        let rows = try SnapshotTable(snapshot.database)
        let copy = ContentCopy(originals: layout.originals, files: files)
        var state = TransferProgress(contents: manifest.contents, byteCount: manifest.byteCount)
        var missing: [ContentDigest] = []
        var last: ContentDigest?
        while true {
            let page = try rows.contents(after: last, limit: 256)
            guard let end = page.last else { return missing }
            last = end.address.digest
            for row in page {
                let source = try? files.open(row.address.path(in: backup.originals), .read)
                let isCopied = try source.map { file in
                    try copy.take(row) { count, offset in try file.read(count, at: offset) }
                }
                if isCopied != true {
                    logger.error("the backup lacks a content", metadata: ["digest": "\(row.address.digest)"])
                    missing.append(row.address.digest)
                }
                state.doneContents += 1
                state.doneBytes += row.byteCount
                progress(state)
            }
            try copy.synchronize(page.map(\.address).filter { !missing.contains($0.digest) })
        }
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

import FoundationEssentials
package import LibraryAPI
import Logging
package import Persistence
import PhotoModel

extension LibraryStore {
    /// Creates one consistent snapshot of rows and originals in a backup folder.
    ///
    /// The rows are copied first, as of one moment. The contents they name were durable before, and leave only through
    /// quarantine, so that copying them afterwards is consistent. Each content is hashed while it is copied, and copied
    /// once: later snapshots share it. Uploads are not delayed.
    ///
    /// - Parameters:
    ///   - folder: the backup's folder; created if missing.
    ///   - keeping: how many snapshots to keep, 1 or more; the oldest are removed, with content that no other needs.
    ///   - files: the folder's file system.
    ///   - progress: called after every content.
    /// - Returns: the report. A `missing` in its manifest means that the library itself has lost bytes.
    /// - Throws: `foreign` for a folder of something else, `locked` if another backup into it is in progress; errors of
    ///   either disk.
    package func backUp(
        to folder: Path,
        keeping: Int,
        in files: some FileSystem = PosixFileSystem(),
        progress: @Sendable (TransferProgress) -> Void = { _ in }
    ) async throws -> BackupReport {
        let layout = BackupLayout(root: folder)
        try await blocking.run { [id] in try layout.prepare(for: id, in: files) }
        let lock = try await blocking.run { try files.lock(folder.appending("lock")) }
        defer { lock.release() }
        let begin = effects.now()
        let name = BackupLayout.snapshotName(begin)
        let snapshot = layout.snapshot(name)
        try await blocking.run {
            for stale in try layout.unfinishedSnapshots(in: files) { try layout.remove(stale, in: files) }
            try files.createDirectories(snapshot.root)
        }
        try await metadata.copy(to: snapshot.database)
        let table = try await blocking.run { try SnapshotTable(snapshot.database) }
        let totals = try await blocking.run { try table.totals() }
        let arrival = FolderArrival(originals: layout.originals, files: files, blocking: blocking, keepsCopies: true)
        // One by one, so that uploads are not delayed.
        let transfer = ContentTransfer(arrival: arrival, logger: logger, windowCount: 1) { [content] in
            try await content.open($0.address)
        }
        let copied = try await transfer.run(.snapshot(table, totals, blocking), progress: progress)
        let manifest = try await blocking.run { [authority] in
            let (databaseDigest, _) = try ContentHasher.digest(snapshot.database, in: files)
            let identity = try table.identity()
            try files.copySecrets(authority, to: snapshot.authority)
            let database = try files.open(snapshot.database, .update)
            try database.synchronize()
            try database.close()
            let manifest = BackupManifest(
                libraryID: identity.id,
                epoch: identity.epoch,
                lastChange: identity.lastChange,
                time: begin,
                databaseDigest: databaseDigest,
                contents: totals.contents,
                byteCount: totals.byteCount,
                missing: copied.missing
            )
            try files.writeAtomically(snapshot.manifest, try BackupLayout.encode(manifest))
            try files.synchronizeDirectory(layout.snapshots)
            return manifest
        }
        // Boxes keep what a backup lacks, so an incomplete one is not announced.
        if manifest.missing.isEmpty { try await metadata.setBackupWatermark(manifest.lastChange, at: begin) }
        let removed = try await blocking.run { try layout.prune(keeping: max(1, keeping), in: files) }
        logger.notice(
            "backup made",
            metadata: [
                "snapshot": "\(name)", "copied": "\(copied.copiedContents)", "missing": "\(copied.missing.count)",
            ]
        )
        return BackupReport(
            snapshot: name,
            manifest: manifest,
            copiedContents: copied.copiedContents,
            copiedBytes: copied.copiedBytes,
            removedSnapshots: removed
        )
    }
}

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
        let rows = try await blocking.run { try SnapshotTable(snapshot.database) }
        let copied = try await copyContents(of: rows, to: layout, in: files, progress: progress)
        let manifest = try await blocking.run { [authority] in
            let (databaseDigest, _) = try ContentHasher.digest(snapshot.database, in: files)
            let identity = try rows.identity()
            let totals = try rows.totals()
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
            metadata: ["snapshot": "\(name)", "copied": "\(copied.contents)", "missing": "\(copied.missing.count)"]
        )
        return BackupReport(
            snapshot: name,
            manifest: manifest,
            copiedContents: copied.contents,
            copiedBytes: copied.byteCount,
            removedSnapshots: removed
        )
    }

    private struct Copied {
        var contents = 0
        var byteCount: Int64 = 0
        var missing: [ContentDigest] = []
    }

    /// Copies one content; returns whether it could, or nil if the backup already has it.
    private func take(_ row: ContentRow, by copy: ContentCopy<some FileSystem>) async throws -> Bool? {
        if try await blocking.run({ try copy.has(row) }) { return nil }
        // Missing bytes are recorded and do not stop the rest.
        guard let source = try? await content.open(row.address) else { return false }
        return try await source.parsing { read in try copy.take(row, read: read) }
    }

    private func copyContents(
        of rows: SnapshotTable,
        to layout: BackupLayout,
        in files: some FileSystem,
        progress: @Sendable (TransferProgress) -> Void
    ) async throws -> Copied {
        let totals = try await blocking.run { try rows.totals() }
        var state = TransferProgress(contents: totals.contents, byteCount: totals.byteCount)
        let copy = ContentCopy(originals: layout.originals, files: files)
        var copied = Copied()
        var last: ContentDigest?
        while true {
            let page = try await blocking.run { [last] in try rows.contents(after: last, limit: 256) }
            guard let end = page.last else { return copied }
            last = end.address.digest
            var fresh: [ContentAddress] = []
            for row in page {
                switch try await take(row, by: copy) {
                case true:
                    fresh.append(row.address)
                    copied.contents += 1
                    copied.byteCount += row.byteCount
                case false:
                    logger.error("content is missing or damaged", metadata: ["digest": "\(row.address.digest)"])
                    copied.missing.append(row.address.digest)
                case nil: break
                }
                state.doneContents += 1
                state.doneBytes += row.byteCount
                progress(state)
            }
            try await blocking.run { [fresh] in try copy.synchronize(fresh) }
        }
    }
}

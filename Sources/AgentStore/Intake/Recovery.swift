import GRDB
import LibraryAPI
import Persistence
package import PhotoModel

/// What opening a store found and repaired.
package struct RecoveryReport: Hashable, Sendable {
    /// Complete captures without a row: added.
    package var adopted: [AssetID] = []
    /// Unfinished captures, never reported to anybody: removed.
    package var removed: [String] = []
    /// Interrupted captures that could not be added now, with the reason; kept.
    package var failed: [String: String] = [:]
    /// Rows whose bytes are missing or damaged: moved to the dead letters.
    package var lost: [AssetID] = []
    /// Folders of assets already freed after a receipt: removed.
    package var freed: [AssetID] = []
}

/// Reconciles folders and rows after an interruption; repeating it changes nothing.
///
/// - a folder in `spool` that no process has locked is completed (`InterruptedShot`), if need be without a damaged movie,
///   and becomes an entry, or is removed: an incomplete capture was never reported;
/// - a complete folder in `originals` without a row becomes an entry: keeping is the safe choice; another one stays and is
///   reported;
/// - a folder whose row says `freed` is removed;
/// - an owed row without its folder becomes a dead letter, and is logged as an error;
/// - `uploading` becomes `captured`: describing an asset again is idempotent.
struct Recovery {
    let root: Path
    let fileSystem: any FileSystem
    let database: DatabaseQueue
    /// The album of shots whose record did not survive.
    let album: String?
    let now: WallTime

    /// Examines everything or, after a clean shutdown, only what is owed or unfinished.
    func run(isSettled: Bool) throws -> RecoveryReport {
        var report = RecoveryReport()
        try FormerShots(root: root, fileSystem: fileSystem).moveToSpool()
        // Always: a process beside the store may take shots and import while everything else is consistent.
        try sweepSpool(&report)
        if !isSettled { try adopt(compareFolders(&report), &report) }
        for name in try owed() where report.failed[name] == nil {
            guard try fileSystem.status(originals.appending(name)) == nil else { continue }
            report.lost += AssetID(name).map { [$0] } ?? []
        }
        try database.write { [lost = report.lost] database in
            try database.execute(sql: "UPDATE entries SET state = 'captured' WHERE state = 'uploading'")
            for asset in lost {
                try database.execute(
                    sql: "UPDATE entries SET state = 'deadLetter', hold = NULL, problem = ? WHERE asset_id = ?",
                    arguments: ["its bytes are missing on this box: check the disk", asset.description]
                )
            }
        }
        return report
    }

    private var spool: Path { root.appending("spool") }
    private var originals: Path { root.appending("originals") }

    /// The folders in `originals` without a row; removes those of freed rows.
    private func compareFolders(_ report: inout RecoveryReport) throws -> [String] {
        let states = try states()
        let folders = try fileSystem.list(originals).sorted()
        for name in folders where states[name] == "freed" {
            do {
                try fileSystem.removeTree(originals.appending(name))
                report.freed += AssetID(name).map { [$0] } ?? []
            } catch {
                report.failed[name] = "\(error)"
            }
        }
        return folders.filter { states[$0] == nil }
    }

    private func owed() throws -> [String] {
        try database.read { database in
            try String.fetchAll(
                database,
                sql: """
                    SELECT asset_id FROM entries WHERE state IN ('captured', 'held', 'uploading') ORDER BY asset_id
                    """
            )
        }
    }

    /// Moves what is complete, or can be completed, to `originals`, and removes the rest.
    private func sweepSpool(_ report: inout RecoveryReport) throws {
        for name in try fileSystem.list(spool) {
            let folder = spool.appending(name)
            let lock: any FileLock
            let record: EntryRecord?
            do {
                // Another process uses it, or did until just now.
                guard let free = try fileSystem.lockAbandoned(folder) else { continue }
                lock = free
                record = try completed(name, in: folder)
                if record == nil { try fileSystem.removeTree(folder) }
            } catch {
                // What the disk cannot read, or somebody put there, keeps no others out.
                report.failed[name] = "\(error)"
                continue
            }
            defer { lock.release() }
            guard let record else {
                report.removed.append(name)
                continue
            }
            try fileSystem.synchronizeAll(root)
            // The row first: every opening examines a folder in the spool, but not always those in `originals`.
            try insert(record, &report)
            try fileSystem.rename(folder, to: originals.appending(name))
            try fileSystem.synchronizeDirectory(originals)
        }
    }

    /// The record of a folder in the spool that is now a complete asset; nil for one that is not, that is in
    /// `originals` already, or that was freed.
    private func completed(_ name: String, in folder: Path) throws -> EntryRecord? {
        guard let asset = AssetID(name), try fileSystem.status(originals.appending(name)) == nil else { return nil }
        if let entry = try entry(asset) {
            // It was reported; only its record and the names of its folder and files may not have been durable.
            try nameFiles(of: entry.manifest, in: folder)
            let record = EntryRecord(entry.manifest, isIncompleteLivePhoto: entry.isIncompleteLivePhoto)
            let isKept = try entry.state.isOwed || record.isWhole(in: folder, of: fileSystem)
            guard isKept, entry.state != .freed else { return nil }
            try record.write(into: folder, in: fileSystem)
            return record
        }
        let record = try EntryRecord.read(folder, in: fileSystem)
        if let record, !record.manifest.resources.isEmpty {
            guard record.manifest.id == asset else { return nil }
            try nameFiles(of: record.manifest, in: folder)
            if try record.isWhole(in: folder, of: fileSystem) { return record }
            let rest = try record.withoutDamage(in: folder, of: fileSystem)
            try rest?.claim(folder, in: fileSystem)
            return rest
        }
        let shot = InterruptedShot(asset: asset, folder: folder, begun: record, album: album, fileSystem: fileSystem)
        return try shot.complete()
    }

    /// Renames files that still have a recorder's names to those of an asset's resources.
    private func nameFiles(of manifest: AssetManifest, in folder: Path) throws {
        for name in try fileSystem.list(folder) {
            guard let digest = ContentDigest(inFileName: name),
                let resource = manifest.resources.first(where: { $0.digest == digest })
            else { continue }
            try fileSystem.place(folder.appending(name), at: folder.appending(AgentStore.fileName(of: resource)))
        }
    }

    private func adopt(_ names: [String], _ report: inout RecoveryReport) throws {
        for name in names {
            let record: EntryRecord?
            do {
                record = try whole(name)
            } catch {
                // A capture that the disk cannot read keeps no others out.
                report.failed[name] = "\(error)"
                continue
            }
            if let record { try insert(record, &report) }
        }
    }

    /// The record of a complete folder in `originals`; nil for one that is no asset's.
    private func whole(_ name: String) throws -> EntryRecord? {
        guard let asset = AssetID(name) else { return nil }
        let folder = originals.appending(name)
        let record = try EntryRecord.read(folder, in: fileSystem)
        guard let record, record.manifest.id == asset, try record.isWhole(in: folder, of: fileSystem) else {
            throw AgentStoreError(.damaged, asset, "its files are damaged: what is left of them is in \(folder)")
        }
        return record
    }

    private func insert(_ record: EntryRecord, _ report: inout RecoveryReport) throws {
        guard try entry(record.manifest.id) == nil else { return }
        try database.write { try record.insert(into: $0, now: now) }
        report.adopted.append(record.manifest.id)
    }

    private func entry(_ asset: AssetID) throws -> QueueEntry? {
        let row = try database.read { database in
            let sql = "SELECT * FROM entries WHERE asset_id = ?"
            return try Row.fetchOne(database, sql: sql, arguments: [asset.description])
        }
        return try row.map(AgentStore.entry)
    }

    private func states() throws -> [String: String] {
        try database.read { database in
            var states: [String: String] = [:]
            for row in try Row.fetchAll(database, sql: "SELECT asset_id, state FROM entries") {
                states[row[0]] = row[1]
            }
            return states
        }
    }
}

import GRDB
import LibraryAPI
import Persistence
package import PhotoModel

/// What opening a store found and did about it.
package struct RecoveryReport: Hashable, Sendable {
    /// Whole captures without a row: taken in.
    package var adopted: [AssetID] = []
    /// Unfinished captures, never reported to anybody: removed.
    package var removed: [String] = []
    /// Rows whose bytes are gone or damaged: put among the dead letters.
    package var lost: [AssetID] = []
    /// Folders of assets that a receipt had let go: removed.
    package var freed: [AssetID] = []
}

/// Brings folders and rows together again after an interruption; running it twice changes nothing.
///
/// - a whole folder in `spool` or `originals` without a row becomes an entry: keeping is the safe side;
/// - a folder in `spool` that is not whole was never reported, and goes; so does a staging folder that no process has;
/// - a folder whose row says `freed` goes;
/// - an owed row without its folder becomes a dead letter, loudly;
/// - `uploading` becomes `captured`: describing an asset again is idempotent.
struct Recovery {
    let root: Path
    let fileSystem: any FileSystem
    let database: DatabaseQueue
    let now: WallTime

    /// Looks at everything, or where all was in order at the last end at what is owed alone.
    func run(isSettled: Bool) throws -> RecoveryReport {
        var report = RecoveryReport()
        // Always: a process beside the store stages files while everything else is in order.
        report.removed += try fileSystem.removeAbandonedStaging(in: spool)
        if !isSettled {
            try sweepSpool(&report)
            try compareFolders(&report)
        }
        for name in try owed() where try fileSystem.status(originals.appending(name)) == nil {
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

    private func compareFolders(_ report: inout RecoveryReport) throws {
        let states = try states()
        let folders = try fileSystem.list(originals).sorted()
        try adopt(folders.filter { states[$0] == nil }, &report)
        for name in folders where states[name] == "freed" {
            try fileSystem.removeTree(originals.appending(name))
            report.freed += AssetID(name).map { [$0] } ?? []
        }
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

    private func sweepSpool(_ report: inout RecoveryReport) throws {
        for name in try fileSystem.list(spool) where !name.hasPrefix(StagingFolder.prefix) {
            let folder = spool.appending(name)
            let isTaken = try fileSystem.status(originals.appending(name)) != nil
            if !isTaken, AssetID(name) != nil, let record = try EntryRecord.read(folder, in: fileSystem),
                record.manifest.id.description == name, try record.isWhole(in: folder, of: fileSystem)
            {
                try fileSystem.moveIntoPlace(folder, originals.appending(name))
            } else {
                try fileSystem.removeTree(folder)
                report.removed.append(name)
            }
        }
    }

    private func adopt(_ names: [String], _ report: inout RecoveryReport) throws {
        for name in names {
            let folder = originals.appending(name)
            guard let asset = AssetID(name), let record = try EntryRecord.read(folder, in: fileSystem),
                record.manifest.id == asset, try record.isWhole(in: folder, of: fileSystem)
            else { continue }
            try database.write { try record.insert(into: $0, now: now) }
            report.adopted.append(asset)
        }
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

import FoundationEssentials
import GRDB
package import LibraryAPI
package import Persistence
package import PhotoModel

extension SQLiteMetadataStore {
    /// Deletes the row of a content that no asset uses; false if one does.
    package func deleteUnusedContent(_ digest: ContentDigest) async throws -> Bool {
        try await database.write { try CommitTable.deleteUnusedContent(digest, $0) }
    }

    /// Records that bytes named by rows are missing, or are back.
    package func setMissing(_ digest: ContentDigest, _ isMissing: Bool) async throws {
        let now = effects.now()
        try await database.write { database in
            try database.execute(
                sql: isMissing
                    ? """
                    INSERT OR IGNORE INTO missing_content (digest, since)
                    SELECT digest, ?2 FROM content WHERE digest = ?1
                    """
                    : "DELETE FROM missing_content WHERE digest = ?1 AND ?2",
                arguments: [digest.blob, now.microsecondsSince1970]
            )
        }
    }

    /// Assets saved by a device whose bytes are missing, so that it can send them again.
    package func missingAssets(of device: DeviceID, limit: Int) async throws -> [AssetID] {
        try await database.read { database in
            try Data.fetchAll(database, sql: Self.missingAssetsSQL, arguments: [device.blob, limit])
                .map { try AssetID(blob: $0) }
        }
    }

    /// Starts from the missing content, which is little or none, and looks up the device's receipts.
    ///
    /// On its own SQLite, which has no statistics for an empty table, would scan everything the device ever saved, at
    /// each of its contacts. An edit's rendering is excluded: the device would send its own bytes again and again.
    static let missingAssetsSQL = """
        SELECT DISTINCT receipt.asset FROM missing_content
        CROSS JOIN resource USING (digest)
        CROSS JOIN asset ON asset.key = resource.asset
        CROSS JOIN receipt ON receipt.asset = asset.id
        WHERE receipt.owner = ? AND instr(receipt.signed, lower(hex(digest))) > 0 LIMIT ?
        """

    /// Records the change up to which a backup is complete.
    package func setBackupWatermark(_ number: ChangeNumber, at time: WallTime) async throws {
        try await database.write { database in
            try database.execute(
                sql: "UPDATE library SET backup_number = ?, backup_time = ?",
                arguments: [number.rawValue, time.microsecondsSince1970]
            )
        }
    }

    /// Copies all rows consistently into a new file, with SQLite's online backup: nobody has to wait for it.
    package func copy(to path: Path) async throws {
        try await blocking.run { [database] in
            let copy = try DatabaseQueue(path: path.text)
            try database.backup(to: copy)
            // A single plain file that needs no log beside it.
            try copy.writeWithoutTransaction { try $0.execute(sql: "PRAGMA journal_mode = DELETE") }
            try copy.close()
        }
    }

    /// Begins a new history: tokens of the old one expire, numbers continue.
    ///
    /// The server also takes a new replica, so that a dot which devices know from the time after the backup is never
    /// reused. The devices' tickets cannot be known: each device's next one is accepted, whatever it is.
    package func beginEpoch(_ epoch: LibraryEpoch) async throws {
        let replica: AssetID = effects.identifier()
        try await database.write { database in
            try database.execute(
                sql: "UPDATE library SET epoch = ?, backup_number = NULL",
                arguments: [epoch.blob]
            )
            try WriterTable.renameServer(to: replica, database)
            try database.execute(
                sql: "UPDATE replica SET ticket = ?, earlier_ticket = NULL",
                arguments: [ReplicaTable.anyTicket.blob]
            )
        }
    }
}

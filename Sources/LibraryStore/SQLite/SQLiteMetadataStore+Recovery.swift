import FoundationEssentials
import GRDB
package import LibraryAPI
package import Persistence
package import PhotoModel

extension SQLiteMetadataStore {
    /// Writes down that bytes which rows name are gone, or are there again.
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

    /// Assets that a device saved and whose bytes are missing, so that it can send them again.
    package func missingAssets(of device: DeviceID, limit: Int) async throws -> [AssetID] {
        try await database.read { database in
            try Data.fetchAll(database, sql: Self.missingAssetsSQL, arguments: [device.blob, limit])
                .map { try AssetID(blob: $0) }
        }
    }

    /// From what is missing, which is little or nothing, to what the device has a receipt for.
    ///
    /// Of its own accord SQLite, which counts no rows of an empty table, goes through all that the device ever saved, at each
    /// of its contacts. An edit's rendering is not the device's to send: it would send its own bytes again and again.
    static let missingAssetsSQL = """
        SELECT DISTINCT receipt.asset FROM missing_content
        CROSS JOIN resource USING (digest)
        CROSS JOIN asset ON asset.key = resource.asset
        CROSS JOIN receipt ON receipt.asset = asset.id
        WHERE receipt.owner = ? AND instr(receipt.signed, lower(hex(digest))) > 0 LIMIT ?
        """

    /// Writes down up to which change a backup holds everything.
    package func setBackupWatermark(_ number: ChangeNumber, at time: WallTime) async throws {
        try await database.write { database in
            try database.execute(
                sql: "UPDATE library SET backup_number = ?, backup_time = ?",
                arguments: [number.rawValue, time.microsecondsSince1970]
            )
        }
    }

    /// A consistent copy of all rows in a new file, by SQLite's online backup: nobody waits for it.
    package func copy(to path: Path) async throws {
        try await blocking.run { [database] in
            let copy = try DatabaseQueue(path: path.text)
            try database.backup(to: copy)
            // One plain file that needs no log beside it.
            try copy.writeWithoutTransaction { try $0.execute(sql: "PRAGMA journal_mode = DELETE") }
            try copy.close()
        }
    }

    /// Begins a new history: tokens of the old one expire, numbers go on.
    ///
    /// The server takes a new replica too, so that a dot which devices know from the time after the backup is never given
    /// again. Tickets that devices hold cannot be known: each device's next one is believed, whatever it is.
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

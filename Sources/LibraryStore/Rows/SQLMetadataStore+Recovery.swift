import Authorization
import FoundationEssentials
package import LibraryAPI
package import Persistence
package import PhotoModel

extension SQLMetadataStore {
    /// Deletes the row of a content that no asset uses; false if one does.
    package func deleteUnusedContent(_ digest: ContentDigest) async throws -> Bool {
        try await store.write([.library]) { try CommitTable.deleteUnusedContent(digest, $0) }
    }

    /// Records that bytes named by rows are missing, or are back.
    package func setMissing(_ digest: ContentDigest, _ isMissing: Bool) async throws {
        let now = effects.now()
        try await store.write([]) { database in
            guard isMissing else {
                return try database.execute("DELETE FROM missing_content WHERE digest = ?", [digest.blob])
            }
            try database.execute(
                """
                INSERT INTO missing_content (digest, since)
                SELECT digest, ?2 FROM content WHERE digest = ?1 ON CONFLICT DO NOTHING
                """,
                [digest.blob, now.microsecondsSince1970]
            )
        }
    }

    /// Assets saved by a device whose bytes are missing, so that it can send them again.
    static func missingAssets(of device: DeviceID, limit: Int, _ database: any SQLSession) throws -> [AssetID] {
        try database.statement(missingAssets(database.dialect)).values(Data.self, [device.blob, limit])
            .map { try AssetID(blob: $0) }
    }

    /// Starts from the missing content, of which there is little or none, and looks up the device's receipts.
    ///
    /// Left alone, SQLite, which has no statistics for an empty table, would scan everything the device ever saved, at
    /// each of its contacts. An edit's rendering is excluded: the device would send its own bytes again and again.
    static func missingAssets(_ dialect: any SQLDialect) -> String {
        """
        SELECT DISTINCT receipt.asset FROM missing_content
        \(dialect.orderedJoin) resource USING (digest)
        \(dialect.orderedJoin) asset ON asset.key = resource.asset
        \(dialect.orderedJoin) receipt ON receipt.asset = asset.id
        WHERE receipt.owner = ? AND \(dialect.contains("receipt.signed", digitsOf: "digest")) LIMIT ?
        """
    }

    /// Records the change up to which a backup is complete.
    package func setBackupWatermark(_ number: ChangeNumber, at time: WallTime) async throws {
        try await store.write([.library]) { database in
            try database.execute(
                "UPDATE library SET backup_number = ?, backup_time = ?",
                [number.rawValue, time.microsecondsSince1970]
            )
        }
    }

    /// Copies all rows consistently into a new file.
    package func copy(to path: Path) async throws { try await store.copy(to: path) }

    /// Begins a new history: tokens of the old one expire, numbers continue.
    ///
    /// The server also takes a new replica, so that a dot which devices know from the time after the backup is never
    /// reused. The devices' tickets cannot be known: each device's next one is accepted, whatever it is.
    package func beginEpoch(_ epoch: LibraryEpoch) async throws {
        try await store.write([.library]) { try Self.begin(epoch, "restored", chain, effects, $0) }
    }

    static func begin(
        _ epoch: LibraryEpoch,
        _ reason: String,
        _ chain: AuditChain,
        _ effects: StoreEffects,
        _ database: any SQLSession
    ) throws {
        let former = try identity(database)
        try database.execute("UPDATE library SET epoch = ?, backup_number = NULL", [epoch.blob])
        try WriterTable.renameServer(to: effects.identifier(AssetID.self), database)
        try database.execute("UPDATE replica SET ticket = ?, earlier_ticket = NULL", [ReplicaTable.anyTicket.blob])
        var entry = AuditEntry.Content(.epochBegin, by: "server")
        entry.old = "\(former.epoch), change \(former.lastChange)"
        entry.new = "\(epoch)"
        entry.reason = reason
        try AuditTable(database: database, chain: chain).append(entry, at: effects.now())
    }
}

import Authorization
import FoundationEssentials
import LibraryAPI
import Persistence
package import PhotoModel
package import Replication

extension SQLMetadataStore {
    /// Judges a replica's contact by its history and its ticket, issues the next ticket, and records what it reported.
    ///
    /// The last ticket is valid; the one before it only while the last was never used, for example if its response was
    /// lost. Anything else means that somebody else has continued this history: a copy.
    package func contact(
        _ contact: Contact,
        ticket: String?,
        from position: ChangePosition?,
        by device: DeviceID,
        _ update: @escaping @Sendable (inout DeviceProfile) -> Void
    ) async throws -> DeviceContact {
        let next = nextTicket()
        return try await store.write([.device(device)]) { database in
            let record = try admit(.device(device), database).orNotFound(device)
            var followed: ChangeNumber?
            if let position, position.viewVersion == record.grantVersion,
                try position.epoch == Self.identity(database).epoch
            {
                followed = position.floor
            }
            let judgement = try Self.judge(contact, of: device, ticket, next, following: followed, database)
            let profile = try DeviceTable.update(profileOf: device, database, update)
            return DeviceContact(judgement: judgement, record: record, profile: profile)
        }
    }

    /// What a contact of a device is answered with.
    package func standing(of device: DeviceID, missing limit: Int) async throws -> DeviceStanding {
        try await store.read { database in
            let (record, identity) = (try DeviceTable.record(of: device, database), try Self.identity(database))
            return DeviceStanding(
                record: record,
                identity: identity,
                backupWatermark: try Self.backupWatermark(identity, for: device, record, database),
                missing: try Self.missingAssets(of: device, limit: limit, database)
            )
        }
    }

    /// The change up to which a backup is complete, as a device is told.
    ///
    /// The library's own number shows how much everybody changed from one backup to the next. A device that may not read
    /// compares it only with its receipts, so the latest of these that the backup contains serves as well. A device that
    /// reads also compares it with the changes that it pushed.
    private static func backupWatermark(
        _ identity: LibraryIdentity,
        for device: DeviceID,
        _ record: DecisionRecord?,
        _ database: any SQLSession
    ) throws -> ChangeNumber? {
        guard let watermark = identity.backupWatermark, record?.access.readWrite.grantsAccess != true else {
            return identity.backupWatermark
        }
        let statement = try database.statement(
            "SELECT number FROM receipt WHERE owner = ? AND number <= ? ORDER BY number DESC LIMIT 1"
        )
        let own = try statement.value(Int64.self, [device.blob, watermark.rawValue])
        // Without one, the box may still hold what it saved as an earlier device, whose receipts are older than its own.
        return own.map { ChangeNumber(rawValue: $0) } ?? watermark
    }

    /// A ticket for the next contact, and the time of this one.
    private func nextTicket() -> (ticket: ContentDigest, time: WallTime) {
        let bytes = effects.identifier(RecordID.self).bytes + effects.identifier(RecordID.self).bytes
        return (ContentHasher.digest(bytes), effects.now())
    }

    private static func judge(
        _ contact: Contact,
        of device: DeviceID,
        _ ticket: String?,
        _ next: (ticket: ContentDigest, time: WallTime),
        following number: ChangeNumber?,
        _ database: any SQLSession
    ) throws -> ContactJudgement {
        guard contact.device == device.rawValue else {
            throw StoreError(.malformedRequest, "The contact names a different device from the caller.")
        }
        let presented = ticket.flatMap { ContentDigest($0) }
        try WriterTable.requireForeign(contact.incarnation, database)
        var kept = try ReplicaTable.fetch(contact.incarnation, database)
        let verdict =
            kept?.judge(contact, ticket: presented) ?? IncarnationRecord.judge(contact, against: nil)
        guard verdict.remedy == .proceed else {
            try kept?.save(database)
            return ContactJudgement(verdict: verdict, acknowledged: kept?.record.history.counter ?? 0, ticket: nil)
        }
        if kept == nil { try ReplicaTable.makeRoom(for: device, database) }
        var row =
            kept
            ?? ReplicaTable(
                record: IncarnationRecord(first: contact, hash: .sha256),
                ticket: next.ticket,
                lastContact: next.time
            )
        row.record.open(contact)
        row.followed = number
        if kept != nil { row.advance(after: presented, to: next.ticket, at: next.time) }
        try row.save(database)
        return ContactJudgement(
            verdict: verdict,
            acknowledged: row.record.history.counter,
            ticket: row.ticket.description
        )
    }

    /// Chooses which of a device's replicas may continue; the others become invalid.
    package func keepReplicas(of device: DeviceID, _ kept: [ReplicaID]) async throws {
        try await store.write([.device(device)]) { database in
            for incarnation in kept {
                guard try ReplicaTable.fetch(incarnation, database)?.record.device == device.rawValue else {
                    throw StoreError.notFound("\(incarnation)")
                }
            }
            try ReplicaTable.choose(kept, of: device, database)
        }
    }

    /// The replicas of a device, latest contact first.
    package func replicas(of device: DeviceID) async throws -> [ReplicaSummary] {
        try await store.read { database in
            try database.rows(
                """
                SELECT incarnation, counter, last_contact,
                    (SELECT count(*) FROM refused_change WHERE incarnation = replica.incarnation) AS refused_count
                FROM replica WHERE device = ? ORDER BY last_contact DESC
                """,
                [device.blob]
            ).map { row in
                ReplicaSummary(
                    incarnation: ReplicaID(rawValue: try AssetID(blob: row["incarnation"]).rawValue),
                    acknowledged: UInt64(bitPattern: try row["counter"] as Int64),
                    lastContact: WallTime(microsecondsSince1970: try row["last_contact"]),
                    refusedCount: try row["refused_count"]
                )
            }
        }
    }
}

import Authorization
import FoundationEssentials
package import LibraryAPI
import Persistence
package import PhotoModel
package import Replication

extension SQLMetadataStore {
    /// Judges a replica's contact by its history and its ticket, and issues the next ticket.
    ///
    /// The last ticket is valid; the one before it only while the last was never used, for example if its response was
    /// lost. Anything else means that somebody else has continued this history: a copy.
    package func contact(
        _ contact: Contact,
        ticket: String?,
        following number: ChangeNumber?,
        by caller: StoreCaller
    ) async throws -> ContactResponse {
        let fresh = ContentHasher.digest(
            effects.identifier(RecordID.self).bytes + effects.identifier(RecordID.self).bytes
        )
        let now = effects.now()
        return try await store.write(caller.locks) { database in
            _ = try admit(caller, database)
            guard contact.device == caller.deviceID?.rawValue else {
                throw StoreError(.malformedRequest, "The contact names a different device from the caller.")
            }
            let presented = ticket.flatMap { ContentDigest($0) }
            try WriterTable.requireForeign(contact.incarnation, database)
            var kept = try ReplicaTable.fetch(contact.incarnation, database)
            let verdict =
                kept?.judge(contact, ticket: presented) ?? IncarnationRecord.judge(contact, against: nil)
            guard verdict.remedy == .proceed else {
                try kept?.save(database)
                return ContactResponse(verdict: verdict, acknowledged: kept?.record.history.counter ?? 0, ticket: nil)
            }
            if kept == nil { try ReplicaTable.makeRoom(for: DeviceID(rawValue: contact.device), database) }
            var row =
                kept
                ?? ReplicaTable(
                    record: IncarnationRecord(first: contact, hash: .sha256),
                    ticket: fresh,
                    lastContact: now
                )
            row.record.open(contact)
            row.followed = number
            if kept != nil { row.advance(after: presented, to: fresh, at: now) }
            try row.save(database)
            return ContactResponse(
                verdict: verdict,
                acknowledged: row.record.history.counter,
                ticket: row.ticket.description
            )
        }
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

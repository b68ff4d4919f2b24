package import Authorization
import FoundationEssentials
import LibraryAPI
package import PhotoModel

extension SQLMetadataStore {
    private static let columns = "id, secondary, owner, expires, document"

    /// A server record, unless it has expired.
    package func record(_ id: RecordID, of kind: RecordKind) async throws -> StoredRecord? {
        let record = try await store.read { try Self.fetch(kind, id, $0) }
        return valid(record)
    }

    /// The record with a secondary key, unless it has expired.
    package func record(of kind: RecordKind, withSecondary key: ContentDigest) async throws -> StoredRecord? {
        let record = try await store.read { database in
            try database.statement("SELECT \(Self.columns) FROM record WHERE kind = ? AND secondary = ?")
                .row([kind.rawValue, key.blob]).map(Self.record)
        }
        return valid(record)
    }

    private func valid(_ record: StoredRecord?) -> StoredRecord? {
        guard let record, !record.isExpired(at: effects.now()) else { return nil }
        return record
    }

    /// All unexpired records of a kind.
    package func records(of kind: RecordKind) async throws -> [StoredRecord] {
        let now = effects.now()
        return try await store.read { database in
            try database.rows("SELECT \(Self.columns) FROM record WHERE kind = ? ORDER BY id", [kind.rawValue]).map(
                Self.record
            ).filter { !$0.isExpired(at: now) }
        }
    }

    /// An owner's records of a kind.
    package func records(of kind: RecordKind, ownedBy owner: String) async throws -> [StoredRecord] {
        let now = effects.now()
        return try await store.read { database in
            try Self.fetchAll(kind, ownedBy: owner, database).filter { !$0.isExpired(at: now) }
        }
    }

    /// Changes several records of a kind in one transaction.
    package func updateRecords(
        of kind: RecordKind,
        ownedBy owner: String?,
        _ body: @escaping @Sendable ([StoredRecord]) throws -> RecordChanges
    ) async throws {
        try await store.write([.library, .records(kind)]) { database in
            let now = effects.now()
            try Self.forgetExpired(kind, at: now, database)
            let changes = try body(try Self.fetchAll(kind, ownedBy: owner, database))
            for id in changes.removed { try Self.remove(kind, id, database) }
            for record in changes.written { try Self.write(record, kind, database) }
            if let audit = changes.audit { try AuditTable(database: database, chain: chain).note(audit, at: now) }
        }
    }

    static func fetchAll(
        _ kind: RecordKind,
        ownedBy owner: String?,
        _ database: any SQLSession
    ) throws -> [StoredRecord] {
        try database.rows(
            """
            SELECT \(columns) FROM record WHERE kind = ?\(owner == nil ? "" : " AND owner = ?") ORDER BY id
            """,
            SQLArguments([kind.rawValue] + (owner.map { [$0] } ?? []))
        ).map(record)
    }

    private static func forgetExpired(_ kind: RecordKind, at now: WallTime, _ database: any SQLSession) throws {
        try database.execute(
            "DELETE FROM record WHERE kind = ? AND expires <= ?",
            [kind.rawValue, now.microsecondsSince1970]
        )
    }

    private static func write(_ record: StoredRecord, _ kind: RecordKind, _ database: any SQLSession) throws {
        // A secondary key of another record moves to this one.
        if let secondary = record.secondary {
            try database.execute(
                "DELETE FROM record WHERE kind = ? AND secondary = ? AND id <> ?",
                [kind.rawValue, secondary.blob, record.id.blob]
            )
        }
        try database.execute(
            """
            INSERT INTO record (kind, id, secondary, owner, expires, document) VALUES (?, ?, ?, ?, ?, ?)
            ON CONFLICT (kind, id) DO UPDATE SET
                secondary = excluded.secondary, owner = excluded.owner, expires = excluded.expires,
                document = excluded.document
            """,
            [
                kind.rawValue, record.id.blob, record.secondary?.blob, record.owner,
                record.expires?.microsecondsSince1970, record.document,
            ]
        )
    }

    private static func remove(_ kind: RecordKind, _ id: RecordID, _ database: any SQLSession) throws {
        try database.execute("DELETE FROM record WHERE kind = ? AND id = ?", [kind.rawValue, id.blob])
    }

    /// Changes a record in one transaction.
    package func updateRecord(
        _ id: RecordID,
        of kind: RecordKind,
        closing parties: [Party],
        audit: AuditEntry.Content?,
        _ body: @escaping @Sendable (StoredRecord?) throws -> StoredRecord?
    ) async throws -> StoredRecord? {
        let isNumbered = audit != nil || !parties.isEmpty
        return try await store.write(isNumbered ? [.library, .records(kind)] : [.records(kind)]) { database in
            let now = effects.now()
            try Self.forgetExpired(kind, at: now, database)
            let next = try body(try Self.fetch(kind, id, database))
            if let next { try Self.write(next, kind, database) } else { try Self.remove(kind, id, database) }
            try close(parties, database)
            if let audit { try AuditTable(database: database, chain: chain).note(audit, at: now) }
            return next
        }
    }

    /// Adds to a device's selection, and ends its request.
    package func answerExpansion(
        of device: DeviceID,
        by actor: Actor,
        adding more: Selection,
        reason: String?,
        audit: AuditContext
    ) async throws {
        let id = RecordID(rawValue: device.rawValue)
        try await store.write([.library, .device(device), .records(.expansion)]) { database in
            let now = effects.now()
            try Self.forgetExpired(.expansion, at: now, database)
            guard try Self.fetch(.expansion, id, database) != nil else { throw StoreError.notFound(device.description) }
            try Self.remove(.expansion, id, database)
            if !more.isEmpty {
                let record = try DeviceTable.record(of: device, database).orNotFound(device)
                let change = DecisionRecord.Change.selectionAdded(more)
                _ = try decide(record, change, by: actor, reason: reason ?? "", audit: audit, database)
            }
            var content = AuditEntry.Content(.decide, by: actor.description, audit)
            content.device = device.description
            content.new = more.isEmpty ? "no more of the selection" : "more of the selection"
            content.reason = reason
            try AuditTable(database: database, chain: chain).note(content, at: now)
        }
    }

    private static func fetch(_ kind: RecordKind, _ id: RecordID, _ database: any SQLSession) throws -> StoredRecord? {
        try database.statement("SELECT \(columns) FROM record WHERE kind = ? AND id = ?")
            .row([kind.rawValue, id.blob]).map(record)
    }

    private static func record(_ row: SQLRow) throws -> StoredRecord {
        let secondary: Data? = try row["secondary"]
        let expires: Int64? = try row["expires"]
        return StoredRecord(
            id: try RecordID(blob: row["id"]),
            secondary: try secondary.map(ContentDigest.init(blob:)),
            owner: try row["owner"],
            expires: expires.map { WallTime(microsecondsSince1970: $0) },
            document: try row["document"]
        )
    }

    /// Writes an audit entry that belongs to no other change.
    package func appendAudit(_ content: AuditEntry.Content) async throws {
        try await store.write([.library]) { database in
            try AuditTable(database: database, chain: chain).note(content, at: effects.now())
        }
    }

    /// The last audit entry; nil before the first.
    package func lastAuditEntry() async throws -> AuditEntry? {
        try await store.read { database in
            try database.value(String.self, "SELECT entry FROM audit ORDER BY sequence DESC LIMIT 1")
                .map { try JSONColumn.decode($0) }
        }
    }

    /// Audit entries after a sequence number.
    package func audit(after sequence: UInt64, device: DeviceID?, limit: Int) async throws -> [AuditEntry] {
        try await store.read { database in
            try database.values(
                String.self,
                """
                SELECT entry FROM audit WHERE sequence > ?1 AND device IS NOT DISTINCT FROM coalesce(?2, device)
                ORDER BY sequence LIMIT ?3
                """,
                [Int64(clamping: sequence), device?.description, limit]
            ).map { try JSONColumn.decode($0) }
        }
    }
}

extension StoredRecord {
    fileprivate func isExpired(at now: WallTime) -> Bool { expires.map { $0 <= now } ?? false }
}

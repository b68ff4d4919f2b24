package import Authorization
import FoundationEssentials
import LibraryAPI
package import PhotoModel

extension SQLMetadataStore {
    /// Adds a new device, with the key it presented.
    package func addDevice(
        _ device: DeviceID,
        profile: DeviceProfile,
        key: DeviceKeyRecord,
        ceiling: @escaping CeilingOfTags,
        pendingLimit: Int,
        audit: AuditEntry.Content
    ) async throws -> DeviceAddition {
        try await store.write([.library]) { database in
            if try DeviceTable.record(of: device, database) != nil { return .known }
            if let owner = try database.value(
                Data.self,
                "SELECT device FROM device_key WHERE fingerprint = ?",
                [key.fingerprint.blob]
            ) {
                return .keyTaken(by: try DeviceID(blob: owner))
            }
            let pending = try database.value(Int.self, DeviceTable.pendingCount) ?? 0
            guard pending < pendingLimit else { return .tooManyPending(pending) }
            let record = DecisionRecord(
                device: device,
                ceiling: try ceiling(profile.tags, Self.policy(database)),
                at: effects.now()
            )
            try database.execute(
                "INSERT INTO device (id, record, profile, grant_version) VALUES (?, ?, ?, ?)",
                [
                    device.blob, try JSONColumn.encode(record), try JSONColumn.encode(profile),
                    Int64(bitPattern: record.grantVersion),
                ]
            )
            try DeviceTable.save(key, of: device, database)
            try AuditTable(database: database, chain: chain).append(audit, at: effects.now())
            return .added
        }
    }

    /// A device's record.
    package func device(_ id: DeviceID) async throws -> DeviceRow? {
        try await store.read { database in
            try database.statement("SELECT record, profile FROM device WHERE id = ?").row([id.blob])
                .map(DeviceTable.row)
        }
    }

    /// All devices, by identifier.
    package func devices() async throws -> [DeviceRow] {
        try await store.read { database in
            try database.rows("SELECT record, profile FROM device ORDER BY id").map(DeviceTable.row)
        }
    }

    /// The device that a key belongs to.
    package func device(withKey fingerprint: ContentDigest) async throws -> KeyOwner? {
        try await store.read { database in
            let withdrawal = database.dialect.text("hasNewWithdrawals", of: "profile")
            let statement = try database.statement(
                """
                SELECT record, \(database.dialect.text("lastRead", of: "profile")) AS last_read, fingerprint, expires, is_current,
                    CASE WHEN \(withdrawal) IS NULL THEN 0 ELSE 1 END AS has_new_withdrawals,
                    (SELECT change_number FROM library) AS last_change
                FROM device_key JOIN device ON device.id = device WHERE fingerprint = ?
                """
            )
            return try statement.row([fingerprint.blob]).map { row in
                // A database that lost changes must be noticed before the request is judged by it.
                database.note(ChangeNumber(rawValue: try row["last_change"]))
                return try DeviceTable.keyOwner(row)
            }
        }
    }

    /// The keys of a device.
    package func keys(of device: DeviceID) async throws -> [DeviceKeyRecord] {
        try await store.read { database in
            try database.rows(
                "SELECT fingerprint, expires, is_current FROM device_key WHERE device = ? ORDER BY fingerprint",
                [device.blob]
            ).map(DeviceTable.key)
        }
    }

    /// Adds or updates a device's key.
    package func setKey(
        of device: DeviceID,
        to key: DeviceKeyRecord,
        showing shown: ContentDigest,
        audit: AuditEntry.Content
    ) async throws {
        try await store.write([.library, .device(device)]) { database in
            guard try DeviceTable.holds(shown, device, database) else {
                throw StoreError(.identityMissing, "The key was replaced: use the new one.", about: device.description)
            }
            let table = AuditTable(database: database, chain: chain)
            let now = effects.now()
            guard try table.hasRoom(for: audit.event, of: device.description, at: now) else {
                throw StoreError(.slowDown, "The device had many certificates within this hour: try in an hour.")
            }
            try DeviceTable.save(key, of: device, database)
            try table.append(audit, at: now)
        }
    }

    /// Makes a key the only one of its device.
    package func useOnlyKey(_ fingerprint: ContentDigest, of device: DeviceID) async throws {
        try await store.write([.device(device)]) { database in
            try database.execute(
                "UPDATE device_key SET is_current = 1 WHERE device = ? AND fingerprint = ?",
                [device.blob, fingerprint.blob]
            )
            // A newer rotation may have replaced it meanwhile.
            guard try database.changesCount == 1 else { return }
            try database.execute(
                "DELETE FROM device_key WHERE device = ? AND fingerprint <> ?",
                [device.blob, fingerprint.blob]
            )
        }
    }

    /// Changes a device's profile.
    package func updateProfile(
        of device: DeviceID,
        closing parties: [Party],
        audit: AuditEntry.Content?,
        _ body: @escaping @Sendable (inout DeviceProfile) throws -> Void
    ) async throws -> DeviceProfile {
        try await store.write([.library, .device(device)]) { database in
            let profile = try DeviceTable.update(profileOf: device, database, body)
            try close(parties, database)
            if let audit { try AuditTable(database: database, chain: chain).append(audit, at: effects.now()) }
            return profile
        }
    }

    /// Notes that a device used a level, at most once a day.
    package func noteUse(of level: AccessLevel, by device: DeviceID) async throws {
        try await store.write([.device(device)]) { database in
            try DeviceTable.noteUse(of: level, by: device, at: effects.now(), database)
        }
    }

    /// Changes a device's decisions, with the audit entry in the same transaction.
    package func decide(
        _ device: DeviceID,
        _ change: DecisionRecord.Change,
        by actor: Actor,
        reason: String,
        audit: AuditContext
    ) async throws -> DecisionRecord {
        let decided = try await store.write([.library, .device(device)]) { database -> DecisionRecord in
            let record = try DeviceTable.record(of: device, database).orNotFound(device)
            return try decide(record, change, by: actor, reason: reason, audit: audit, database)
        }
        // It is decided even if this fails: upkeep continues, and reports what is wrong.
        if case .state = change { try? await deleteForgotten(of: device) }
        return decided
    }

    /// Changes a device's decisions within a larger transaction.
    func decide(
        _ record: DecisionRecord,
        _ change: DecisionRecord.Change,
        by actor: Actor,
        reason: String,
        audit: AuditContext,
        _ database: any SQLSession
    ) throws -> DecisionRecord {
        let device = record.device
        let now = effects.now()
        guard let proposed = try record.proposing(change, by: actor, at: now, reason: reason) else { return record }
        let next = try proposed.recorded { event, before, after in
            var content = AuditEntry.Content(event, by: actor.description, audit)
            content.device = device.description
            content.old = try JSONColumn.encode(before)
            content.new = try JSONColumn.encode(after)
            content.reason = reason
            try AuditTable(database: database, chain: chain).append(content, at: now)
        }
        try database.execute(
            "UPDATE device SET record = ?, grant_version = ? WHERE id = ?",
            [try JSONColumn.encode(next), Int64(bitPattern: next.grantVersion), device.blob]
        )
        try close([.device(device)], database)
        if record.state == .draining, next.state != .draining { try AnnouncedTable.forget(device, database) }
        switch change {
        case .answer(_, let levels), .admitted(_, let levels): try Self.close(levels, of: device, database)
        case .reset, .selection, .selectionAdded, .ceiling, .state: break
        }
        return next
    }

    private static func close(_ levels: Set<AccessLevel>, of device: DeviceID, _ database: any SQLSession) throws {
        for level in levels {
            try database.execute(
                "DELETE FROM access_request WHERE device = ? AND level = ?",
                [device.blob, level.rawValue]
            )
        }
    }

    /// Requests a level: returns the remembered answer, the open request, or a new one with its audit entry.
    ///
    /// The request's text is from then on the device's reason for the level, also once it is answered.
    package func requestAccess(
        _ level: AccessLevel,
        for device: DeviceID,
        usage: String?,
        audit: AuditContext
    ) async throws -> AccessRequests.Outcome {
        try await store.write([.library, .device(device)]) { database in
            let record = try DeviceTable.record(of: device, database).orNotFound(device)
            let now = effects.now()
            var requests = AccessRequests(open: try Self.requests(database))
            for expired in requests.expire(at: now) { try Self.close([expired.level], of: expired.device, database) }
            let outcome = try requests.request(level, for: record, usage: usage, from: audit.address ?? "", at: now)
            let request: AccessRequest
            switch outcome {
            case .remembered, .pending: return outcome
            case .opened(let new): request = new
            case .replaced(let new):
                request = new
                try Self.close([level], of: device, database)
            }
            try database.execute(
                "INSERT INTO access_request (device, level, request, opened) VALUES (?, ?, ?, ?)",
                [device.blob, level.rawValue, try JSONColumn.encode(request), request.openedAt.microsecondsSince1970]
            )
            _ = try DeviceTable.update(profileOf: device, database) { profile in
                switch level {
                case .addOnly: profile.usage.add = request.usage.text
                case .readWrite: profile.usage.readWrite = request.usage.text
                }
            }
            var content = AuditEntry.Content(.request, of: device, audit)
            content.new = level.rawValue
            content.reason = request.usage.text
            try AuditTable(database: database, chain: chain).append(content, at: now)
            return outcome
        }
    }

    private static func requests(_ database: any SQLSession) throws -> [AccessRequest] {
        try database.values(String.self, "SELECT request FROM access_request ORDER BY opened")
            .map { try JSONColumn.decode($0) }
    }

    /// All open requests.
    package func openRequests() async throws -> [AccessRequest] {
        let now = effects.now()
        return try await store.read { database in
            try Self.requests(database).filter { $0.expiresAt > now }
        }
    }
}

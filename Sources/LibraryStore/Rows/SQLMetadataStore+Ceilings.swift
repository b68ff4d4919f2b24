package import Authorization
import LibraryAPI
package import PhotoModel

// Policy is replaced under the library's lock, so what these transactions read of it is current until they end.
extension SQLMetadataStore {
    /// Admits a device unless somebody decided about it before, and gives it the token's tags with their ceiling.
    package func admit(
        _ device: DeviceID,
        _ admission: DeviceAdmission,
        ceiling: @escaping CeilingOfTags,
        by actor: Actor,
        reason: String,
        audit: AuditContext
    ) async throws {
        try await store.write([.library, .device(device)]) { database in
            let row = try Self.deviceRow(device, database)
            let change = DecisionRecord.Change.admitted(admission.answer, for: admission.levels)
            let admitted = try decide(row.record, change, by: actor, reason: reason, audit: audit, database)
            guard admitted != row.record else { return }
            var profile = row.profile
            profile.tags += admission.tags.filter { !row.profile.tags.contains($0) }
            profile.album = profile.album ?? admission.album
            try database.execute(
                "UPDATE device SET profile = ? WHERE id = ?",
                [try JSONColumn.encode(profile), device.blob]
            )
            let held = DecisionRecord.Change.ceiling(try ceiling(profile.tags, Self.policy(database)))
            _ = try decide(admitted, held, by: actor, reason: reason, audit: audit, database)
        }
    }

    /// Applies the ceiling of a device's tags.
    package func hold(
        _ device: DeviceID,
        to ceiling: @escaping CeilingOfTags,
        by actor: Actor,
        reason: String,
        audit: AuditContext
    ) async throws -> Bool {
        try await store.write([.library, .device(device)]) { database in
            let row = try Self.deviceRow(device, database)
            let change = DecisionRecord.Change.ceiling(try ceiling(row.profile.tags, Self.policy(database)))
            return try decide(row.record, change, by: actor, reason: reason, audit: audit, database) != row.record
        }
    }

    private static func deviceRow(_ id: DeviceID, _ database: any SQLSession) throws -> DeviceRow {
        let row = try database.row("SELECT record, profile FROM device WHERE id = ?", [id.blob])
        return try DeviceTable.row(row.orNotFound(id))
    }

    static func policy(_ database: any SQLSession) throws -> StoredRecord? {
        try fetchAll(.ceiling, ownedBy: nil, database).first
    }
}

import Authorization
import FoundationEssentials
import GRDB
import LibraryAPI
import Persistence
import PhotoModel

/// The rows of devices, their keys and decisions.
enum DeviceTable {
    /// The record of a device; nil if unknown.
    static func record(of id: DeviceID, _ database: Database) throws -> DecisionRecord? {
        try recordText(of: id, database).map { try JSONColumn.decode($0) }
    }

    /// The record of a device as raw text; nil if unknown.
    static func recordText(of id: DeviceID, _ database: Database) throws -> String? {
        let statement = try database.cachedStatement(sql: "SELECT record FROM device WHERE id = ?")
        return try String.fetchOne(statement, arguments: [id.blob])
    }

    /// The title of the album that a device's new assets join; nil for none.
    static func album(of id: DeviceID, _ database: Database) throws -> String? {
        let statement = try database.cachedStatement(
            sql: "SELECT json_extract(profile, '$.album') FROM device WHERE id = ?"
        )
        return try (String?).fetchOne(statement, arguments: [id.blob]).flatMap(\.self)
    }

    /// Notes that a device used a level, at most once a day: part of a transaction that writes anyway.
    static func noteUse(of level: AccessLevel, by id: DeviceID, at time: WallTime, _ database: Database) throws {
        let key =
            switch level {
            case .addOnly: "$.lastAdded"
            case .readWrite: "$.lastRead"
            }
        // Times as ISO 8601 in UTC sort as text, but for fractions of a second.
        try database.cachedStatement(
            sql: """
                UPDATE device SET profile = json_set(profile, ?1, ?2)
                WHERE id = ?3 AND coalesce(json_extract(profile, ?1), '') NOT BETWEEN ?4 AND ?2
                """
        ).execute(arguments: [
            key, time.description, id.blob, time.advanced(by: .zero - DeviceProfile.useInterval).description,
        ])
    }

    /// A device with its whole record.
    static func row(_ row: Row) throws -> DeviceRow {
        DeviceRow(record: try JSONColumn.decode(row["record"]), profile: try JSONColumn.decode(row["profile"]))
    }

    /// The key in a row.
    static func key(_ row: Row) throws -> DeviceKeyRecord {
        DeviceKeyRecord(
            fingerprint: try ContentDigest(blob: row["fingerprint"]),
            certificateExpires: WallTime(microsecondsSince1970: row["expires"]),
            isCurrent: row["is_current"]
        )
    }

    /// Adds or updates a device's key.
    static func save(_ key: DeviceKeyRecord, of device: DeviceID, _ database: Database) throws {
        let owner = try Data.fetchOne(
            database,
            sql: "SELECT device FROM device_key WHERE fingerprint = ?",
            arguments: [key.fingerprint.blob]
        )
        guard owner == nil || owner == device.blob else {
            throw StoreError(.enrollmentConflict, "The key belongs to another device: make a new one.")
        }
        try database.execute(
            sql: "INSERT OR REPLACE INTO device_key (fingerprint, device, expires, is_current) VALUES (?, ?, ?, ?)",
            arguments: [
                key.fingerprint.blob, device.blob, key.certificateExpires.microsecondsSince1970, key.isCurrent,
            ]
        )
    }
}

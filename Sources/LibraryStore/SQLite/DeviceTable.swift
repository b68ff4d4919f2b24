import Authorization
import FoundationEssentials
import GRDB
import LibraryAPI
import Persistence
import PhotoModel

/// Rows of devices, their keys and decisions.
enum DeviceTable {
    /// What is decided of a device; nil when it is not known.
    static func record(of id: DeviceID, _ database: Database) throws -> DecisionRecord? {
        try recordText(of: id, database).map { try JSONColumn.decode($0) }
    }

    /// What is decided of a device, as its row has it; nil when it is not known.
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

    /// A device with everything that is recorded of it.
    static func row(_ row: Row) throws -> DeviceRow {
        DeviceRow(record: try JSONColumn.decode(row[0]), profile: try JSONColumn.decode(row[1]))
    }

    /// A key as its row has it.
    static func key(_ row: Row) throws -> DeviceKeyRecord {
        DeviceKeyRecord(
            fingerprint: try ContentDigest(blob: row["fingerprint"]),
            certificateExpires: WallTime(microsecondsSince1970: row["expires"]),
            isCurrent: row["is_current"]
        )
    }

    /// Adds a key to a device, or replaces what is known of it.
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

import Authorization
import FoundationEssentials
import LibraryAPI
import Persistence
import PhotoModel

/// The rows of devices, their keys and decisions.
enum DeviceTable {
    /// The record of a device; nil if unknown.
    static func record(of id: DeviceID, _ database: any SQLSession) throws -> DecisionRecord? {
        try recordText(of: id, database).map { try JSONColumn.decode($0) }
    }

    /// The record of a device as raw text; nil if unknown.
    static func recordText(of id: DeviceID, _ database: any SQLSession) throws -> String? {
        let statement = try database.statement("SELECT record FROM device WHERE id = ?")
        return try statement.value(String.self, [id.blob])
    }

    /// Counts the devices that wait for a decision, by the index `device_pending`.
    static let pendingCount = """
        SELECT count(*) FROM device WHERE CASE WHEN record -> 'state' -> 'pending' IS NULL THEN 0 ELSE 1 END = 1
        """

    /// What a save needs of a device's profile.
    struct SavingProfile {
        /// The title of the album that its new assets join; nil for none.
        let album: String?
        /// When it last added assets, as noted.
        fileprivate let lastAdded: String?
    }

    /// What a save needs of a device's profile; nil for an unknown device.
    static func savingProfile(of id: DeviceID, _ database: any SQLSession) throws -> SavingProfile? {
        let statement = try database.statement(
            """
            SELECT \(database.dialect.text("album", of: "profile")) AS album,
                \(database.dialect.text("lastAdded", of: "profile")) AS last_added
            FROM device WHERE id = ?
            """
        )
        return try statement.row([id.blob]).map { row in
            SavingProfile(album: try row["album"], lastAdded: try row["last_added"])
        }
    }

    /// Notes that a device added assets, at most once a day, within a transaction that writes anyway.
    static func noteAdding(
        by id: DeviceID,
        _ known: SavingProfile?,
        at time: WallTime,
        _ database: any SQLSession
    ) throws {
        guard isDue(known?.lastAdded, at: time) else { return }
        try note(.addOnly, by: id, at: time, database)
    }

    /// Notes that a device used a level, at most once a day, within a transaction that writes anyway.
    static func noteUse(of level: AccessLevel, by id: DeviceID, at time: WallTime, _ database: any SQLSession) throws {
        let name =
            switch level {
            case .addOnly: "lastAdded"
            case .readWrite: "lastRead"
            }
        let last = database.dialect.text(name, of: "profile")
        let statement = try database.statement("SELECT \(last) FROM device WHERE id = ?")
        guard isDue(try statement.value(String.self, [id.blob]), at: time) else { return }
        try note(level, by: id, at: time, database)
    }

    /// Whether a use is to be noted, by the last note.
    private static func isDue(_ last: String?, at time: WallTime) -> Bool {
        // Times as ISO 8601 in UTC sort as text, except for fractions of a second.
        let recent = time.advanced(by: .zero - DeviceProfile.useInterval).description...time.description
        return !(last.map { recent.contains($0) } ?? false)
    }

    private static func note(
        _ level: AccessLevel,
        by id: DeviceID,
        at time: WallTime,
        _ database: any SQLSession
    ) throws {
        let known = try database.value(
            String.self,
            "SELECT profile FROM device WHERE id = ?\(database.dialect.locking)",
            [id.blob]
        )
        guard let known else { return }
        var profile: DeviceProfile = try JSONColumn.decode(known)
        switch level {
        case .addOnly: profile.lastAdded = time
        case .readWrite: profile.lastRead = time
        }
        try database.execute("UPDATE device SET profile = ? WHERE id = ?", [try JSONColumn.encode(profile), id.blob])
    }

    /// Changes a device's profile; returns the new one.
    ///
    /// - Throws: `notFound` for an unknown device, the body's error.
    static func update(
        profileOf id: DeviceID,
        _ database: any SQLSession,
        _ body: (inout DeviceProfile) throws -> Void
    ) throws -> DeviceProfile {
        let stored = try database.statement("SELECT profile FROM device WHERE id = ?")
        var profile: DeviceProfile = try JSONColumn.decode(stored.value(String.self, [id.blob]).orNotFound(id))
        try body(&profile)
        try database.statement("UPDATE device SET profile = ?, last_seen = ? WHERE id = ?").execute([
            try JSONColumn.encode(profile), profile.lastSeen?.microsecondsSince1970, id.blob,
        ])
        return profile
    }

    /// A device with its whole record.
    static func row(_ row: SQLRow) throws -> DeviceRow {
        DeviceRow(record: try JSONColumn.decode(row["record"]), profile: try JSONColumn.decode(row["profile"]))
    }

    /// The owner of the key in a row.
    static func keyOwner(_ row: SQLRow) throws -> KeyOwner {
        let lastRead: String? = try row["last_read"]
        return KeyOwner(
            record: try JSONColumn.decode(row["record"]),
            key: try key(row),
            lastRead: lastRead.flatMap { WallTime($0) },
            hasNewWithdrawals: try row["has_new_withdrawals"]
        )
    }

    /// The key in a row.
    static func key(_ row: SQLRow) throws -> DeviceKeyRecord {
        DeviceKeyRecord(
            fingerprint: try ContentDigest(blob: row["fingerprint"]),
            certificateExpires: WallTime(microsecondsSince1970: try row["expires"]),
            isCurrent: try row["is_current"]
        )
    }

    /// Whether a key is a device's.
    static func holds(_ fingerprint: ContentDigest, _ device: DeviceID, _ database: any SQLSession) throws -> Bool {
        let statement = try database.statement("SELECT 1 FROM device_key WHERE fingerprint = ? AND device = ?")
        return try statement.value(Int.self, [fingerprint.blob, device.blob]) != nil
    }

    /// Adds or updates a device's key; a new one replaces others that were never used.
    static func save(_ key: DeviceKeyRecord, of device: DeviceID, _ database: any SQLSession) throws {
        let owner = try database.value(
            Data.self,
            "SELECT device FROM device_key WHERE fingerprint = ?",
            [key.fingerprint.blob]
        )
        guard owner == nil || owner == device.blob else {
            throw StoreError(.enrollmentConflict, "The key belongs to another device: make a new one.")
        }
        if !key.isCurrent {
            try database.execute("DELETE FROM device_key WHERE device = ? AND is_current = 0", [device.blob])
        }
        try database.execute(
            """
            INSERT INTO device_key (fingerprint, device, expires, is_current) VALUES (?, ?, ?, ?)
            ON CONFLICT (fingerprint) DO UPDATE SET
                device = excluded.device, expires = excluded.expires, is_current = excluded.is_current
            """,
            [key.fingerprint.blob, device.blob, key.certificateExpires.microsecondsSince1970, key.isCurrent]
        )
    }
}

import FoundationEssentials
import GRDB
import LibraryAPI
package import PhotoModel
package import Replication

extension AgentStore {
    /// Names of what is remembered between contacts.
    package enum Fact {
        /// What the box's replica writes with (`ReplicaAuthor`).
        package static let author = "replica.author"
        /// How far the change feed was read.
        static let cursor = "replica.cursor"
        /// The server's clock against this boot's monotonic one (`LearnedClock`).
        package static let clock = "clock"
        /// The library's history that every receipt here is of.
        static let epoch = "library.epoch"
        /// When the view was last compared with the library's, by the library's clock.
        static let comparison = "replica.compared"
        /// The continuity ticket for the next contact.
        package static let ticket = "replica.ticket"
        /// What the device may do, as it was last told (`AuthorizationResponse`).
        package static let authorization = "authorization"
        /// Why the library did not take the box for its device at the last contact (`HoldReason`); null where it did.
        package static let identityHold = "identity.hold"
        /// What the library last said of the box's enrolment, in words, with what to do.
        package static let admission = "admission.answer"
        /// Up to which change the library's originals are in a backup.
        package static let backupWatermark = "backup.watermark"
        /// How the box is being retired (`DrainRecord`).
        static let drain = "drain"
        /// When the device last asked by itself for more of the library, by the library's clock.
        package static let expansionReminder = "expansion.reminder"
        /// When the library last answered.
        package static let lastContact = "contact.last"
    }

    /// A remembered value; nil when there is none, or none of this shape.
    package func fact<Value: Decodable>(_ name: String, as type: Value.Type = Value.self) throws -> Value? {
        let bytes = try database.read { database in
            try Data.fetchOne(database, sql: "SELECT value FROM facts WHERE name = ?", arguments: [name])
        }
        return bytes.flatMap { try? Self.value(type, from: Array($0)) }
    }

    /// Remembers a value durably.
    package func setFact(_ name: String, to value: some Encodable & Sendable) throws {
        try setFacts([name: value])
    }

    /// Remembers values durably and together; what is known already costs nothing.
    package func setFacts(_ facts: [String: any Encodable & Sendable]) throws {
        var rows: [(name: String, value: Data)] = []
        for (name, value) in facts.sorted(by: { $0.key < $1.key }) { rows.append((name, try Self.blob(value))) }
        try database.write { [rows] database in
            for row in rows { try Self.remember(row.name, row.value, database) }
        }
    }

    /// Remembers a value in a transaction that does more than that; what is known already costs nothing.
    static func remember(_ name: String, _ value: Data, _ database: Database) throws {
        try database.execute(
            sql: """
                INSERT INTO facts (name, value) VALUES (?, ?)
                ON CONFLICT (name) DO UPDATE SET value = excluded.value WHERE value IS NOT excluded.value
                """,
            arguments: [name, value]
        )
    }

    /// Makes the box a device: what it captures from now on, and what it captured before it was any, belongs to it.
    package func setDevice(_ device: DeviceID) throws {
        try database.write { database in
            try Self.remember("device", Data(device.description.utf8), database)
            for row in try Row.fetchAll(database, sql: "SELECT * FROM entries WHERE device_id IS NULL") {
                var manifest = try Self.entry(row).manifest
                manifest.deviceID = device
                try database.execute(
                    sql: "UPDATE entries SET manifest = ?, device_id = ? WHERE asset_id = ?",
                    arguments: [try Self.blob(manifest), device.description, manifest.id.description]
                )
            }
        }
    }

    /// Makes the box another device than it was.
    ///
    /// What the library told the former one is forgotten, and what waits to be told is told under a new name. What was
    /// captured by the former device stays its own.
    ///
    /// - Parameters:
    ///   - device: the device that the box is now.
    ///   - incarnation: a name that no replica has had.
    /// - Throws: `storage`.
    package func replaceDevice(by device: DeviceID, as incarnation: ReplicaID) throws {
        try replica { rows in
            try Self.begin(incarnation, rows)
            for name in [Fact.ticket, Fact.authorization, Fact.identityHold, Fact.drain, Fact.comparison, "device"] {
                try rows.database.execute(sql: "DELETE FROM facts WHERE name = ?", arguments: [name])
            }
        }
        try setDevice(device)
    }

    /// The device that the box is; nil before its enrolment.
    package func device() throws -> DeviceID? {
        try database.read { try Self.device($0) }
    }

    /// The same, in a transaction that does more than that.
    static func device(_ database: Database) throws -> DeviceID? {
        try Data.fetchOne(database, sql: "SELECT value FROM facts WHERE name = 'device'")
            .flatMap { DeviceID(String(decoding: $0, as: UTF8.self)) }
    }
}

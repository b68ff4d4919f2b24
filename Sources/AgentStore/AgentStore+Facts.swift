import FoundationEssentials
import GRDB
import LibraryAPI
package import PhotoModel
package import Replication

extension AgentStore {
    /// Names of values remembered between contacts.
    package enum Fact {
        /// The replica's writing state (`ReplicaAuthor`).
        package static let author = "replica.author"
        /// The position in the change feed.
        static let cursor = "replica.cursor"
        /// The server's clock relative to this boot's monotonic one (`LearnedClock`).
        package static let clock = "clock"
        /// The library history of all receipts here.
        static let epoch = "library.epoch"
        /// When the view was last compared with the library's, by the library's clock.
        static let comparison = "replica.compared"
        /// The continuity ticket for the next contact.
        package static let ticket = "replica.ticket"
        /// The last known authorization (`AuthorizationResponse`).
        package static let authorization = "authorization"
        /// Why the library rejected the box's identity at the last contact (`HoldReason`); null if it did not.
        package static let identityHold = "identity.hold"
        /// The library's last words about the box's enrolment, with what to do.
        package static let admission = "admission.answer"
        /// The change up to which the library is backed up.
        package static let backupWatermark = "backup.watermark"
        /// The record of being retired (`DrainRecord`).
        static let drain = "drain"
        /// When the device last asked by itself for a larger selection, by the library's clock.
        package static let expansionReminder = "expansion.reminder"
        /// When the library last responded.
        package static let lastContact = "contact.last"
        /// What holds for the box's cameras and microphones (`[DeviceConsent]`).
        package static let consents = "consents"
        /// Up to which withdrawal of a consent the box has followed.
        package static let consentWithdrawal = "consent.withdrawal"
    }

    /// A remembered value; nil if absent or of another shape.
    package func fact<Value: Decodable>(_ name: String, as type: Value.Type = Value.self) throws -> Value? {
        let bytes = try database.read { database in
            try Data.fetchOne(database, sql: "SELECT value FROM facts WHERE name = ?", arguments: [name])
        }
        return bytes.flatMap { try? Self.value(type, from: Array($0)) }
    }

    /// Stores a value durably.
    package func setFact(_ name: String, to value: some Encodable & Sendable) throws {
        try setFacts([name: value])
    }

    /// Stores values durably and atomically; unchanged ones cost nothing.
    package func setFacts(_ facts: [String: any Encodable & Sendable]) throws {
        var rows: [(name: String, value: Data)] = []
        for (name, value) in facts.sorted(by: { $0.key < $1.key }) { rows.append((name, try Self.blob(value))) }
        try database.write { [rows] database in
            for row in rows { try Self.remember(row.name, row.value, database) }
        }
    }

    /// Stores a value within a larger transaction; an unchanged one costs nothing.
    static func remember(_ name: String, _ value: Data, _ database: Database) throws {
        try database.execute(
            sql: """
                INSERT INTO facts (name, value) VALUES (?, ?)
                ON CONFLICT (name) DO UPDATE SET value = excluded.value WHERE value IS NOT excluded.value
                """,
            arguments: [name, value]
        )
    }

    /// Makes the box a device, which owns its captures from now on, and those from before it was one.
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

    /// Makes the box a different device.
    ///
    /// State received by the former device is forgotten, and pending changes are pushed under a new incarnation. The
    /// former device's captures stay its own.
    ///
    /// - Parameters:
    ///   - device: the new device.
    ///   - incarnation: an incarnation never used before.
    /// - Throws: `storage`.
    package func replaceDevice(by device: DeviceID, as incarnation: ReplicaID) throws {
        try replica { rows in
            try Self.begin(incarnation, rows)
            for name in [
                Fact.ticket, Fact.authorization, Fact.identityHold, Fact.drain, Fact.comparison,
                Fact.consentWithdrawal, "device",
            ] {
                try rows.database.execute(sql: "DELETE FROM facts WHERE name = ?", arguments: [name])
            }
        }
        try setDevice(device)
    }

    /// The box's device; nil before its enrolment.
    package func device() throws -> DeviceID? {
        try database.read { try Self.device($0) }
    }

    /// The same, within a larger transaction.
    static func device(_ database: Database) throws -> DeviceID? {
        try Data.fetchOne(database, sql: "SELECT value FROM facts WHERE name = 'device'")
            .flatMap { DeviceID(String(decoding: $0, as: UTF8.self)) }
    }
}

import FoundationEssentials
import GRDB
import LibraryAPI
package import PhotoModel
package import Replication

extension AgentStore {
    /// A remembered value; nil if there is none.
    ///
    /// - Throws: `storage`, also for an unreadable value: ignoring it could undo what it records.
    package func fact<Value>(_ fact: Fact<Value>) throws -> Value? {
        try database.read { try fact.value($0) }
    }

    /// Stores a value durably; an unchanged one costs nothing.
    package func setFact<Value>(_ fact: Fact<Value>, to value: Value?) throws {
        try setFacts([StoredFact(fact, value)])
    }

    /// Stores values durably and atomically; unchanged ones cost nothing.
    package func setFacts(_ facts: [StoredFact]) throws {
        try database.write { database in
            for fact in facts { try Self.remember(fact.name, fact.value, database) }
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

    /// Makes the box a device, which owns its captures from now on and any from before its enrolment.
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

    /// Makes the box a different device, under an incarnation never used before.
    ///
    /// State received by the former device is forgotten, and pending changes are pushed under the new incarnation. The
    /// former device's captures stay its own.
    ///
    /// - Throws: `storage`.
    package func replaceDevice(by device: DeviceID, as incarnation: ReplicaID) throws {
        try replica { rows in
            try Self.begin(incarnation, rows)
            for name in [
                Fact.ticket.name, Fact.authorization.name, Fact.identityHold.name, Fact.revocation.name,
                Fact.drain.name, Fact.comparison.name, Fact.consentWithdrawal.name, "device",
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
        try Data.fetchOne(database.cachedStatement(sql: "SELECT value FROM facts WHERE name = 'device'"))
            .flatMap { DeviceID(String(decoding: $0, as: UTF8.self)) }
    }
}

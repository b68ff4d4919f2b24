package import Authorization
import FoundationEssentials
import GRDB
package import LibraryAPI
package import PhotoModel

/// A value that the box remembers between contacts, under the name of its row.
package struct Fact<Value: Codable & Sendable>: Sendable {
    let name: String

    /// Creates a fact with a unique name.
    package init(_ name: String) {
        self.name = name
    }

    /// The value within a transaction; nil if there is none.
    func value(_ database: Database) throws -> Value? {
        let row = try Data.fetchOne(database, sql: "SELECT value FROM facts WHERE name = ?", arguments: [name])
        guard let row else { return nil }
        do {
            return try AgentStore.value(Value?.self, from: Array(row))
        } catch {
            throw AgentStoreError(
                .storage,
                nil,
                "the queue's record \(name) cannot be read: check its disk; tintype-agent queue export saves "
                    + "what is waiting",
                cause: error
            )
        }
    }

    /// Stores the value within a transaction; an unchanged one costs nothing.
    func set(_ value: Value?, _ database: Database) throws {
        try AgentStore.remember(name, AgentStore.blob(value), database)
    }
}

/// A fact and the value to store for it.
package struct StoredFact: Sendable {
    let name: String
    let value: Data

    /// Encodes a value; nil removes it.
    package init<Value>(_ fact: Fact<Value>, _ value: Value?) throws {
        name = fact.name
        self.value = try AgentStore.blob(value)
    }
}

extension Fact<ReplicaAuthor> {
    /// The replica's writing state.
    static var author: Fact<ReplicaAuthor> { Self("replica.author") }
}

extension Fact<ReplicaCursor> {
    /// The position in the change feed.
    static var cursor: Fact<ReplicaCursor> { Self("replica.cursor") }
}

extension Fact<LibraryEpoch> {
    /// The library history of all receipts here.
    static var epoch: Fact<LibraryEpoch> { Self("library.epoch") }
}

extension Fact<[LibraryEpoch]> {
    /// Histories that the library left, latest last: their receipts prove nothing any more.
    static var formerEpochs: Fact<[LibraryEpoch]> { Self("library.formerEpochs") }
}

extension Fact<DrainRecord> {
    /// The record of being retired.
    static var drain: Fact<DrainRecord> { Self("drain") }
}

extension Fact<WallTime> {
    /// When the view was last compared with the library's, by the library's clock.
    static var comparison: Fact<WallTime> { Self("replica.compared") }
    /// When the device last asked by itself for a larger selection, by the library's clock.
    package static var expansionReminder: Fact<WallTime> { Self("expansion.reminder") }
    /// When the library first said that the device was revoked, by the library's clock; older than the present hold if
    /// that has another reason.
    package static var revocation: Fact<WallTime> { Self("identity.revoked") }
    /// When the library last responded.
    package static var lastContact: Fact<WallTime> { Self("contact.last") }
    /// The scheduled moment that a profile captured last, on a box that sleeps in between.
    package static func capturedMoment(of profile: String) -> Fact<WallTime> { Self("capture.moment.\(profile)") }
}

extension Fact<String> {
    /// The continuity ticket for the next contact.
    package static var ticket: Fact<String> { Self("replica.ticket") }
    /// The library's last response about the box's enrolment, with what to do.
    package static var admission: Fact<String> { Self("admission.answer") }
}

extension Fact<AuthorizationResponse> {
    /// The last known authorization.
    package static var authorization: Fact<AuthorizationResponse> { Self("authorization") }
}

extension Fact<HoldReason> {
    /// Why the library rejected the box's identity at the last contact; nil if it did not.
    package static var identityHold: Fact<HoldReason> { Self("identity.hold") }
}

extension Fact<ChangeNumber> {
    /// The change up to which the library is backed up.
    package static var backupWatermark: Fact<ChangeNumber> { Self("backup.watermark") }
}

extension Fact<[DeviceConsent]> {
    /// The consents for the box's cameras and microphones.
    package static var consents: Fact<[DeviceConsent]> { Self("consents") }
}

extension Fact<UInt64> {
    /// The last withdrawal of a consent that the box has applied.
    package static var consentWithdrawal: Fact<UInt64> { Self("consent.withdrawal") }
    /// How often freed assets were forgotten, whose files count as new from then on.
    package static var forgettingCount: Fact<UInt64> { Self("entries.forgotten") }
}

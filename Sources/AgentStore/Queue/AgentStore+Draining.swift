import FoundationEssentials
import GRDB
import Persistence
package import PhotoModel

/// A box's record of being retired.
package struct DrainRecord: Hashable, Sendable, Codable {
    /// The device being retired; a different one may accept captures again.
    package var device: DeviceID
    /// Shots already begun when the list was closed, the last ones accepted; nil while it is open.
    package var begun: [AssetID]?
    /// Whether everything was delivered, and the device's rights have ended.
    package var isEnded = false
}

extension AgentStore {
    /// The record of being retired; nil if the box is not.
    package func draining() throws -> DrainRecord? {
        try database.read { try Self.mark($0) }
    }

    /// Stops accepting new captures, except those already begun.
    package func beginDraining() throws {
        try changeMark { mark, device in
            if mark == nil, let device { mark = DrainRecord(device: device) }
        }
    }

    /// Closes the list: from now on only these shots, begun but not in the queue yet, are accepted.
    ///
    /// - Throws: `storage`.
    package func closeDraining(begun: [AssetID]) throws {
        try changeMark { mark, _ in
            if mark?.begun == nil { mark?.begun = begun }
        }
    }

    /// Records that everything was delivered and the device's rights have ended.
    package func noteDrained() throws {
        try changeMark { mark, _ in mark?.isEnded = true }
    }

    /// Ends draining: the box stays in use, or is a different device now.
    package func endDraining() throws {
        guard try draining() != nil else { return }
        try changeMark { mark, _ in mark = nil }
    }

    /// A page of a device's assets owed to the library, by identifier.
    ///
    /// - Throws: `storage`.
    package func owedAssets(of device: DeviceID, after last: AssetID?, limit: Int) throws -> [AssetID] {
        try database.read { database in
            try String.fetchAll(
                database,
                sql: """
                    SELECT asset_id FROM entries
                    WHERE state IN ('captured', 'held', 'uploading') AND device_id = ? AND asset_id > ?
                    ORDER BY asset_id LIMIT ?
                    """,
                arguments: [device.description, last?.description ?? "", limit]
            ).compactMap { AssetID($0) }
        }
    }

    /// Shots whose files are being written, also by other processes.
    ///
    /// - Throws: `storage`.
    package func begunShots() throws -> [AssetID] {
        try Self.stored { () throws(Persistence.PersistenceError) in try fileSystem.list(spool) }
            .compactMap { AssetID($0) }
    }

    /// Whether no shot has begun, and nothing of a device is owed to the library.
    ///
    /// - Throws: `storage`.
    package func isEmptied(of device: DeviceID) throws -> Bool {
        // In a transaction, because the transaction that creates a shot's row also moves its folder out of the spool.
        try database.write { database in
            let owed = try Bool.fetchOne(
                database,
                sql: """
                    SELECT EXISTS (SELECT 1 FROM entries
                    WHERE state IN ('captured', 'held', 'uploading') AND device_id = ?)
                    """,
                arguments: [device.description]
            )
            return try owed == false && begunShots().isEmpty
        }
    }

    /// Refuses assets that are not on the list if the box is being retired.
    ///
    /// - Throws: `draining`.
    package func requireWelcome(_ assets: [AssetID]) throws {
        try database.read { try Self.requireWelcome(assets, $0) }
    }

    /// The same, within the accepting transaction.
    static func requireWelcome(_ assets: [AssetID], _ database: Database) throws {
        guard let begun = try mark(database)?.begun, let asset = assets.first(where: { !begun.contains($0) }) else {
            return
        }
        throw AgentStoreError.draining(asset)
    }

    private static func mark(_ database: Database) throws -> DrainRecord? {
        guard let mark = try Fact.drain.value(database), try device(database) == mark.device else { return nil }
        return mark
    }

    private func changeMark(_ change: (inout DrainRecord?, DeviceID?) -> Void) throws {
        try database.write { database in
            var mark = try Self.mark(database)
            try change(&mark, Self.device(database))
            try Fact.drain.set(mark, database)
        }
    }
}

extension AgentStoreError {
    /// The error for a new capture on a box being retired.
    package static func draining(_ asset: AssetID?) -> AgentStoreError {
        AgentStoreError(
            .draining,
            asset,
            "this box is being retired: it sends what it has and takes nothing new; an administrator can keep it with "
                + "tintypectl device drain <device> --cancel"
        )
    }
}

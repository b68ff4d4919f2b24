import FoundationEssentials
import GRDB
package import PhotoModel

/// What a box remembers of being retired, as the device that it is.
package struct DrainRecord: Hashable, Sendable, Codable {
    /// The device that is being retired; another one may take captures in again.
    package var device: DeviceID
    /// Shots that had been begun when the list of what is left was closed, the last that are taken in; nil while it is open.
    package var begun: [AssetID]?
    /// Whether everything was delivered, and the device's rights have ended.
    package var isEnded = false

    /// A mark that says no more than that.
    package init(device: DeviceID, begun: [AssetID]? = nil) {
        self.device = device
        self.begun = begun
    }
}

extension AgentStore {
    /// How the box is being retired; nil while it is not.
    package func draining() throws -> DrainRecord? {
        try database.read { try Self.mark($0) }
    }

    /// Takes nothing new from now on but what had been begun.
    package func beginDraining() throws {
        try changeMark { mark, device in
            if mark == nil, let device { mark = DrainRecord(device: device) }
        }
    }

    /// Closes the list of what is left: from now on only these are taken in.
    ///
    /// - Parameter begun: shots that have been begun and are not in the queue yet.
    /// - Throws: `storage`.
    package func closeDraining(begun: [AssetID]) throws {
        try changeMark { mark, _ in
            if mark?.begun == nil { mark?.begun = begun }
        }
    }

    /// Notes that all was delivered and the device is none any more.
    package func noteDrained() throws {
        try changeMark { mark, _ in mark?.isEnded = true }
    }

    /// The box stays after all, or is another device now.
    package func endDraining() throws {
        guard try draining() != nil else { return }
        try changeMark { mark, _ in mark = nil }
    }

    /// Assets of a device that the library still has to get, by identifier.
    ///
    /// - Parameters:
    ///   - device: the device.
    ///   - last: those after this one.
    ///   - limit: how many at most.
    /// - Returns: a page.
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

    /// Refuses to take in what is not on the list of a box that is being retired.
    ///
    /// - Parameter assets: what would be taken in.
    /// - Throws: `retiring`.
    package func requireWelcome(_ assets: [AssetID]) throws {
        try database.read { try Self.requireWelcome(assets, $0) }
    }

    /// The same, in the transaction that takes them in.
    static func requireWelcome(_ assets: [AssetID], _ database: Database) throws {
        guard let begun = try mark(database)?.begun, let asset = assets.first(where: { !begun.contains($0) }) else {
            return
        }
        throw AgentStoreError.retiring(asset)
    }

    private static func mark(_ database: Database) throws -> DrainRecord? {
        let value = try Data.fetchOne(database, sql: "SELECT value FROM facts WHERE name = ?", arguments: [Fact.drain])
        guard let value, let mark = try? Self.value(DrainRecord.self, from: Array(value)),
            try device(database) == mark.device
        else { return nil }
        return mark
    }

    private func changeMark(_ change: (inout DrainRecord?, DeviceID?) -> Void) throws {
        try database.write { database in
            var mark = try Self.mark(database)
            try change(&mark, Self.device(database))
            guard let mark else {
                return try database.execute(sql: "DELETE FROM facts WHERE name = ?", arguments: [Fact.drain])
            }
            try Self.remember(Fact.drain, Self.blob(mark), database)
        }
    }
}

extension AgentStoreError {
    /// A box that is being retired takes nothing new.
    package static func retiring(_ asset: AssetID?) -> AgentStoreError {
        AgentStoreError(
            .retiring,
            asset,
            "this box is being retired: it sends what it has and takes nothing new; an administrator may let it stay with "
                + "tintypectl device drain <device> --cancel"
        )
    }
}

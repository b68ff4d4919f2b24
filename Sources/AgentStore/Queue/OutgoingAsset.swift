import FoundationEssentials
import GRDB
package import PhotoModel

/// An entry as far as sending it and judging its receipt need it.
///
/// The manifest is sent as it is stored; of it only the resources are decoded.
package struct OutgoingAsset: Hashable, Sendable, Identifiable {
    private struct Resources: Decodable {
        let resources: [AssetResource]
    }

    /// The asset's identifier.
    package let id: AssetID
    /// The owning device; nil while the box has never been enrolled.
    package let deviceID: DeviceID?
    /// Whether it is still owed to the library.
    package let isOwed: Bool
    /// Its resources.
    package let resources: [AssetResource]
    /// Its manifest, as JSON.
    package let manifest: [UInt8]

    fileprivate init(_ id: AssetID, _ row: Row) throws {
        let document: Data = row["manifest"]
        let device: String? = row["device_id"]
        self.id = id
        deviceID = device.flatMap { DeviceID($0) }
        isOwed = row["is_owed"]
        resources = try JSONDecoder().decode(Resources.self, from: document).resources
        manifest = Array(document)
    }
}

extension AgentStore {
    /// The assets' entries in the same order; assets not in the queue are left out.
    ///
    /// - Throws: `storage`.
    package func outgoing(_ assets: some Collection<AssetID>) throws -> [OutgoingAsset] {
        let rows = try database.read { database in
            let statement = try database.cachedStatement(
                sql: """
                    SELECT manifest, device_id, state IN ('captured', 'held', 'uploading') AS is_owed
                    FROM entries WHERE asset_id = ?
                    """
            )
            return try assets.compactMap { asset in
                try Row.fetchOne(statement, arguments: [asset.description]).map { (asset, $0) }
            }
        }
        return try rows.map { try OutgoingAsset($0, $1) }
    }
}

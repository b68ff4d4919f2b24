import FoundationEssentials
package import LibraryAPI
package import PhotoModel
import Replication

extension SQLMetadataStore {
    /// Values of an asset's fields that lost to concurrent ones; nil if it does not exist or is not in the view.
    package func supersededEdits(of id: AssetID, in view: LibraryView) async throws -> [SupersededEdit]? {
        try await store.read { database in
            guard try AssetTable.fetch(id, in: view, database) != nil else { return nil }
            let entity = EntityReference.asset(id)
            guard let bytes = try EntityTable.state(of: entity, database),
                let fields = try ReplicaState(canonicalBytes: bytes).entityView(entity.id)
            else { return [] }
            return try AssetFields.restorable.flatMap { field in
                try (fields.register(field)?.superseded ?? []).compactMap { write in
                    guard let edit = AssetFields.edit(restoring: write.value, to: field) else { return nil }
                    return SupersededEdit(
                        edit: edit,
                        time: WallTime(millisecondsSince1970: Int64(clamping: write.stamp.milliseconds)),
                        deviceID: try Self.device(of: write.dot.replica, database)
                    )
                }
            }
        }
    }

    private static func device(of replica: ReplicaID, _ database: any SQLSession) throws -> DeviceID? {
        try database.value(
            Data.self,
            "SELECT device FROM replica WHERE incarnation = ?",
            [AssetID(rawValue: replica.rawValue).blob]
        ).map(DeviceID.init(blob:))
    }
}

import GRDB
package import LibraryAPI
package import PhotoModel
import Replication

extension SQLiteMetadataStore {
    /// Changes fields of many assets as the server's replica, in one transaction but each independently.
    package func edit(
        _ bulk: BulkEdit,
        in view: LibraryView,
        by caller: StoreCaller
    ) async throws -> [Result<Asset, any Error>] {
        try await database.write { database in
            _ = try admit(caller, database)
            return try bulk.assets.map { id in
                var outcome: Result<Asset, any Error> = .failure(StoreError.notFound(id.description))
                // A refused asset leaves no trace and does not affect the others.
                try database.inSavepoint {
                    do {
                        outcome = .success(try edited(id, by: bulk, in: view, caller, database))
                        return .commit
                    } catch let error where error is StoreError || error is ReplicationError {
                        outcome = .failure(error)
                        return .rollback
                    }
                }
                return outcome
            }
        }
    }

    private func edited(
        _ id: AssetID,
        by bulk: BulkEdit,
        in view: LibraryView,
        _ caller: StoreCaller,
        _ database: Database
    ) throws -> Asset {
        guard let asset = try AssetTable.fetch(id, in: view, database) else {
            throw StoreError.notFound(id.description)
        }
        let edit = bulk.edit(of: asset)
        return try change(id, edit.fieldNames, in: view, by: caller, database) { state, author in
            _ = try edit.write(to: id, in: &state, by: &author)
        }
    }
}

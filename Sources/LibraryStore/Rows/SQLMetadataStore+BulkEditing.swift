package import LibraryAPI
package import PhotoModel
import Replication

extension SQLMetadataStore {
    /// Changes fields of many assets as the server's replica, each independently.
    ///
    /// It takes as many writer turns as it needs (`WriterTurn`), each a separate transaction that judges the caller
    /// again. Once refused, it changes no further asset.
    package func edit(
        _ bulk: BulkEdit,
        in view: LibraryView,
        by caller: StoreCaller
    ) async throws -> [Result<Asset, any Error>] {
        var outcomes: [Result<Asset, any Error>] = []
        while outcomes.count < bulk.assets.count {
            let rest = bulk.assets.indices.dropFirst(outcomes.count)
            do {
                // Others waiting for the writer get their turn in between.
                outcomes += try await store.write([.library]) { try turn(rest, of: bulk, in: view, by: caller, $0) }
            } catch  where !outcomes.isEmpty && !(error is CancellationError) {
                outcomes += rest.map { _ in .failure(error) }
            }
        }
        return outcomes
    }

    private func turn(
        _ indices: Range<Int>,
        of bulk: BulkEdit,
        in view: LibraryView,
        by caller: StoreCaller,
        _ database: any SQLSession
    ) throws -> [Result<Asset, any Error>] {
        _ = try admit(caller, database)
        var turn = WriterTurn()
        var outcomes: [Result<Asset, any Error>] = []
        for index in indices where turn.hasRoom {
            let id = bulk.assets[index]
            turn.count(bulk.edit)
            var outcome: Result<Asset, any Error> = .failure(StoreError.notFound(id.description))
            // A refused asset leaves no trace and does not affect the others.
            try database.savepoint {
                do {
                    outcome = .success(try edited(id, by: bulk.edit(at: index), in: view, caller, &turn, database))
                    return true
                } catch let error where error is StoreError || error is ReplicationError {
                    outcome = .failure(error)
                    return false
                }
            }
            outcomes.append(outcome)
        }
        return outcomes
    }

    private func edited(
        _ id: AssetID,
        by edit: AssetEdit,
        in view: LibraryView,
        _ caller: StoreCaller,
        _ turn: inout WriterTurn,
        _ database: any SQLSession
    ) throws -> Asset {
        let found = try AssetTable.read(id, in: view, database)
        turn.count(documentBytes: found.documentBytes)
        guard found.asset != nil else { throw StoreError.notFound(id.description) }
        turn.count(stateBytes: try EntityTable.stateBytes(of: .asset(id), database))
        return try change(id, edit.fieldNames, in: view, by: caller, database) { state, author in
            _ = try edit.write(to: id, in: &state, by: &author)
        }
    }
}

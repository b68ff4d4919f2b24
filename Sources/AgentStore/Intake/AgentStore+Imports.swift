import FoundationEssentials
import GRDB
package import PhotoModel

// A cache of imported files, so that an unchanged folder is not read again; dropped together with its entries, and
// when one is rejected, possibly because its bytes are lost.

extension AgentStore {
    /// The remembered files of a folder, in order.
    ///
    /// - Throws: `storage`.
    package func imports(of folder: String) throws -> [[UInt8]] {
        try database.read { database in
            try Data.fetchAll(
                database,
                sql: "SELECT records FROM imports WHERE folder = ? ORDER BY sequence",
                arguments: [folder]
            ).map { Array($0) }
        }
    }

    /// Forgets the files of folders, which will be read again once.
    ///
    /// - Throws: `storage`.
    package func forgetImports(of folders: [String]) throws {
        guard !folders.isEmpty else { return }
        try database.write { database in
            for folder in folders {
                try database.execute(sql: "DELETE FROM imports WHERE folder = ?", arguments: [folder])
            }
        }
    }
}

extension AgentStore.Transaction {
    /// Whether all of these assets are in the queue, or were freed from it.
    package func hasEntries(of assets: [AssetID]) throws -> Bool {
        let statement = try database.cachedStatement(sql: "SELECT 1 FROM entries WHERE asset_id = ?")
        return try assets.allSatisfy { try Row.fetchOne(statement, arguments: [$0.description]) != nil }
    }

    /// Remembers imported files of a folder, in the transaction of their entries; the records are opaque to the store.
    ///
    /// - Throws: `DatabaseError`, for the owner of the transaction.
    package func rememberImports(_ records: [UInt8], of folder: String) throws {
        try database.execute(
            sql: "INSERT INTO imports (folder, records) VALUES (?, ?)",
            arguments: [folder, Data(records)]
        )
    }
}

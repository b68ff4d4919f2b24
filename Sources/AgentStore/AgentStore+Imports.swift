import FoundationEssentials
import GRDB

// What imports have taken, so that an unchanged folder is not read again; a cache, and gone with the entries it speaks of.

extension AgentStore {
    /// What was remembered of a folder's files.
    ///
    /// - Parameter folder: the folder's path.
    /// - Returns: the records as they were given, in their order.
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

    /// Forgets folders' files, which are then read again once.
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
    /// Remembers that files of a folder were taken, together with the entries that they have become.
    ///
    /// - Parameters:
    ///   - records: of no meaning to the store.
    ///   - folder: the folder's path.
    /// - Throws: `DatabaseError`, which the transaction's maker tells.
    package func rememberImports(_ records: [UInt8], of folder: String) throws {
        try database.execute(
            sql: "INSERT INTO imports (folder, records) VALUES (?, ?)",
            arguments: [folder, Data(records)]
        )
    }
}

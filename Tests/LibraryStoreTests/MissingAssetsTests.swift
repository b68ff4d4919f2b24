import GRDB
import LibraryAPI
import Testing

@testable import LibraryStore

struct MissingAssetsTests {
    @Test("What a device is to send again is found from what is missing, however much it has saved")
    func plan() async throws {
        let store = try await StoreFixture().create()
        let metadata = try #require(store.metadata as? SQLMetadataStore)
        // As they stand in a library of 100,000 assets; of a table without rows SQLite keeps none.
        let plan = try await metadata.database.write { database in
            try database.execute(sql: "ANALYZE; DELETE FROM sqlite_stat1")
            for (table, index, counts) in [
                ("receipt", "receipt", "32400 1 1"), ("receipt", "receipt_number", "100800 1"),
                ("resource", "resource_digest", "111228 1"), ("asset", "sqlite_autoindex_asset_1", "84064 1"),
            ] {
                let row: StatementArguments = [table, index, counts]
                try database.execute(sql: "INSERT INTO sqlite_stat1 VALUES (?, ?, ?)", arguments: row)
            }
            try database.execute(sql: "ANALYZE sqlite_schema")
            return try Row.fetchAll(
                database,
                sql: "EXPLAIN QUERY PLAN " + SQLMetadataStore.missingAssets(SQLiteDialect()),
                arguments: [StoreFixture.device.blob, 9]
            ).map { $0["detail"] as String }
        }
        #expect(plan.first == "SCAN missing_content", "\(plan)")
    }
}

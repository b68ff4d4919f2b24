import FoundationEssentials
import GRDB
import LibraryAPI
import PhotoModel

extension SQLiteMetadataStore {
    /// Moves captures whose own offset is unknown to their days in the library's time zone, where it is another one than before.
    ///
    /// - Parameters:
    ///   - timeZone: the library's time zone from now on.
    ///   - database: the writer's connection, on which `library_utc_offset` is this zone's.
    /// - Throws: what the database says.
    static func adopt(_ timeZone: TimeZone, _ database: Database) throws {
        let known = try String.fetchOne(database, sql: "SELECT time_zone FROM library")
        guard known != timeZone.identifier else { return }
        let keys = try Int64.fetchAll(
            database,
            sql: "SELECT key FROM asset WHERE json_extract(document, '$.captureTime.utcOffsetSeconds') IS NULL"
        )
        let statement = try database.cachedStatement(sql: "SELECT document FROM asset WHERE key = ?")
        for key in keys {
            guard let document = try String.fetchOne(statement, arguments: [key]) else { continue }
            let asset = try JSONColumn.decode(document, as: Asset.self)
            guard try AssetTable.assumedOffset(of: asset, database) != asset.assumedUTCOffsetSeconds else { continue }
            try AssetTable.save(asset, over: .asset(asset), database)
            try EntityTable.touch(.asset(asset.id), database)
        }
        try database.execute(sql: "UPDATE library SET time_zone = ?", arguments: [timeZone.identifier])
    }
}

import FoundationEssentials
import LibraryAPI
import PhotoModel

extension SQLMetadataStore {
    /// Moves captures without their own UTC offset to their days in the library's time zone, if that has changed.
    ///
    /// - Parameters:
    ///   - timeZone: the library's time zone from now on.
    ///   - database: a session with this time zone.
    /// - Throws: the database's error.
    static func adopt(_ timeZone: TimeZone, _ database: any SQLSession) throws {
        let known = try database.value(String.self, "SELECT time_zone FROM library")
        guard known != timeZone.identifier else { return }
        let keys = try database.values(
            Int64.self,
            "SELECT key FROM asset WHERE document -> 'captureTime' ->> 'utcOffsetSeconds' IS NULL"
        )
        let statement = try database.statement("SELECT document FROM asset WHERE key = ?")
        for key in keys {
            guard let document = try statement.value(String.self, [key]) else { continue }
            let asset = try JSONColumn.decode(document, as: Asset.self)
            guard AssetTable.assumedOffset(of: asset, database) != asset.assumedUTCOffsetSeconds else { continue }
            try AssetTable.save(asset, over: .asset(asset, key: key), database)
            try EntityTable.touch(.asset(asset.id), database)
        }
        try database.execute("UPDATE library SET time_zone = ?", [timeZone.identifier])
    }
}

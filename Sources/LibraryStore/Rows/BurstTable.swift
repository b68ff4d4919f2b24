import FoundationEssentials
import LibraryAPI
import PhotoModel

/// Keeps every burst in sight: lists show only its representative and people's picks.
///
/// A camera's program may say which picture represents its burst; of most imported bursts none does, and the one that
/// does may be trashed. Then the library chooses. Each device's part of a burst is looked at alone, so that no device
/// decides what lists show of another's.
struct BurstTable {
    /// The most earlier representatives that give way to a new one; there is one, unless a device sent more.
    private static let replacedCount = ByteList.count

    private let condition: String
    private let arguments: SQLArguments
    private let database: any SQLSession

    /// Looks at one device's pictures of a burst that are not in the trash; nil means those of no device.
    private init(_ burst: String, device: Data?, _ database: any SQLSession) {
        condition = "burst = ? AND device \(device == nil ? "IS NULL" : "= ?") AND is_trashed = 0"
        arguments = if let device { [burst, device] } else { [burst] }
        self.database = database
    }

    private init?(of asset: Asset, _ database: any SQLSession) {
        guard let burst = asset.burst else { return nil }
        self.init(burst.id.description, device: asset.deviceID?.blob, database)
    }

    /// An asset before it is saved for the first time: it represents its burst if lists show nothing of that yet.
    ///
    /// One that represents it by its own word takes the place of the earlier representative.
    static func placed(_ new: Asset, _ database: any SQLSession) throws -> Asset {
        guard let burst = new.burst, let table = Self(of: new, database) else { return new }
        if burst.representsBurst { try table.replaceRepresentatives() }
        guard !burst.standsOut, try !table.isShown() else { return new }
        var asset = new
        asset.burst?.representsBurst = true
        return asset
    }

    /// Lets the earliest picture of an asset's burst represent it if lists show nothing of it any more.
    static func settle(_ asset: Asset, _ database: any SQLSession) throws {
        try Self(of: asset, database)?.settle()
    }

    /// The same for every burst: earlier servers left imported ones without a representative.
    static func settleAll(_ database: any SQLSession) throws {
        let unseen = try database.rows(
            """
            SELECT burst, device FROM asset WHERE burst IS NOT NULL AND is_trashed = 0
            GROUP BY burst, device HAVING max(stands_out) = 0
            """
        )
        for row in unseen {
            let device: Data? = try row["device"]
            try Self(row["burst"], device: device, database).settle()
        }
    }

    private func settle() throws {
        guard try !isShown() else { return }
        let first = try database.statement(
            "SELECT id FROM asset WHERE \(condition) AND stands_out = 0 ORDER BY local_date, id LIMIT 1"
        ).value(Data.self, arguments)
        if let first { try set(true, AssetID(blob: first)) }
    }

    private func isShown() throws -> Bool {
        let statement = try database.statement("SELECT key FROM asset WHERE \(condition) AND stands_out = 1 LIMIT 1")
        return try statement.value(Int64.self, arguments) != nil
    }

    private func replaceRepresentatives() throws {
        let shown = try database.statement(
            """
            SELECT id FROM asset WHERE \(condition) AND stands_out = 1
            ORDER BY local_date, id LIMIT \(Self.replacedCount)
            """
        ).values(Data.self, arguments)
        for id in shown { try set(false, AssetID(blob: id)) }
    }

    private func set(_ represents: Bool, _ id: AssetID) throws {
        guard let stored = try AssetTable.stored(id, database), stored.asset.burst?.representsBurst == !represents
        else { return }
        var asset = stored.asset
        asset.burst?.representsBurst = represents
        try AssetTable.save(asset, over: .asset(stored.asset, key: stored.key), database)
        try EntityTable.touch(.asset(id), database)
    }
}

import FoundationEssentials
import LibraryAPI
import PhotoModel

/// Keeps every burst in sight: lists show only its representative and people's picks.
///
/// A camera's program may say which picture represents its burst; of most imported bursts none does, and the one that
/// does may be trashed. Then the library chooses. Each device's part of a burst is looked at alone, so that no device
/// decides what lists show of another's.
struct BurstTable {
    /// The most representatives that are looked at together; there is one, unless a device sent more.
    private static let representativeCount = ByteList.count

    private let condition: String
    private let arguments: SQLArguments
    private let database: any SQLSession

    /// Looks at one device's pictures of a burst, in the trash or not; nil means those of no device.
    private init(_ burst: String, device: Data?, inTrash: Bool = false, _ database: any SQLSession) {
        let owner = device == nil ? "IS NULL" : "= ?"
        condition = "burst = ? AND device \(owner) AND is_trashed = \(inTrash ? 1 : 0)"
        arguments = if let device { [burst, device] } else { [burst] }
        self.database = database
    }

    private init?(of asset: Asset, inTrash: Bool = false, _ database: any SQLSession) {
        guard let burst = asset.burst else { return nil }
        self.init(burst.id.description, device: asset.deviceID?.blob, inTrash: inTrash, database)
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

    /// An edited asset before it is saved: a representative that is restored represents its burst again.
    ///
    /// While it is in the trash, another picture stands in for it, which no longer does once it is trashed itself: of a
    /// whole stack that is trashed and restored, the same picture shows as before.
    static func moved(_ edited: Asset, from earlier: Asset, _ database: any SQLSession) throws -> Asset {
        let isTrashed = edited.trashedAt != nil
        guard edited.burst?.representsBurst == true, isTrashed != (earlier.trashedAt != nil),
            let others = Self(of: edited, inTrash: isTrashed, database)
        else { return edited }
        guard isTrashed else {
            try others.replaceRepresentatives()
            return edited
        }
        var asset = edited
        asset.burst?.representsBurst = try !others.hasRepresentative()
        return asset
    }

    /// Lets the earliest picture of an asset's burst represent it if lists show nothing of it any more.
    static func settle(_ asset: Asset, _ database: any SQLSession) throws {
        try Self(of: asset, database)?.settle()
    }

    /// The same for every burst, once: earlier servers left imported ones without a representative.
    static func showAll(_ database: any SQLSession) throws {
        guard try database.value(Bool.self, "SELECT shows_bursts FROM library") == false else { return }
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
        try database.execute("UPDATE library SET shows_bursts = 1")
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
        for id in try standingOut() { try set(false, id) }
    }

    private func hasRepresentative() throws -> Bool {
        try standingOut().contains { try AssetTable.stored($0, database)?.asset.burst?.representsBurst == true }
    }

    /// The representatives, and people's picks.
    private func standingOut() throws -> [AssetID] {
        let statement = try database.statement(
            """
            SELECT id FROM asset WHERE \(condition) AND stands_out = 1
            ORDER BY local_date, id LIMIT \(Self.representativeCount)
            """
        )
        return try statement.values(Data.self, arguments).map { try AssetID(blob: $0) }
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

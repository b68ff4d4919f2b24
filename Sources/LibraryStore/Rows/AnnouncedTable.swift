import Authorization
import FoundationEssentials
import LibraryAPI
import PhotoModel

/// The assets announced by draining devices: the only ones still accepted from them.
///
/// A list that ends, of up to a million assets, is marked by `device.is_forgetting` and counts as empty at once. Its rows
/// go in writer turns, before the device may announce anything else.
enum AnnouncedTable {
    /// The most assets that a device may announce.
    private static let limit = 1_000_000

    /// The number of assets that a device has announced.
    static func count(of device: DeviceID, _ database: any SQLSession) throws -> Int {
        try database.value(Int.self, "SELECT count(*) FROM announced WHERE device = ?", [device.blob]) ?? 0
    }

    /// Adds a page of a device's list, closing it with the last page; a closed list does not change.
    ///
    /// - Parameters:
    ///   - report: the page.
    ///   - known: the number announced before, counted in advance: a device that reports in parallel may exceed the
    ///     limit by those pages.
    ///   - device: the device.
    ///   - database: the transaction.
    /// - Throws: `tooLarge` for a page or a list beyond its limit.
    static func add(_ report: DrainReport, to known: Int, of device: DeviceID, _ database: any SQLSession) throws {
        guard try !isWhole(device, database) else { return }
        guard try !isForgetting(device, database) else {
            throw StoreError(.unavailable, "An earlier list of the device is being deleted: announce again.")
        }
        guard report.announced.count <= APILimits.announcedCount else {
            throw StoreError(.tooLarge, "Announce at most \(APILimits.announcedCount) assets at once.")
        }
        guard known + report.announced.count <= limit else {
            throw StoreError(.tooLarge, "A device announces at most \(limit) assets.", about: device.description)
        }
        let statement = try database.statement(
            "INSERT INTO announced (device, asset) VALUES (?, ?) ON CONFLICT DO NOTHING"
        )
        for asset in report.announced { try statement.execute([device.blob, asset.blob]) }
        guard report.isWhole else { return }
        try database.execute("UPDATE device SET is_announced = 1 WHERE id = ?", [device.blob])
    }

    /// A draining device's progress.
    static func progress(of device: DeviceID, _ database: any SQLSession) throws -> DrainProgress {
        let remaining = try database.value(
            Int.self,
            """
            SELECT count(*) FROM announced
            WHERE device = ?1 AND EXISTS (SELECT 1 FROM device WHERE id = ?1 AND is_forgetting = 0)
                AND NOT EXISTS (SELECT 1 FROM receipt WHERE asset = announced.asset AND owner = announced.device)
            """,
            [device.blob]
        )
        return DrainProgress(isAnnounced: try isWhole(device, database), remainingCount: remaining ?? 0)
    }

    /// Whether a draining device announced an asset, or had begun to send it before; true for all other callers.
    static func includes(_ asset: AssetID, of record: DecisionRecord?, _ database: any SQLSession) throws -> Bool {
        guard let record, record.state == .draining else { return true }
        let isOwn = try database.value(
            Bool.self,
            """
            SELECT EXISTS (
                    SELECT 1 FROM announced WHERE device = ?2 AND asset = ?1
                        AND EXISTS (SELECT 1 FROM device WHERE id = ?2 AND is_forgetting = 0)
                )
                OR EXISTS (SELECT 1 FROM creation WHERE asset = ?1 AND owner = ?2)
                OR EXISTS (SELECT 1 FROM receipt WHERE asset = ?1 AND owner = ?2)
            """,
            [asset.blob, record.device.blob]
        )
        return isOwn == true
    }

    /// Forgets what a device announced, since it is no longer draining.
    static func forget(_ device: DeviceID, _ database: any SQLSession) throws {
        try database.execute("UPDATE device SET is_announced = 0, is_forgetting = 1 WHERE id = ?", [device.blob])
    }

    /// The devices whose lists are being deleted, normally none.
    static func forgetting(_ database: any SQLSession) throws -> [DeviceID] {
        try database.values(Data.self, "SELECT id FROM device WHERE is_forgetting = 1").map(DeviceID.init(blob:))
    }

    /// Deletes the next rows of a list that ended; false if nothing is left.
    static func deleteForgotten(of device: DeviceID, atMost count: Int, _ database: any SQLSession) throws -> Bool {
        guard try isForgetting(device, database) else { return false }
        let isLeft = try database.deleteFirst(count, from: "announced", where: "device = ?", [device.blob], by: "asset")
        guard !isLeft else { return true }
        try database.execute("UPDATE device SET is_forgetting = 0 WHERE id = ?", [device.blob])
        return false
    }

    /// Whether a device's former list still has rows, which do not count.
    static func isForgetting(_ device: DeviceID, _ database: any SQLSession) throws -> Bool {
        try database.value(Bool.self, "SELECT is_forgetting FROM device WHERE id = ?", [device.blob]) ?? false
    }

    private static func isWhole(_ device: DeviceID, _ database: any SQLSession) throws -> Bool {
        try database.value(Bool.self, "SELECT is_announced FROM device WHERE id = ?", [device.blob]) ?? false
    }
}

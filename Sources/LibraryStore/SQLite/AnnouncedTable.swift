import Authorization
import FoundationEssentials
import GRDB
import LibraryAPI
import PhotoModel

/// The assets announced by draining devices: the only ones still accepted from them.
enum AnnouncedTable {
    /// The most assets that a device may announce.
    private static let limit = 1_000_000

    /// Adds a page of a device's list, closing it with the last page; a closed list does not change.
    static func add(_ report: DrainReport, of device: DeviceID, _ database: Database) throws {
        guard try !isWhole(device, database) else { return }
        guard report.announced.count <= APILimits.announcedCount else {
            throw StoreError(.tooLarge, "Announce at most \(APILimits.announcedCount) assets at once.")
        }
        let known = try Int.fetchOne(
            database,
            sql: "SELECT count(*) FROM announced WHERE device = ?",
            arguments: [device.blob]
        )
        guard (known ?? 0) + report.announced.count <= limit else {
            throw StoreError(.tooLarge, "A device announces at most \(limit) assets.", about: device.description)
        }
        let statement = try database.cachedStatement(
            sql: "INSERT OR IGNORE INTO announced (device, asset) VALUES (?, ?)"
        )
        for asset in report.announced { try statement.execute(arguments: [device.blob, asset.blob]) }
        guard report.isWhole else { return }
        try database.execute(sql: "UPDATE device SET is_announced = 1 WHERE id = ?", arguments: [device.blob])
    }

    /// A draining device's progress.
    static func progress(of device: DeviceID, _ database: Database) throws -> DrainProgress {
        let remaining = try Int.fetchOne(
            database,
            sql: """
                SELECT count(*) FROM announced
                WHERE device = ?1
                    AND NOT EXISTS (SELECT 1 FROM receipt WHERE asset = announced.asset AND owner = announced.device)
                """,
            arguments: [device.blob]
        )
        return DrainProgress(isAnnounced: try isWhole(device, database), remainingCount: remaining ?? 0)
    }

    /// Refuses an asset that a draining device neither announced nor had begun to send before.
    ///
    /// - Throws: `authorization.denied`, with how to keep the device.
    static func require(_ asset: AssetID, of record: DecisionRecord?, _ database: Database) throws {
        guard let record, record.state == .draining else { return }
        let isOwn = try Bool.fetchOne(
            database,
            sql: """
                SELECT EXISTS (SELECT 1 FROM announced WHERE device = ?2 AND asset = ?1)
                    OR EXISTS (SELECT 1 FROM creation WHERE asset = ?1 AND owner = ?2)
                    OR EXISTS (SELECT 1 FROM receipt WHERE asset = ?1 AND owner = ?2)
                """,
            arguments: [asset.blob, record.device.blob]
        )
        let verdict = decide(
            route: .createAsset,
            caller: Caller(device: record, isExpired: false),
            object: isOwn == true ? .own : .nonexistent
        )
        guard verdict.denial == .draining else { return }
        throw StoreError(.denied, Explanation(Denial.draining).description, about: asset.description)
    }

    /// Forgets what a device announced, since it is no longer draining.
    static func forget(_ device: DeviceID, _ database: Database) throws {
        try database.execute(sql: "DELETE FROM announced WHERE device = ?", arguments: [device.blob])
        try database.execute(sql: "UPDATE device SET is_announced = 0 WHERE id = ?", arguments: [device.blob])
    }

    private static func isWhole(_ device: DeviceID, _ database: Database) throws -> Bool {
        try Bool.fetchOne(
            database,
            sql: "SELECT is_announced FROM device WHERE id = ?",
            arguments: [device.blob]
        ) ?? false
    }
}

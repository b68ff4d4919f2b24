import FoundationEssentials
import GRDB
import LibraryAPI
import PhotoModel

/// What each device's assets amount to, kept with them in the same transactions, so that a quota costs no counting.
///
/// An asset counts for the device that it is recorded of, with the resources that it has now, its edit among them.
enum UsageTable {
    /// Assets, and bytes of their resources.
    struct Usage: Hashable {
        var assets: Int64 = 0
        var bytes: Int64 = 0
    }

    /// What a device has.
    static func usage(of device: DeviceID, _ database: Database) throws -> Usage {
        let statement = try database.cachedStatement(sql: "SELECT assets, bytes FROM device_usage WHERE device = ?")
        return try Row.fetchOne(statement, arguments: [device.blob]).map { Usage(assets: $0[0], bytes: $0[1]) }
            ?? Usage()
    }

    /// What an asset's rows amount to; nothing for one that is not there.
    static func usage(ofAsset key: Int64, _ database: Database) throws -> Usage {
        let statement = try database.cachedStatement(
            sql: "SELECT count(*), sum(byte_count) FROM resource JOIN content USING (digest) WHERE asset = ?"
        )
        guard let row = try Row.fetchOne(statement, arguments: [key]), row[0] as Int64 > 0 else { return Usage() }
        return Usage(assets: 1, bytes: row[1])
    }

    /// Notes that a device's assets have become others.
    static func change(of device: DeviceID?, from old: Usage, to new: Usage, _ database: Database) throws {
        guard let device, old != new else { return }
        try database.cachedStatement(
            sql: """
                INSERT INTO device_usage (device, assets, bytes) VALUES (?1, ?2, ?3)
                ON CONFLICT DO UPDATE SET assets = assets + excluded.assets, bytes = bytes + excluded.bytes
                """
        ).execute(arguments: [device.blob, new.assets - old.assets, new.bytes - old.bytes])
    }

    /// Refuses what would be more than a device may have.
    ///
    /// - Parameters:
    ///   - manifest: what the device wants to save.
    ///   - device: the device; operators have no quota.
    ///   - limits: what it may have.
    ///   - isAnnounced: whether the bytes are still to come, so that what its uploads promise counts as well.
    ///   - database: where it is counted.
    /// - Throws: `storage.quota`.
    static func require(
        _ manifest: AssetManifest,
        of device: DeviceID?,
        within limits: StoreLimits,
        isAnnounced: Bool,
        _ database: Database
    ) throws {
        guard let device, limits.assets != nil || limits.bytes != nil else { return }
        var usage = try usage(of: device, database)
        usage.assets += 1
        for resource in manifest.resources { usage.bytes = usage.bytes.addingClamped(resource.byteCount) }
        if isAnnounced {
            let promised = try Int64.fetchOne(
                database,
                sql: "SELECT sum(byte_count) FROM upload WHERE owner = ? AND asset <> ?",
                arguments: [device.blob, manifest.id.blob]
            )
            usage.bytes = usage.bytes.addingClamped(promised ?? 0)
        }
        guard usage.assets <= limits.assets ?? .max, usage.bytes <= limits.bytes ?? .max else {
            throw StoreError(
                .quotaExceeded,
                "The device has saved as much as it may: keep the capture until an operator makes room.",
                about: manifest.id.description
            )
        }
    }
}

extension Int64 {
    fileprivate func addingClamped(_ other: Int64) -> Int64 {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? .max : sum
    }
}

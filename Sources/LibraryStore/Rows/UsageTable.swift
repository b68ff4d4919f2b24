import FoundationEssentials
import LibraryAPI
import PhotoModel

/// Each device's usage, maintained in the same transactions as its assets, so that a quota needs no counting.
///
/// An asset counts for its recorded device, with its current resources, including an edit's.
enum UsageTable {
    /// Assets, and the bytes of their resources; each 0 to 2^62, so that differences and sums of two cannot overflow.
    struct Usage: Hashable {
        var assets: Int64 = 0
        var bytes: Int64 = 0

        init() {}

        /// Takes numbers of rows.
        init(assets: Int64, bytes: Int64) {
            self.assets = assets.clamped(to: 0...1 << 62)
            self.bytes = bytes.clamped(to: 0...1 << 62)
        }
    }

    /// A device's usage.
    static func usage(of device: DeviceID, _ database: any SQLSession) throws -> Usage {
        let statement = try database.statement("SELECT assets, bytes FROM device_usage WHERE device = ?")
        return try statement.row([device.blob]).map {
            Usage(assets: try $0["assets"], bytes: try $0["bytes"])
        }
            ?? Usage()
    }

    /// An asset's usage according to its rows; zero if it does not exist.
    static func usage(ofAsset key: Int64, _ database: any SQLSession) throws -> Usage {
        let statement = try database.statement(
            """
            SELECT count(*) AS count, sum(byte_count) AS bytes FROM resource JOIN content USING (digest)
            WHERE asset = ?
            """
        )
        guard let row = try statement.row([key]), try row["count"] as Int64 > 0 else { return Usage() }
        return Usage(assets: 1, bytes: try row["bytes"])
    }

    /// Updates a device's usage after a change.
    static func change(of device: DeviceID?, from old: Usage, to new: Usage, _ database: any SQLSession) throws {
        guard let device, old != new else { return }
        try database.statement(
            """
            INSERT INTO device_usage (device, assets, bytes) VALUES (?1, ?2, ?3)
            ON CONFLICT (device) DO UPDATE SET
                assets = device_usage.assets + excluded.assets, bytes = device_usage.bytes + excluded.bytes
            """
        ).execute([device.blob, new.assets - old.assets, new.bytes - old.bytes])
    }

    /// Refuses an asset that would exceed a device's quota.
    ///
    /// - Parameters:
    ///   - manifest: the asset to save.
    ///   - device: the device; operators have no quota.
    ///   - limits: its limits.
    ///   - isAnnounced: whether the bytes are still to come, so that its open uploads count as well.
    ///   - database: the database.
    /// - Throws: `storage.quota`.
    static func require(
        _ manifest: AssetManifest,
        of device: DeviceID?,
        within limits: StoreLimits,
        isAnnounced: Bool,
        _ database: any SQLSession
    ) throws {
        guard let device, limits.assets != nil || limits.bytes != nil else { return }
        var usage = try usage(of: device, database)
        usage.assets += 1
        for resource in manifest.resources { usage.bytes = usage.bytes.addingClamped(resource.byteCount) }
        if isAnnounced {
            let promised = try database.value(
                Int64.self,
                "SELECT sum(byte_count) FROM upload WHERE owner = ? AND asset <> ?",
                [device.blob, manifest.id.blob]
            )
            usage.bytes = usage.bytes.addingClamped(promised ?? 0)
        }
        guard usage.assets <= limits.assets ?? .max, usage.bytes <= limits.bytes ?? .max else {
            throw StoreError(
                .quotaExceeded,
                "The device's quota is used up: keep the capture until an operator makes room.",
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

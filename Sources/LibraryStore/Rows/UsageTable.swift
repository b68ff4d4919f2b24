import FoundationEssentials
import PhotoModel

/// Each device's usage, maintained in the same transactions as its assets, so that a quota needs no counting.
///
/// An asset counts for its recorded device. A resource counts for whoever added it, an edit's too; one that an edit
/// replaced goes on counting until its quarantine ends.
enum UsageTable {
    /// A device's usage.
    static func usage(of device: DeviceID, _ database: any SQLSession) throws -> DeviceUsage {
        let statement = try database.statement("SELECT assets, bytes FROM device_usage WHERE device = ?")
        return try statement.row([device.blob]).map {
            DeviceUsage(assets: try $0["assets"], bytes: try $0["bytes"])
        }
            ?? DeviceUsage()
    }

    /// What an asset counts for its device and for others that added resources, according to its rows.
    static func shares(
        ofAsset key: Int64,
        of owner: DeviceID?,
        _ database: any SQLSession
    ) throws -> [DeviceID: DeviceUsage] {
        let statement = try database.statement(
            """
            SELECT payer, sum(byte_count) AS bytes FROM resource JOIN content USING (digest)
            WHERE asset = ? GROUP BY payer
            """
        )
        let rows = try statement.rows([key])
        var shares: [DeviceID: DeviceUsage] = [:]
        if !rows.isEmpty, let owner { shares[owner, default: DeviceUsage()].assets = 1 }
        for row in rows {
            guard let device = try payer(row["payer"], owner) else { continue }
            shares[device, default: DeviceUsage()].add(bytes: try row["bytes"])
        }
        return shares
    }

    /// The device for which a resource with this `payer` counts; nil for none.
    static func payer(_ payer: Data?, _ owner: DeviceID?) throws -> DeviceID? {
        guard let payer else { return owner }
        return payer.isEmpty ? nil : try DeviceID(blob: payer)
    }

    /// Updates the usage of all devices that an asset counts for.
    static func change(
        from old: [DeviceID: DeviceUsage],
        to new: [DeviceID: DeviceUsage],
        _ database: any SQLSession
    ) throws {
        for device in Set(old.keys).union(new.keys) {
            try change(of: device, from: old[device] ?? DeviceUsage(), to: new[device] ?? DeviceUsage(), database)
        }
    }

    /// Updates a device's usage after a change.
    private static func change(
        of device: DeviceID,
        from old: DeviceUsage,
        to new: DeviceUsage,
        _ database: any SQLSession
    ) throws {
        guard old != new else { return }
        try database.statement(
            """
            INSERT INTO device_usage (device, assets, bytes) VALUES (?1, ?2, ?3)
            ON CONFLICT (device) DO UPDATE SET
                assets = device_usage.assets + excluded.assets, bytes = device_usage.bytes + excluded.bytes
            """
        ).execute([device.blob, new.assets - old.assets, new.bytes - old.bytes])
    }

    /// Counts a removed resource for whoever added it until its quarantine ends; not for operators.
    static func release(
        _ resource: AssetResource,
        of asset: Asset,
        at time: WallTime,
        within limits: StoreLimits,
        _ database: any SQLSession
    ) throws {
        let row = try database.row(
            "SELECT payer FROM resource WHERE asset = (SELECT key FROM asset WHERE id = ?) AND id = ?",
            [asset.id.blob, resource.id.blob]
        )
        guard let row, let device = try payer(row["payer"], asset.deviceID) else { return }
        try database.execute(
            "DELETE FROM released WHERE device = ? AND day < ?",
            [device.blob, firstDay(at: time, within: limits)]
        )
        try database.execute(
            """
            INSERT INTO released (device, day, bytes) VALUES (?1, ?2, ?3)
            ON CONFLICT (device, day) DO UPDATE SET bytes = released.bytes + excluded.bytes
            """,
            [device.blob, day(time), resource.byteCount]
        )
    }

    private static func day(_ time: WallTime) -> Int64 { time.microsecondsSince1970 / 86_400_000_000 }

    /// The first day whose released bytes may still be in quarantine.
    private static func firstDay(at time: WallTime, within limits: StoreLimits) -> Int64 {
        day(time.advanced(by: .zero - limits.quarantineDuration))
    }

    /// What counts against a device's quota; nil for operators, and where there is no quota.
    ///
    /// - Parameters:
    ///   - device: the device; nil for an operator.
    ///   - limits: its limits.
    ///   - time: the server's clock.
    ///   - asset: the asset whose open uploads do not count, while all others do; nil if none count.
    ///   - database: the database.
    /// - Returns: its assets, and the bytes of its resources, of those in quarantine and of its open uploads.
    /// - Throws: the database's error.
    static func counted(
        for device: DeviceID?,
        within limits: StoreLimits,
        at time: WallTime,
        promisedBeside asset: AssetID?,
        _ database: any SQLSession
    ) throws -> DeviceUsage? {
        guard let device, limits.assets != nil || limits.bytes != nil else { return nil }
        var usage = try usage(of: device, database)
        let released = try database.statement("SELECT sum(bytes) FROM released WHERE device = ? AND day >= ?")
            .value(Int64.self, [device.blob, firstDay(at: time, within: limits)])
        usage.add(bytes: released ?? 0)
        if let asset {
            let promised = try database.statement("SELECT sum(byte_count) FROM upload WHERE owner = ? AND asset <> ?")
                .value(Int64.self, [device.blob, asset.blob])
            usage.add(bytes: promised ?? 0)
        }
        return usage
    }
}

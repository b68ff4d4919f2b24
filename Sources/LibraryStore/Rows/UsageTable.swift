import FoundationEssentials
import LibraryAPI
import PhotoModel

/// Each device's usage, maintained in the same transactions as its assets, so that a quota needs no counting.
///
/// An asset counts for its recorded device. A resource counts for whoever added it, an edit's too; one that an edit
/// replaced goes on counting until its quarantine ends.
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

        /// Adds an asset's share of bytes.
        mutating func add(bytes more: Int64) { self = Usage(assets: assets, bytes: bytes.addingClamped(more)) }
    }

    /// A device's usage.
    static func usage(of device: DeviceID, _ database: any SQLSession) throws -> Usage {
        let statement = try database.statement("SELECT assets, bytes FROM device_usage WHERE device = ?")
        return try statement.row([device.blob]).map {
            Usage(assets: try $0["assets"], bytes: try $0["bytes"])
        }
            ?? Usage()
    }

    /// What an asset counts for its device and for others that added resources, according to its rows.
    static func shares(
        ofAsset key: Int64,
        of owner: DeviceID?,
        _ database: any SQLSession
    ) throws -> [DeviceID: Usage] {
        let statement = try database.statement(
            """
            SELECT payer, sum(byte_count) AS bytes FROM resource JOIN content USING (digest)
            WHERE asset = ? GROUP BY payer
            """
        )
        let rows = try statement.rows([key])
        var shares: [DeviceID: Usage] = [:]
        if !rows.isEmpty, let owner { shares[owner, default: Usage()].assets = 1 }
        for row in rows {
            guard let device = try payer(row["payer"], owner) else { continue }
            shares[device, default: Usage()].add(bytes: try row["bytes"])
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
        from old: [DeviceID: Usage],
        to new: [DeviceID: Usage],
        _ database: any SQLSession
    ) throws {
        for device in Set(old.keys).union(new.keys) {
            try change(of: device, from: old[device] ?? Usage(), to: new[device] ?? Usage(), database)
        }
    }

    /// Updates a device's usage after a change.
    private static func change(
        of device: DeviceID,
        from old: Usage,
        to new: Usage,
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

    /// Refuses an asset, or an edit of one, that would exceed a device's quota.
    ///
    /// - Parameters:
    ///   - manifest: what to save.
    ///   - isEdit: whether it adds no asset.
    ///   - device: the device; operators have no quota.
    ///   - limits: its limits.
    ///   - time: the server's clock.
    ///   - isAnnounced: whether the bytes are still to come, so that its open uploads count as well.
    ///   - database: the database.
    /// - Throws: `storage.quota`.
    static func require(
        _ manifest: AssetManifest,
        isEdit: Bool = false,
        of device: DeviceID?,
        within limits: StoreLimits,
        at time: WallTime,
        isAnnounced: Bool,
        _ database: any SQLSession
    ) throws {
        guard let device, limits.assets != nil || limits.bytes != nil else { return }
        var usage = try usage(of: device, database)
        if !isEdit { usage.assets += 1 }
        let released = try database.statement("SELECT sum(bytes) FROM released WHERE device = ? AND day >= ?")
            .value(Int64.self, [device.blob, firstDay(at: time, within: limits)])
        usage.bytes = usage.bytes.addingClamped(released ?? 0)
        for resource in manifest.resources { usage.bytes = usage.bytes.addingClamped(resource.byteCount) }
        if isAnnounced {
            let promised = try database.statement("SELECT sum(byte_count) FROM upload WHERE owner = ? AND asset <> ?")
                .value(Int64.self, [device.blob, manifest.id.blob])
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

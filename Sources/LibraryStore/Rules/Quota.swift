import LibraryAPI
import PhotoModel

/// Assets, and the bytes of their resources; each 0 to 2^62, so that differences and sums of two cannot overflow.
struct DeviceUsage: Hashable, Sendable {
    var assets: Int64 = 0
    var bytes: Int64 = 0

    init() {}

    /// Takes numbers of rows.
    init(assets: Int64, bytes: Int64) {
        self.assets = assets.clamped(to: 0...1 << 62)
        self.bytes = bytes.clamped(to: 0...1 << 62)
    }

    /// Adds an asset's share of bytes.
    mutating func add(bytes more: Int64) {
        let (sum, overflow) = bytes.addingReportingOverflow(more)
        self = DeviceUsage(assets: assets, bytes: overflow ? .max : sum)
    }
}

extension StoreLimits {
    /// Refuses an asset, or an edit of one, that would exceed a device's quota.
    ///
    /// - Parameters:
    ///   - manifest: what to save.
    ///   - isEdit: whether it adds no asset.
    ///   - usage: what counts for the device already; nil for callers without a quota.
    /// - Throws: `storage.quota`.
    func requireRoom(
        for manifest: AssetManifest,
        isEdit: Bool = false,
        beside usage: DeviceUsage?
    ) throws(StoreError) {
        guard var usage else { return }
        if !isEdit { usage.assets += 1 }
        for resource in manifest.resources { usage.add(bytes: resource.byteCount) }
        guard usage.assets <= assets ?? .max, usage.bytes <= bytes ?? .max else {
            throw StoreError(
                .quotaExceeded,
                "The device's quota is used up: keep the capture until an operator makes room.",
                about: manifest.id.description
            )
        }
    }
}

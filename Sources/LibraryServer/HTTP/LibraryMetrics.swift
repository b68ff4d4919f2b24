import Authorization
import CoreMetrics
import LibraryAPI
import LibraryStore
import Observability
import Persistence
import PhotoModel

/// The library's contents as gauges, counted on request and cached for ten seconds.
actor LibraryMetrics {
    private static let freshness = Duration.seconds(10)
    private static let deviceStates: [IdentityState.State] = [.pending, .active, .draining, .suspect, .revoked]

    private let store: LibraryStore
    private let registry: MetricsRegistry
    private let now: @Sendable () -> WallTime
    private var countedAt: WallTime?
    private var epoch: LibraryEpoch?

    init(store: LibraryStore, registry: MetricsRegistry, now: @escaping @Sendable () -> WallTime) {
        self.store = store
        self.registry = registry
        self.now = now
        registry.describe("tintype_library_assets", "Assets, by whether they are in the trash.")
        registry.describe("tintype_library_content_bytes", "Bytes of all originals and renderings.")
        registry.describe("tintype_library_missing_contents", "Contents whose bytes are missing or damaged.")
        registry.describe("tintype_library_quarantined_contents", "Contents in quarantine.")
        registry.describe("tintype_library_open_uploads", "Uploads in progress.")
        registry.describe("tintype_library_free_bytes", "Free bytes of the disk of the originals; absent for a bucket.")
        registry.describe(
            "tintype_library_journal_bytes",
            "Bytes of batches still in journals, not yet in plain files."
        )
        registry.describe("tintype_library_devices", "Devices, by state.")
        registry.describe("tintype_library_open_requests", "Access requests that wait for a decision.")
        registry.describe("tintype_media_queued_jobs", "Pending jobs on originals, by state.")
        registry.describe("tintype_library_last_change_number", "The number of the newest change.")
        registry.describe(
            "tintype_library_new_epochs_total",
            "New histories begun while the server was running, because its database lost confirmed changes."
        )
        registry.describe("tintype_library_backup_change_number", "The change up to which a backup is complete.")
        registry.describe("tintype_library_backup_timestamp_seconds", "When that backup was started; 0 without one.")
    }

    /// Counts again if the last counts are too old.
    func refresh() async throws {
        let time = now()
        if let countedAt, (.zero..<Self.freshness).contains(time.duration(since: countedAt)) { return }
        countedAt = time
        let counts = try await store.metadata.statistics()
        set("tintype_library_assets", counts.assets, [("state", "visible")])
        set("tintype_library_assets", counts.trashed, [("state", "trashed")])
        set("tintype_library_content_bytes", counts.contentBytes)
        set("tintype_library_missing_contents", counts.missing)
        set("tintype_library_quarantined_contents", counts.quarantined)
        set("tintype_library_open_uploads", counts.uploads)
        let current = try await store.metadata.identity().epoch
        Counter(label: "tintype_library_new_epochs_total", factory: registry)
            .increment(by: epoch.map { $0 != current } == true ? 1 : 0)
        epoch = current
        set("tintype_library_last_change_number", counts.lastChange.rawValue)
        set("tintype_library_backup_change_number", counts.backupWatermark?.rawValue ?? 0)
        set("tintype_library_backup_timestamp_seconds", (counts.backupTime?.microsecondsSince1970 ?? 0) / 1_000_000)
        // A bucket has no free space to report.
        if let freeBytes = try await store.freeByteCount() { set("tintype_library_free_bytes", freeBytes) }
        set("tintype_library_journal_bytes", store.content.unsettledByteCount)
        let devices = try await store.metadata.devices()
        let states = devices.map { IdentityState($0.record.state, certificateExpires: nil).state }
        for state in Self.deviceStates {
            set("tintype_library_devices", states.count { $0 == state }, [("state", state.rawValue)])
        }
        set("tintype_library_open_requests", try await store.metadata.openRequests().count)
        let jobs = try await store.metadata.jobs(nil, after: nil, limit: 1)
        for state in JobState.allCases {
            set("tintype_media_queued_jobs", jobs.counts[state.rawValue] ?? 0, [("state", state.rawValue)])
        }
    }

    private func set(_ name: String, _ value: some BinaryInteger, _ labels: [(String, String)] = []) {
        Gauge(label: name, dimensions: labels, factory: registry).record(value)
    }
}

import LibraryAPI
import LibraryClient
import PhotoModel

/// The library's state at one moment: shown by `watch`, or written as one JSON line.
struct WatchSnapshot: Encodable {
    /// One device with its queue.
    struct Device: Encodable {
        let id: DeviceID
        let name: String
        let fingerprint: ContentDigest
        let state: String
        let lastSeen: WallTime?
        let queuedAssets: Int
        let queuedBytes: Int64
        let holds: [String: Int]
        let uploads: [Upload]
    }

    /// One asset being uploaded.
    struct Upload: Encodable {
        let asset: AssetID
        let name: String
        let doneBytes: Int64
        let byteCount: Int64
    }

    /// The most devices whose uploads are requested; each costs a call.
    private static let maximumUploaderCount = 16

    let time: WallTime
    let devices: [Device]
    let library: LibraryStatistics
    let jobs: [String: Int]
    let areJobsPaused: Bool

    init(_ client: LibraryClient, now: WallTime) async throws {
        let summaries = try await client.devices().filter { $0.state != .revoked }
            .sorted { ($0.lastSeen ?? $0.firstSeen) > ($1.lastSeen ?? $1.firstSeen) }
        library = try await client.call(.adminStatistics)
        let page: JobPage = try await client.call(.adminJobs, query: JobQuery(limit: 1).items)
        jobs = page.counts
        areJobsPaused = page.isPaused
        var found: [Device] = []
        for (index, summary) in summaries.enumerated() {
            var uploads = PendingUploadPage(assets: [])
            if library.uploads > 0, index < Self.maximumUploaderCount {
                uploads = try await client.call(.adminUploads, [summary.id])
            }
            found.append(Device(summary, uploads))
        }
        devices = found
        time = now
    }
}

extension WatchSnapshot.Device {
    init(_ summary: DeviceSummary, _ page: PendingUploadPage) {
        id = summary.id
        name = summary.name
        fingerprint = summary.keyFingerprint
        state = summary.state.rawValue
        lastSeen = summary.lastSeen
        queuedAssets = summary.status?.queuedAssets ?? 0
        queuedBytes = summary.status?.queuedBytes ?? 0
        holds = summary.status?.holds ?? [:]
        uploads = page.assets.map { entry in
            WatchSnapshot.Upload(
                asset: entry.manifest.id,
                name: entry.manifest.asset.displayName,
                doneBytes: entry.uploads.reduce(0) { $0 &+ $1.offset },
                byteCount: entry.uploads.reduce(0) { $0 &+ $1.length }
            )
        }
    }

    /// The durable bytes of its uploads.
    var doneBytes: Int64 { uploads.reduce(0) { $0 &+ $1.doneBytes } }
}

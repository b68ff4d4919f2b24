import AgentStore
import Capture
import LibraryAPI
import MediaFiles
import MediaFormats
import Persistence
import PhotoLibrary
import PhotoModel

/// Recovers what an interruption left in `capturing/`, before anything else is captured.
///
/// A file there gets its name only once it is durable, so that each still is complete:
/// - a still becomes an entry, with its movie or as an incomplete Live Photo;
/// - a folder without a still was never reported to anybody, and is removed.
/// Repeating it changes nothing, and shots that another process is taking are left alone.
struct CaptureRecovery {
    /// The result of a recovery.
    struct Report: Hashable {
        /// Shots that became entries.
        var adopted: [AssetID] = []
        /// Shots that had no still yet.
        var removed: [String] = []
        /// Shots that could not be recovered now, with the reason; they are kept.
        var failed: [String: String] = [:]
    }

    let store: AgentStore
    /// The album of shots whose record is missing.
    let album: String?
    private let limits: SpaceLimits
    private let fileSystem = PosixFileSystem()

    init(store: AgentStore, album: String?, limits: SpaceLimits = SpaceLimits()) {
        self.store = store
        self.album = album
        self.limits = limits
    }

    func run() throws -> Report {
        var report = Report()
        let root = QueueDestination.workFolder(of: store)
        guard try fileSystem.status(root) != nil else { return report }
        for name in try fileSystem.list(root) {
            // Foreign files are left alone.
            guard let id = AssetID(name) else { continue }
            let folder = root.appending(name)
            // Another process is taking this shot.
            guard let lock = try? fileSystem.lock(folder.appending(QueueDestination.lockName)) else { continue }
            defer { lock.release() }
            do {
                let isKnown = try store.entry(id) != nil
                if !isKnown, let draft = try draft(id, in: folder) {
                    try store.add(draft, limits: limits, now: Box.now())
                    report.adopted.append(id)
                } else if !isKnown {
                    report.removed.append(name)
                }
                try fileSystem.removeFiles(of: folder)
            } catch {
                report.failed[name] = "\(error)"
            }
        }
        return report
    }

    /// The asset made from a folder's files; nil without a still.
    private func draft(_ id: AssetID, in folder: Path) throws -> CaptureDraft? {
        let files = try fileSystem.list(folder).filter { $0.hasPrefix("\(id).") }
            .compactMap { try MediaFile(folder.appending($0), in: fileSystem) }
        guard let still = files.first(where: { $0.kind.type == .photo }) else { return nil }
        let movie = files.first { $0.kind.type == .video }
        let known = try CaptureRecord.read(from: folder, in: fileSystem)
        let time = still.captureTime
        var record =
            known
            ?? CaptureRecord(
                id: id,
                trigger: .command,
                isLivePhoto: still.contentIdentifier != nil,
                requestedTime: time
            )
        if known == nil { record.album = album }
        var manifest = record.manifest(
            captureTime: captureTime(still, known),
            isLivePhoto: movie != nil,
            isIncomplete: record.isLivePhoto && movie == nil
        )
        manifest.pixelSize = still.pixelSize
        manifest.location = record.location ?? still.location
        manifest.durationMicroseconds = movie?.duration.map { Int64($0 / .microseconds(1)) }
        let parts: [(MediaFile, AssetResourceType)] = [(still, .photo)] + (movie.map { [($0, .pairedVideo)] } ?? [])
        return CaptureDraft(
            manifest: manifest,
            resources: try parts.map { file, type in
                let hashed = try ContentHasher.digest(file.path, in: fileSystem)
                return CaptureDraft.Resource(
                    id: .derived(from: hashed.digest),
                    type: type,
                    contentType: file.kind.contentType,
                    originalFilename: FileName(file.path.name),
                    content: .move(file.path, hashed: hashed)
                )
            }
        )
    }

    /// The still's own date, with the clocks from its record.
    private func captureTime(_ still: MediaFile, _ record: CaptureRecord?) -> CaptureTime {
        var time = still.captureTime
        guard let requested = record?.requestedTime, let monotonic = requested.monotonicNanoseconds else { return time }
        let distance = time.wall.microsecondsSince1970 - requested.wall.microsecondsSince1970
        let nanoseconds = Int64(clamping: monotonic).addingReportingOverflow(distance * 1000)
        time.monotonicNanoseconds = nanoseconds.overflow ? nil : UInt64(exactly: nanoseconds.partialValue)
        time.bootID = requested.bootID
        time.source = .deviceClock
        time.isSynchronized = requested.isSynchronized
        return time
    }
}

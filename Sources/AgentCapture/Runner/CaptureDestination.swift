package import AgentStore
package import Capture
import Host
import LibraryAPI
package import Persistence
package import PhotoModel
import Synchronization
package import SystemPackage

/// The destination of a shot's files; every call blocks.
package protocol CaptureDestination: Sendable {
    /// Opens the folder in which a shot's files are written, on their final file system, given what is known before the
    /// shutter.
    func begin(_ record: EntryRecord) throws -> FilePath

    /// Files a finished shot, and returns the final paths, the still first; once this returns, it survives a power cut.
    func file(_ result: CaptureResult, _ record: EntryRecord) throws -> [Path]

    /// Removes a failed shot's leftovers.
    func discard(_ asset: AssetID) throws
}

/// Files shots into the queue, from which they are synced.
package final class QueueDestination: CaptureDestination {
    private let store: AgentStore
    private let limits: SpaceLimits
    private let intakes = Mutex<[AssetID: Intake]>([:])

    package init(store: AgentStore, limits: SpaceLimits) {
        self.store = store
        self.limits = limits
    }

    /// Opens the shot's intake.
    package func begin(_ record: EntryRecord) throws -> FilePath {
        let intake = try store.openIntake(for: record)
        intakes.withLock { $0[record.manifest.id] = intake }
        return FilePath(intake.path.text)
    }

    /// Adds the shot to the queue.
    package func file(_ result: CaptureResult, _ record: EntryRecord) throws -> [Path] {
        guard let intake = take(result.id) else { throw AgentError(.failed, "the shot \(result.id) was abandoned") }
        var draft = CaptureDraft(record.manifest(of: result))
        for resource in result.resources {
            let file = resource.file
            draft.append(
                try intake.recorded(Path(file.path.string), digest: file.digest, byteCount: file.byteCount),
                id: .derived(from: file.digest),
                type: resource.type,
                contentType: file.contentType,
                originalFilename: resource.originalFilename
            )
        }
        do {
            let entry = try store.add(draft, limits: limits, now: HostClock.now())
            return try entry.manifest.resources.map { try store.place(of: $0, in: result.id).path }
        } catch let error as AgentStoreError where error.code == .full {
            RefusedCapture(
                time: HostClock.now(),
                byteCount: result.resources.reduce(0) { $0 + $1.file.byteCount }
            ).remember(in: store)
            throw error
        }
    }

    /// Removes the shot's intake.
    package func discard(_ asset: AssetID) { _ = take(asset) }

    private func take(_ asset: AssetID) -> Intake? {
        intakes.withLock { $0.removeValue(forKey: asset) }
    }
}

extension EntryRecord {
    /// The manifest of the finished shot, without its resources yet.
    fileprivate func manifest(of result: CaptureResult) -> AssetManifest {
        var manifest = manifest
        manifest.captureTime = result.frame.captureTime
        manifest.mediaSubtypes = result.movie == nil ? [] : .photoLive
        manifest.pixelSize = result.still.pixelSize
        manifest.durationMicroseconds = result.movie.map { AssetManifest.microseconds($0.duration) }
        var facts = manifest.captureFacts ?? CaptureFacts()
        facts.trigger = result.trigger.description
        facts.lagMicroseconds = Int64((result.frame.lag / .microseconds(1)).rounded())
        facts.isLivePhotoIncomplete = result.flags.contains(.liveIncomplete) ? true : nil
        manifest.captureFacts = facts
        return manifest
    }
}

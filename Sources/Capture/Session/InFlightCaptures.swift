import PhotoModel

/// A session's activity, for a status page and the "recording" light.
package struct CaptureActivity: Hashable, Sendable {
    /// Unfinished shots.
    package var inFlightCount = 0
    /// Those of them that are Live Photos still recording.
    package var recordingCount = 0

    /// No activity.
    package init() {}
}

/// The shots in progress, tracked by identifier, so that none is counted twice or forgotten.
struct InFlightCaptures {
    private struct Entry {
        var machine: PhotoCaptureMachine
        let events: AsyncStream<PhotoCaptureEvent>.Continuation
    }

    private var entries: [AssetID: Entry] = [:]

    /// The current counts.
    var activity: CaptureActivity {
        var activity = CaptureActivity()
        activity.inFlightCount = entries.count
        activity.recordingCount = entries.values.count { $0.machine.isRecording }
        return activity
    }

    /// Whether this shot is in progress.
    func contains(_ id: AssetID) -> Bool { entries[id] != nil }

    /// Adds a shot and announces it.
    mutating func begin(_ resolved: ResolvedPhotoSettings) -> AsyncStream<PhotoCaptureEvent> {
        let (stream, events) = AsyncStream<PhotoCaptureEvent>.makeStream()
        let machine = PhotoCaptureMachine(isLivePhoto: resolved.isLivePhoto)
        entries[resolved.uniqueID] = Entry(machine: machine, events: events)
        events.yield(.willBegin(resolved))
        return stream
    }

    /// Handles a report about a shot's progress; reports about finished shots are ignored.
    mutating func report(_ input: PhotoCaptureMachine.Input, of id: AssetID) {
        guard var entry = entries.removeValue(forKey: id) else { return }
        for event in entry.machine.handle(input) { entry.events.yield(event) }
        if entry.machine.isFinished {
            entry.events.finish()
        } else {
            entries[id] = entry
        }
    }
}

import PhotoModel

/// What is going on in a session, for a status page and the light that says "recording".
package struct CaptureActivity: Hashable, Sendable {
    /// Shots that are not finished.
    package var inFlightCount = 0
    /// Live Photos among them that still record.
    package var recordingCount = 0

    /// Nothing goes on.
    package init() {}

    init(inFlightCount: Int, recordingCount: Int) {
        self.inFlightCount = inFlightCount
        self.recordingCount = recordingCount
    }
}

/// The shots under way, each counted by its identifier, so that no event can count one twice or forget it.
struct InFlightCaptures {
    private struct Entry {
        var machine: PhotoCaptureMachine
        let events: AsyncStream<PhotoCaptureEvent>.Continuation
    }

    private var entries: [AssetID: Entry] = [:]

    /// How many there are.
    var activity: CaptureActivity {
        CaptureActivity(
            inFlightCount: entries.count,
            recordingCount: entries.values.count { $0.machine.isRecording }
        )
    }

    /// Whether this shot is under way.
    func contains(_ id: AssetID) -> Bool { entries[id] != nil }

    /// Takes in a shot and announces it.
    mutating func begin(_ resolved: ResolvedPhotoSettings) -> AsyncStream<PhotoCaptureEvent> {
        let (stream, events) = AsyncStream<PhotoCaptureEvent>.makeStream()
        let machine = PhotoCaptureMachine(isLivePhoto: resolved.isLivePhoto)
        entries[resolved.uniqueID] = Entry(machine: machine, events: events)
        events.yield(.willBegin(resolved))
        return stream
    }

    /// Takes a report of a shot's work; reports of a shot that is over are ignored.
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

import AgentStore
import Capture
import LibraryAPI
import Persistence
import PhotoLibrary
import Synchronization

/// Notifies programs on the box of shot events.
final class CaptureEvents: Sendable {
    /// Events buffered per reader; one that falls further behind is ended, so that it notices.
    static let backlog = 256

    private typealias Reader = AsyncThrowingStream<CaptureEvent, any Error>.Continuation

    private let readers = Mutex<(next: Int, open: [Int: Reader])>((0, [:]))

    /// The number of readers.
    var readerCount: Int { readers.withLock { $0.open.count } }

    /// The events from now on; throws `failed` for a reader that falls too far behind.
    func stream() -> AsyncThrowingStream<CaptureEvent, any Error> {
        let (events, reader) = AsyncThrowingStream<CaptureEvent, any Error>.makeStream(
            bufferingPolicy: .bufferingOldest(Self.backlog)
        )
        let id = readers.withLock { readers in
            readers.next += 1
            readers.open[readers.next] = reader
            return readers.next
        }
        reader.onTermination = { [weak self] _ in
            self?.readers.withLock { _ = $0.open.removeValue(forKey: id) }
        }
        return events
    }

    /// Sends an event to all readers.
    func send(_ event: CaptureEvent) {
        for reader in readers.withLock({ Array($0.open.values) }) {
            guard case .dropped = reader.yield(event) else { continue }
            reader.finish(throwing: AgentError(.failed, "events were read too slowly"))
        }
    }
}

/// Reports the events of one shot.
struct ShotReporter: Sendable {
    let record: EntryRecord
    let profile: String?
    let camera: CaptureDevice
    let send: @Sendable (CaptureEvent) -> Void

    /// Forwards the session's events, except `finished`: the shot is over only once the service has filed it.
    func report(_ event: PhotoCaptureEvent) {
        switch event {
        case .willBegin: send(.willBegin) { _ in }
        case .willCapture: send(.willCapture) { _ in }
        case .didCapture(let frame):
            send(.didCapture) {
                $0.captureTime = frame.captureTime
                $0.lagMilliseconds = frame.lag.roundedMilliseconds
            }
        case .photo(let still): send(.photo) { $0.byteCount = still.file.byteCount }
        case .rawPhoto(let raw): send(.rawPhoto) { $0.byteCount = raw.file.byteCount }
        case .movieRecordingStopped: send(.movieRecordingStopped) { _ in }
        case .movie(let movie): send(.movie) { $0.byteCount = movie.file.byteCount }
        case .finished: break
        }
    }

    /// Reports that the shot is in the queue, or why it failed.
    func finish(_ error: (any Error)? = nil) {
        send(.finished) { $0.problem = error.map { "\($0)" } }
    }

    private func send(_ kind: CaptureEvent.Kind, _ change: (inout CaptureEvent) -> Void) {
        var event = CaptureEvent(
            kind,
            id: record.manifest.id,
            profile: profile,
            camera: camera.id.rawValue,
            trigger: record.manifest.captureFacts?.trigger ?? "",
            isLivePhoto: record.isIncompleteLivePhoto
        )
        change(&event)
        send(event)
    }
}

extension CapturedShot {
    init(_ result: CaptureResult, _ record: EntryRecord, profile: String?, camera: CaptureDevice, files: [Path]) {
        self.init(
            id: result.id,
            profile: profile,
            isLivePhoto: result.movie != nil,
            camera: camera.id.rawValue,
            trigger: result.trigger.description,
            requestedTime: record.manifest.captureTime,
            captureTime: result.frame.captureTime,
            lagMilliseconds: result.frame.lag.roundedMilliseconds,
            byteCount: result.resources.reduce(0) { $0 + $1.file.byteCount },
            files: files.map(\.text),
            flags: result.flags.map(\.rawValue).sorted()
        )
    }
}

extension Duration {
    /// Milliseconds with one decimal.
    fileprivate var roundedMilliseconds: Double { ((self / .milliseconds(1)) * 10).rounded() / 10 }
}

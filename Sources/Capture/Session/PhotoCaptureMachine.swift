/// Orders one shot's events: however the work finishes, events are emitted in order, and `finished` once.
///
/// Work reports to it, and it returns the events that are due. It waits for all started work, so that no file is
/// written after `finished`.
struct PhotoCaptureMachine {
    /// A report about the work.
    enum Input {
        /// The frame is about to be chosen.
        case choosing
        /// The frame was chosen; the still, and the movie if any, are being written.
        case chosen(ChosenFrame)
        /// No frame was chosen, and nothing is being written.
        case notChosen(CaptureError)
        /// The still and its raw samples, if they are kept, are durable, or one of them failed.
        case still(Result<RecordedPhotos, CaptureError>)
        /// The movie gets no more frames.
        case recordingStopped(FeedEnd)
        /// The movie is durable, or failed.
        case movie(Result<RecordedMovie, CaptureError>)
    }

    private enum Stage: Int, Comparable {
        case accepted, choosing, writing, photoShown, recordingStopped, finished

        static func < (left: Stage, right: Stage) -> Bool { left.rawValue < right.rawValue }
    }

    private let isLivePhoto: Bool
    private var stage = Stage.accepted
    private var still: Result<RecordedPhotos, CaptureError>?
    private var recordingEnd: FeedEnd?
    private var movie: Result<RecordedMovie, CaptureError>?

    /// An accepted shot; whether it is a Live Photo is already decided.
    init(isLivePhoto: Bool) {
        self.isLivePhoto = isLivePhoto
    }

    /// Whether the last event was emitted.
    var isFinished: Bool { stage == .finished }
    /// Whether the movie still gets frames, which people in front of the camera should know.
    var isRecording: Bool { isLivePhoto && stage < .recordingStopped && recordingEnd == nil }

    /// Handles a report and returns the events that are due.
    mutating func handle(_ input: Input) -> [PhotoCaptureEvent] {
        switch input {
        case .choosing where stage == .accepted:
            stage = .choosing
            return [.willCapture]
        case .chosen(let frame) where stage == .choosing:
            stage = .writing
            return [.didCapture(frame)] + due()
        case .notChosen(let error) where stage < .writing:
            stage = .finished
            return [.finished(error)]
        case .still(let result) where still == nil && stage < .finished: still = result
        case .recordingStopped(let end) where recordingEnd == nil && stage < .finished: recordingEnd = end
        case .movie(let result) where movie == nil && stage < .finished: movie = result
        default: return []
        }
        return stage < .writing ? [] : due()
    }

    private mutating func due() -> [PhotoCaptureEvent] {
        var events: [PhotoCaptureEvent] = []
        if stage == .writing, let still {
            stage = .photoShown
            if case .success(let photos) = still {
                events.append(.photo(photos.still))
                if let raw = photos.raw { events.append(.rawPhoto(raw)) }
            }
        }
        // A movie can fail while it is being recorded. One that is written has been recorded, but that may be told later.
        if stage == .photoShown, isLivePhoto, let end = recordingEnd ?? (movie?.failure == nil ? nil : .stopped) {
            stage = .recordingStopped
            events.append(.movieRecordingStopped(end))
        }
        if stage == .recordingStopped, let movie {
            // A movie without its still is not an asset: it is not announced.
            if case .success(let movie) = movie, stillError == nil { events.append(.movie(movie)) }
            stage = .finished
            events.append(.finished(stillError ?? movie.failure))
        }
        if stage == .photoShown, !isLivePhoto {
            stage = .finished
            events.append(.finished(stillError))
        }
        return events
    }

    private var stillError: CaptureError? { still?.failure }
}

extension Result {
    /// The error; nil for a success.
    var failure: Failure? {
        guard case .failure(let error) = self else { return nil }
        return error
    }
}

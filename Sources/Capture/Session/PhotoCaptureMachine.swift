/// The law of one shot's events: whatever order the work ends in, they come out in theirs, and `finished` once.
///
/// The work reports to it, and it answers with the events that are due. It waits for all work that was begun, so that
/// after `finished` no file is written any more.
struct PhotoCaptureMachine {
    /// What the work reports.
    enum Input {
        /// The frame is about to be chosen.
        case choosing
        /// The frame was chosen; the still, and the movie if there is one, are being written.
        case chosen(ChosenFrame)
        /// No frame was chosen, and nothing is being written.
        case notChosen(CaptureError)
        /// The still is durable, or never will be.
        case still(Result<RecordedStill, CaptureError>)
        /// The movie gets no more frames.
        case recordingStopped(FeedEnd)
        /// The movie is durable, or never will be.
        case movie(Result<RecordedMovie, CaptureError>)
    }

    private enum Stage: Int, Comparable {
        case accepted, choosing, writing, photoShown, recordingStopped, finished

        static func < (left: Stage, right: Stage) -> Bool { left.rawValue < right.rawValue }
    }

    private let isLivePhoto: Bool
    private var stage = Stage.accepted
    private var still: Result<RecordedStill, CaptureError>?
    private var recordingEnd: FeedEnd?
    private var movie: Result<RecordedMovie, CaptureError>?

    /// A shot that was accepted; whether it is a Live Photo is settled by now.
    init(isLivePhoto: Bool) {
        self.isLivePhoto = isLivePhoto
    }

    /// Whether the last event is out.
    var isFinished: Bool { stage == .finished }
    /// Whether the movie still gets frames, which somebody in front of the camera should know.
    var isRecording: Bool { isLivePhoto && stage < .recordingStopped && recordingEnd == nil }

    /// Takes a report and answers with the events that are due now.
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
            if case .success(let still) = still { events.append(.photo(still)) }
        }
        // A movie cannot be done while it is recorded, but it can fail.
        if stage == .photoShown, isLivePhoto, let end = recordingEnd ?? (movie == nil ? nil : .stopped) {
            stage = .recordingStopped
            events.append(.movieRecordingStopped(end))
        }
        if stage == .recordingStopped, let movie {
            // A movie without its still is no asset: it is not announced.
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

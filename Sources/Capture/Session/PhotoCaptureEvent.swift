package import PhotoModel

/// The chosen frame.
package struct ChosenFrame: Hashable, Sendable {
    /// What is known of it.
    package let info: FrameInfo
    /// The evidence of when it was taken.
    package let captureTime: CaptureTime
    /// How much later than asked for it was taken; negative when earlier.
    package let lag: Duration
}

/// What happens to one shot, in this order; what does not apply is left out.
package enum PhotoCaptureEvent: Sendable {
    /// The shot was accepted; from here on a Live Photo may record.
    case willBegin(ResolvedPhotoSettings)
    /// The frame is about to be chosen.
    case willCapture
    /// The frame was chosen.
    case didCapture(ChosenFrame)
    /// The still is durable.
    case photo(RecordedStill)
    /// Nothing more is recorded for the movie; its file may not be read yet.
    case movieRecordingStopped(FeedEnd)
    /// The movie is durable.
    case movie(RecordedMovie)
    /// The shot is over: the last event, exactly once. With an error, what was not announced does not exist.
    case finished(CaptureError?)
}

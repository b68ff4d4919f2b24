package import PhotoModel

/// The chosen frame.
package struct ChosenFrame: Hashable, Sendable {
    /// Information about it.
    package let info: FrameInfo
    /// The evidence of when it was taken.
    package let captureTime: CaptureTime
    /// How much later than requested it was taken; negative if earlier.
    package let lag: Duration
}

/// The events of one shot, in this order; inapplicable ones are omitted.
package enum PhotoCaptureEvent: Sendable {
    /// The shot was accepted; a Live Photo may record from here on.
    case willBegin(ResolvedPhotoSettings)
    /// The frame is about to be chosen.
    case willCapture
    /// The frame was chosen.
    case didCapture(ChosenFrame)
    /// The still is durable.
    case photo(RecordedStill)
    /// The sensor's raw samples are durable, too.
    case rawPhoto(RecordedStill)
    /// Recording of the movie ended; its file may not be readable yet.
    case movieRecordingStopped(FeedEnd)
    /// The movie is durable.
    case movie(RecordedMovie)
    /// The shot is over: the last event, exactly once.
    ///
    /// After an error, anything not announced does not exist.
    case finished(CaptureError?)
}

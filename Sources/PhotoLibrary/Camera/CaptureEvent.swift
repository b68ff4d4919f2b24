public import PhotoModel

/// An event of a shot, as in AVFoundation's `AVCapturePhotoCaptureDelegate`.
///
/// Each shot emits its events in the order of ``Kind``, omitting inapplicable ones, and `finished` exactly once. The
/// agent sends them as server-sent events named by kind.
public struct CaptureEvent: Hashable, Sendable, Codable {
    /// The steps of a shot.
    public enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
        /// The shot was accepted; from here on a Live Photo may record (`willBeginCaptureFor`).
        case willBegin
        /// The frame is about to be chosen (`willCapturePhotoFor`): the moment for a sound or a blink.
        case willCapture
        /// The frame was chosen (`didCapturePhotoFor`).
        case didCapture
        /// The still is durable (`didFinishProcessingPhoto`).
        case photo
        /// The sensor's raw samples are durable, too (`didFinishProcessingPhoto` with `isRawPhoto`).
        case rawPhoto
        /// Recording of the movie ended (`didFinishRecordingLivePhotoMovieForEventualFileAt`).
        case movieRecordingStopped
        /// The movie is durable (`didFinishProcessingLivePhotoToMovieFileAt`).
        case movie
        /// The shot is over (`didFinishCaptureFor`): it is in the queue, or `problem` says why it failed.
        case finished
    }

    /// The kind of event.
    public let kind: Kind
    /// Identifies the shot, and the asset it becomes.
    public let id: AssetID
    /// Its profile; nil if none.
    public let profile: String?
    /// The camera's identity.
    public let camera: String
    /// What triggered the shutter: a kind, optionally with a name.
    public let trigger: String
    /// Whether it will have a movie.
    public let isLivePhoto: Bool
    /// With `didCapture`: when the chosen frame was taken.
    public var captureTime: CaptureTime?
    /// With `didCapture`: how much later than requested that was, in milliseconds; negative if earlier.
    public var lagMilliseconds: Double?
    /// With `photo`, `rawPhoto` and `movie`: the size of the file in bytes.
    public var byteCount: Int64?
    /// With `finished`: why the shot failed; nil on success.
    public var problem: String?

    /// An event without further details.
    package init(_ kind: Kind, id: AssetID, profile: String?, camera: String, trigger: String, isLivePhoto: Bool) {
        self.kind = kind
        self.id = id
        self.profile = profile
        self.camera = camera
        self.trigger = trigger
        self.isLivePhoto = isLivePhoto
    }
}

public import PhotoModel

/// What happened to a shot, as it happens: what AVFoundation tells its `AVCapturePhotoCaptureDelegate`.
///
/// Each shot gives its events in the order of ``Kind``, without those that do not apply, and `finished` exactly once. The
/// agent sends them as server-sent events whose name is the kind.
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
        /// Nothing more is recorded for the movie (`didFinishRecordingLivePhotoMovieForEventualFileAt`).
        case movieRecordingStopped
        /// The movie is durable (`didFinishProcessingLivePhotoToMovieFileAt`).
        case movie
        /// The shot is over (`didFinishCaptureFor`): it is in the queue, or `problem` says why it failed.
        case finished
    }

    /// What happened.
    public let kind: Kind
    /// Names the shot, and the asset that it becomes.
    public let id: AssetID
    /// The profile that it is taken for; nil for none.
    public let profile: String?
    /// The camera's identity.
    public let camera: String
    /// What made the shutter fall: a kind, and a name where there is one.
    public let trigger: String
    /// Whether a movie is to come with it.
    public let isLivePhoto: Bool
    /// With `didCapture`: when the chosen frame was taken.
    public var captureTime: CaptureTime?
    /// With `didCapture`: how much later than asked for that was, in milliseconds; negative when earlier.
    public var lagMilliseconds: Double?
    /// With `photo` and `movie`: the file's bytes.
    public var byteCount: Int64?
    /// With `finished`: why there is no shot; nil when there is one.
    public var problem: String?

    /// An event without facts of its own.
    package init(
        _ kind: Kind,
        id: AssetID,
        profile: String?,
        camera: String,
        trigger: String,
        isLivePhoto: Bool
    ) {
        self.kind = kind
        self.id = id
        self.profile = profile
        self.camera = camera
        self.trigger = trigger
        self.isLivePhoto = isLivePhoto
    }
}

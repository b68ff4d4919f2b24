public import PhotoModel

/// The result of `POST /v1/captures` and `tintype-agent capture --json`.
package struct CaptureDocument: Hashable, Sendable, Codable {
    /// The shots, in the order they were started.
    package let captures: [CapturedShot]

    package init(captures: [CapturedShot]) {
        self.captures = captures
    }
}

/// A shot whose files are durable at their final paths.
public struct CapturedShot: Hashable, Sendable, Codable {
    /// The asset's identifier.
    public let id: AssetID
    /// Its profile; nil if none.
    public let profile: String?
    /// Whether it has a movie.
    public let isLivePhoto: Bool
    /// The camera's identity.
    public let camera: String
    /// What triggered the shutter: a kind, optionally with a name.
    public let trigger: String
    /// The requested moment.
    public let requestedTime: CaptureTime
    /// When the chosen frame was taken.
    public let captureTime: CaptureTime
    /// How much later than requested that was, in milliseconds; negative if earlier.
    public let lagMilliseconds: Double
    /// Bytes of all files.
    public let byteCount: Int64
    /// The paths of the files, the still first.
    public let files: [String]
    /// Shortcomings of a Live Photo: `liveIncomplete` (no movie), `audioAbsent`, `audioGap`, `movieCutShort`.
    public let flags: [String]

    package init(
        id: AssetID,
        profile: String?,
        isLivePhoto: Bool,
        camera: String,
        trigger: String,
        requestedTime: CaptureTime,
        captureTime: CaptureTime,
        lagMilliseconds: Double,
        byteCount: Int64,
        files: [String],
        flags: [String]
    ) {
        self.id = id
        self.profile = profile
        self.isLivePhoto = isLivePhoto
        self.camera = camera
        self.trigger = trigger
        self.requestedTime = requestedTime
        self.captureTime = captureTime
        self.lagMilliseconds = lagMilliseconds
        self.byteCount = byteCount
        self.files = files
        self.flags = flags
    }
}

public import PhotoModel

/// What `POST /v1/captures` and `tintype-agent capture --json` made.
package struct CaptureDocument: Hashable, Sendable, Codable {
    /// The shots, in the order in which they were begun.
    package let captures: [CapturedShot]

    package init(captures: [CapturedShot]) {
        self.captures = captures
    }
}

/// A shot whose files are durable in their place.
public struct CapturedShot: Hashable, Sendable, Codable {
    /// Names the asset.
    public let id: AssetID
    /// The profile that it was taken for; nil for none.
    public let profile: String?
    /// Whether a movie came with it.
    public let isLivePhoto: Bool
    /// The camera's identity.
    public let camera: String
    /// What made the shutter fall: a kind, and a name where there is one.
    public let trigger: String
    /// The moment asked for.
    public let requestedTime: CaptureTime
    /// When the chosen frame was taken.
    public let captureTime: CaptureTime
    /// How much later than asked for that was, in milliseconds; negative when earlier.
    public let lagMilliseconds: Double
    /// Bytes of all files.
    public let byteCount: Int64
    /// Paths of the files, the still first.
    public let files: [String]
    /// What is to be said of a Live Photo that is not all it could be: `liveIncomplete` (no movie), `audioAbsent`,
    /// `audioGap`, `movieCutShort`.
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

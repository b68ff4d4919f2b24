/// Whether a shot is a still alone.
public enum CaptureMode: String, Hashable, Sendable, Codable, CaseIterable {
    /// A photo.
    case still
    /// A photo with a movie around it.
    case live
}

/// What a program asks of the running agent (AVFoundation's `AVCapturePhotoSettings`): the body of `POST /v1/captures`.
///
/// ```
/// {"profile": "gate", "mode": "live", "count": 3}
/// ```
/// Everything may be left out. Where files go is the agent's to say: a key that is not here, such as a path, is refused.
public struct CaptureOrder: Hashable, Sendable, Codable {
    /// The profile; nil for the first.
    public var profile: String?
    /// The camera, where no profile is named.
    public var camera: String?
    /// A still or a Live Photo; nil for the profile's mode.
    public var mode: CaptureMode?
    /// Whether a movie has sound, where the camera is opened for this; nil for yes where there is a microphone.
    public var hasSound: Bool?
    /// How many frames in a row, 1 to 1,000; nil for the profile's count.
    public var count: Int?

    /// The keys that an order may have.
    package enum CodingKeys: String, CodingKey, CaseIterable {
        case profile, camera, mode, hasSound, count
    }

    /// Asks for the default: a shot of the first profile.
    public init() {}
}

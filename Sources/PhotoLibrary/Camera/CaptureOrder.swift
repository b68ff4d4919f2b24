/// Whether a shot is a plain still.
public enum CaptureMode: String, Hashable, Sendable, Codable, CaseIterable {
    /// A photo.
    case still
    /// A photo with a movie around it.
    case live
}

/// A program's request to the running agent (AVFoundation's `AVCapturePhotoSettings`): the body of `POST /v1/captures`.
///
/// ```
/// {"profile": "gate", "mode": "live", "count": 3}
/// ```
/// Everything is optional. The agent decides where files go: unknown keys, such as a path, are refused.
public struct CaptureOrder: Hashable, Sendable, Codable {
    /// The profile; nil for the first.
    public var profile: String?
    /// The camera, if no profile is named.
    public var camera: String?
    /// A still or a Live Photo; nil for the profile's mode.
    public var mode: CaptureMode?
    /// Whether a movie has sound, if the camera is opened for this; nil for yes if there is a microphone.
    public var hasSound: Bool?
    /// The number of consecutive frames, 1 to 1,000; nil for the profile's count.
    public var count: Int?
    /// Whether the sensor's raw samples are kept beside the still, as DNG; nil for the profile's choice.
    public var includesRaw: Bool?
    /// The exposures of a bracket in EV relative to the camera's own, one frame each; nil for the profile's.
    public var bracket: [Double]?

    /// The keys of an order.
    package enum CodingKeys: String, CodingKey, CaseIterable {
        case profile, camera, mode, hasSound, count, includesRaw, bracket
    }

    /// The default: a shot of the first profile.
    public init() {}
}

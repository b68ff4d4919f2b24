/// An asset's main type; raw values are those of PhotoKit's `PHAssetMediaType`.
public struct MediaType: RawRepresentable, Hashable, Sendable, Codable {
    /// PhotoKit's number; unknown ones are kept.
    public let rawValue: Int
    /// Any number; unknown ones are kept.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// Unknown: stored unchanged, never decoded.
    public static let unknown = MediaType(rawValue: 0)
    /// A picture, including Live Photos.
    public static let image = MediaType(rawValue: 1)
    /// A movie, except a Live Photo's.
    public static let video = MediaType(rawValue: 2)
    /// Sound only.
    public static let audio = MediaType(rawValue: 3)
}

/// An asset's subtypes; raw values are those of PhotoKit's `PHAssetMediaSubtype`.
public struct MediaSubtypes: OptionSet, Hashable, Sendable, Codable {
    /// PhotoKit's bits; unknown ones are kept.
    public let rawValue: UInt
    /// Any bits; unknown ones are kept.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// A stitched panorama.
    public static let photoPanorama = MediaSubtypes(rawValue: 1 << 0)
    /// A picture of high dynamic range.
    public static let photoHDR = MediaSubtypes(rawValue: 1 << 1)
    /// A picture of a screen, taken by the device itself.
    public static let photoScreenshot = MediaSubtypes(rawValue: 1 << 2)
    /// A Live Photo.
    public static let photoLive = MediaSubtypes(rawValue: 1 << 3)
    /// A picture with depth or disparity data.
    public static let photoDepthEffect = MediaSubtypes(rawValue: 1 << 4)
    /// Stereoscopic media.
    public static let spatialMedia = MediaSubtypes(rawValue: 1 << 10)
    /// A movie whose bytes are stored elsewhere.
    public static let videoStreamed = MediaSubtypes(rawValue: 1 << 16)
    /// A movie recorded at 120 frames a second or more.
    public static let videoHighFrameRate = MediaSubtypes(rawValue: 1 << 17)
    /// A movie made from pictures taken at intervals.
    public static let videoTimelapse = MediaSubtypes(rawValue: 1 << 18)
    /// A movie of a screen.
    public static let videoScreenRecording = MediaSubtypes(rawValue: 1 << 19)
    /// A movie with focus data for later rendering.
    public static let videoCinematic = MediaSubtypes(rawValue: 1 << 21)
}

/// How an asset is shown; raw values are those of PhotoKit's `PHAsset.PlaybackStyle`.
public struct PlaybackStyle: RawRepresentable, Hashable, Sendable, Codable {
    /// PhotoKit's number; unknown ones are kept.
    public let rawValue: Int
    /// Any number; unknown ones are kept.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// It cannot be shown.
    public static let unsupported = PlaybackStyle(rawValue: 0)
    /// A still picture.
    public static let image = PlaybackStyle(rawValue: 1)
    /// An animated picture (GIF or WebP).
    public static let imageAnimated = PlaybackStyle(rawValue: 2)
    /// A still that plays on request.
    public static let livePhoto = PlaybackStyle(rawValue: 3)
    /// A movie.
    public static let video = PlaybackStyle(rawValue: 4)
    /// A movie that plays over and over.
    public static let videoLooping = PlaybackStyle(rawValue: 5)
}

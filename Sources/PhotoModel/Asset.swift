/// One moment in the library: a photo, a Live Photo or a video, with its metadata as one viewer sees it.
///
/// The shape is that of PhotoKit's `PHAsset`. What merges how is the replication module's business; this is the result.
public struct Asset: Hashable, Sendable, Codable, Identifiable {
    /// Names the asset.
    public let id: AssetID
    /// Its media type.
    public var mediaType: MediaType
    /// What more is known of it.
    public var mediaSubtypes: MediaSubtypes
    /// How it is shown.
    public var playbackStyle: PlaybackStyle
    /// When it was captured, with the evidence.
    public var captureTime: CaptureTime
    /// The capture date that a person set instead; nil when nobody did.
    public var captureDateOverride: WallTime?
    /// Seconds east of UTC that the library assumes of a capture whose own offset is unknown, by its time zone; nil where the
    /// capture's offset is known, and for UTC.
    public var assumedUTCOffsetSeconds: Int?
    /// How the capture came about; nil for imports.
    public var captureFacts: CaptureFacts?
    /// When it was added to the library; nil before that.
    public var additionDate: WallTime?
    /// Where it was captured, possibly corrected by a person.
    public var location: Location?
    /// The place's name, as text to be searched.
    public var placeName: String?
    /// Width and height as shown, with the orientation applied; nil when unknown.
    public var pixelSize: PixelSize?
    /// A placeholder until a thumbnail is there; nil while the library has not made one.
    public var thumbHash: ThumbHash?
    /// Length of a movie, or of a Live Photo's movie; nil for stills.
    public var duration: Duration?
    /// The device that captured or imported it; nil when an operator did.
    public var deviceID: DeviceID?
    /// A line that names it.
    public var title: String?
    /// What there is to say about it.
    public var caption: String?
    /// Its keywords.
    public var keywords: Set<Keyword>
    /// Stars, 0 to 5.
    public var rating: Rating
    /// Whether somebody marked it as a favourite.
    public var isFavorite: Bool
    /// Whether it is kept out of what people usually see.
    public var isHidden: Bool
    /// When it was put into the trash; nil when it was not.
    public var trashedAt: WallTime?
    /// The burst it belongs to; nil for a single shot.
    public var burst: BurstMembership?
    /// How it was edited; nil if the originals are shown.
    public var adjustment: Adjustment?
    /// The albums that hold it and that the viewer may see.
    public var albums: Set<AlbumID>
    /// Its bytes.
    public var resources: [AssetResource]

    /// An asset of which only what must be known is known.
    public init(id: AssetID, mediaType: MediaType, captureTime: CaptureTime, resources: [AssetResource] = []) {
        self.id = id
        self.mediaType = mediaType
        self.captureTime = captureTime
        self.resources = resources
        mediaSubtypes = []
        playbackStyle = mediaType == .video ? .video : mediaType == .image ? .image : .unsupported
        keywords = []
        rating = .unrated
        isFavorite = false
        isHidden = false
        albums = []
        if mediaType == .image, resources.contains(where: { $0.type == .pairedVideo }) {
            mediaSubtypes = .photoLive
            playbackStyle = .livePhoto
        }
    }

    /// The capture date that counts: the one a person set, else the evidence.
    public var captureDate: WallTime { captureDateOverride ?? captureTime.wall }

    /// Seconds east of UTC on the clock on the wall: of the place of the capture, or else of the library.
    public var utcOffsetSeconds: Int { captureTime.utcOffsetSeconds ?? assumedUTCOffsetSeconds ?? 0 }

    /// The capture date that counts, as the clock on the wall shows it: by this lists are ordered and days are cut.
    public var localCaptureDate: LocalTime { LocalTime(captureDate, utcOffsetSeconds: utcOffsetSeconds) }

    /// The capture date that counts, as that clock shows it, with its offset.
    package var civilCaptureTime: CivilTime { CivilTime(captureDate, utcOffsetSeconds: utcOffsetSeconds) }

    /// Whether it is a Live Photo: a still with a paired movie.
    public var isLivePhoto: Bool { mediaSubtypes.contains(.photoLive) }

    /// The original that the asset is named after: its photo, else its video, else its sound.
    public var primaryResource: AssetResource? {
        let order: [AssetResourceType] = [.photo, .video, .audio]
        return order.lazy.compactMap { type in resources.first { $0.type == type } }.first
    }
}

/// Width and height in pixels.
public struct PixelSize: Hashable, Sendable, Codable, CustomStringConvertible {
    /// Pixels from left to right.
    public let width: Int
    /// Pixels from top to bottom.
    public let height: Int

    /// Takes two numbers as they are.
    public init(width: Int, height: Int) {
        self.width = width
        self.height = height
    }

    /// Decodes a size, clamped to 0 to 2^30, so that an area cannot overflow.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let range = 0...1 << 30
        width = try container.decode(Int.self, forKey: .width).clamped(to: range)
        height = try container.decode(Int.self, forKey: .height).clamped(to: range)
    }

    /// Width and height exchanged, as a quarter turn does.
    public var transposed: PixelSize { PixelSize(width: height, height: width) }

    /// For example `1920x1080`.
    public var description: String { "\(width)x\(height)" }
}

/// An asset's part in a burst.
public struct BurstMembership: Hashable, Sendable, Codable {
    /// Why an asset was selected from its burst; raw values are those of PhotoKit's `PHAssetBurstSelectionType`.
    public struct SelectionTypes: OptionSet, Hashable, Sendable, Codable {
        /// PhotoKit's bits.
        public let rawValue: UInt
        /// Any bits.
        public init(rawValue: UInt) { self.rawValue = rawValue }
        /// A program found it best.
        public static let autoPick = SelectionTypes(rawValue: 1 << 0)
        /// A person chose it.
        public static let userPick = SelectionTypes(rawValue: 1 << 1)
    }

    /// Names the burst.
    public let id: BurstID
    /// Whether this asset represents the burst.
    public var representsBurst: Bool
    /// Why it was selected.
    public var selectionTypes: SelectionTypes

    /// Takes the membership as it is.
    public init(id: BurstID, representsBurst: Bool = false, selectionTypes: SelectionTypes = []) {
        self.id = id
        self.representsBurst = representsBurst
        self.selectionTypes = selectionTypes
    }
}

/// How an asset was edited, as PhotoKit's `PHAdjustmentData` names it; the data itself is a resource.
public struct Adjustment: Hashable, Sendable, Codable {
    /// Reverse-DNS name of the format of the adjustment data.
    public let formatIdentifier: String
    /// The format's version.
    public let formatVersion: String

    /// Takes the format's name and version as they are.
    public init(formatIdentifier: String, formatVersion: String) {
        self.formatIdentifier = formatIdentifier
        self.formatVersion = formatVersion
    }
}

/// Which assets are meant: one tree for lists, selection rules, pickers and jobs.
///
/// On the wire a kind is a string and everything else an object with one key, for example
/// `{"all": ["images", {"not": {"any": ["screenshots", "panoramas"]}}]}`. Filters from outside are capped in size and
/// depth; `any` of nothing matches nothing, `all` of nothing matches everything.
public indirect enum AssetFilter: Hashable, Sendable {
    /// One of the kinds that need no argument.
    case kind(Kind)
    /// Shown in this way.
    case playbackStyle(PlaybackStyle)
    /// Captured within a range of dates.
    case captured(DateRange)
    /// Captured or imported by this device.
    case device(DeviceID)
    /// In this album.
    case album(AlbumID)
    /// With this keyword.
    case keyword(Keyword)
    /// With at least this many stars.
    case rating(atLeast: Rating)
    /// Every word begins a word of its title, caption, keywords, file names or place.
    case text(String)
    /// Captured within a circle.
    case near(GeographicCircle)
    /// Captured between two meridians and two parallels.
    case inside(GeographicBox)
    /// At least one of these matches.
    case any([AssetFilter])
    /// Every one of these matches.
    case all([AssetFilter])
    /// This does not match.
    case not(AssetFilter)

    /// A kind of asset, named as `PHPickerFilter` names it.
    public enum Kind: String, CaseIterable, Hashable, Sendable, Codable {
        /// Stills, Live Photos among them.
        case images
        /// Movies; the movie of a Live Photo does not count.
        case videos
        /// Stills with a paired movie.
        case livePhotos
        /// Pictures of a screen.
        case screenshots
        /// Assets that belong to a burst.
        case bursts
        /// Stitched pictures.
        case panoramas
        /// Movies made of pictures taken at intervals.
        case timelapses
        /// Movies recorded at 120 frames a second or more.
        case slomoVideos
        /// Movies of a screen.
        case screenRecordings
        /// Pictures with depth beside them.
        case depthEffectPhotos
        /// Movies with focus data.
        case cinematicVideos
        /// Assets marked as favourites.
        case favorites
    }

    /// An end of a range of captures.
    ///
    /// On the wire it is one string: with an offset it is an instant (`2026-05-31T20:00:00Z`), without one it is a day or a
    /// time on the clock of each capture's own place (`2026-05-31`).
    public enum DateBound: Hashable, Sendable {
        /// The same instant everywhere.
        case instant(WallTime)
        /// When the clock at the place of the capture shows this.
        case local(LocalTime)

        /// Whether an asset was captured before.
        func isAfter(_ asset: Asset) -> Bool {
            switch self {
            case .instant(let time): asset.captureDate < time
            case .local(let time): asset.localCaptureDate < time
            }
        }
    }

    /// From one time until before another; an open end is nil.
    public struct DateRange: Hashable, Sendable, Codable {
        /// The first time that belongs to it.
        public let from: DateBound?
        /// The first time after it.
        public let until: DateBound?

        /// A range of instants or of local times.
        public init(from: DateBound?, until: DateBound?) {
            self.from = from
            self.until = until
        }

        /// A range of instants.
        public init(from: WallTime? = nil, until: WallTime? = nil) {
            self.init(from: from.map(DateBound.instant), until: until.map(DateBound.instant))
        }

        /// Whether an asset was captured within.
        public func contains(_ asset: Asset) -> Bool {
            !(from?.isAfter(asset) ?? false) && (until?.isAfter(asset) ?? true)
        }
    }
}

extension AssetFilter {
    /// Stills, Live Photos among them.
    public static let images = AssetFilter.kind(.images)
    /// Movies.
    public static let videos = AssetFilter.kind(.videos)
    /// Live Photos.
    public static let livePhotos = AssetFilter.kind(.livePhotos)
    /// Assets marked as favourites.
    public static let favorites = AssetFilter.kind(.favorites)

    /// The filters directly below this one.
    public var children: [AssetFilter] {
        switch self {
        case .any(let filters), .all(let filters): filters
        case .not(let filter): [filter]
        case .kind, .playbackStyle, .captured, .device, .album, .keyword, .rating, .text, .near, .inside: []
        }
    }
}

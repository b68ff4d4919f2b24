package import PhotoModel

/// A device's description of an asset, sent before its bytes: all metadata, and every resource with its digest.
///
/// The identifier makes it idempotent: describing the same asset again returns the same uploads.
package struct AssetManifest: Hashable, Sendable, Codable {
    /// The asset's identifier: version 7 for a capture, derived from the primary resource's digest for an import.
    package var id: AssetID
    /// Its main type.
    package var mediaType: MediaType
    /// Its subtypes.
    package var mediaSubtypes: MediaSubtypes
    /// How it is shown; nil derives it from the media type.
    package var playbackStyle: PlaybackStyle?
    /// When it was captured, with the evidence.
    package var captureTime: CaptureTime
    /// How the capture was made; nil for imports.
    package var captureFacts: CaptureFacts?
    /// The capturing device; the server fills in the caller's own if missing, and refuses another's.
    package var deviceID: DeviceID?
    /// The album it should join.
    package var desiredAlbum: DesiredAlbum?
    /// Where it was captured.
    package var location: Location?
    /// The place's name.
    package var placeName: String?
    /// Width and height as shown.
    package var pixelSize: PixelSize?
    /// Duration of the movie in microseconds.
    package var durationMicroseconds: Int64?
    /// The title.
    package var title: String?
    /// The caption.
    package var caption: String?
    /// The keywords.
    package var keywords: [Keyword]?
    /// Stars.
    package var rating: Rating?
    /// Whether it is a favourite from the start.
    package var isFavorite: Bool?
    /// The burst it belongs to.
    package var burst: BurstMembership?
    /// How it was edited, if it comes with an edit.
    package var adjustment: Adjustment?
    /// Every resource, described.
    package var resources: [AssetResource]

    /// A manifest with only the required fields.
    package init(
        id: AssetID,
        mediaType: MediaType,
        mediaSubtypes: MediaSubtypes = [],
        captureTime: CaptureTime,
        desiredAlbum: DesiredAlbum? = nil,
        resources: [AssetResource]
    ) {
        self.id = id
        self.mediaType = mediaType
        self.mediaSubtypes = mediaSubtypes
        self.captureTime = captureTime
        self.desiredAlbum = desiredAlbum
        self.resources = resources
    }

    /// Describes an asset held by a device.
    package init(_ asset: Asset, desiredAlbum: DesiredAlbum? = nil) {
        self.init(
            id: asset.id,
            mediaType: asset.mediaType,
            mediaSubtypes: asset.mediaSubtypes,
            captureTime: asset.captureTime,
            desiredAlbum: desiredAlbum,
            resources: asset.resources
        )
        playbackStyle = asset.playbackStyle
        captureFacts = asset.captureFacts
        deviceID = asset.deviceID
        location = asset.location
        placeName = asset.placeName
        pixelSize = asset.pixelSize
        durationMicroseconds = asset.duration.map(Self.microseconds)
        title = asset.title
        caption = asset.caption
        keywords = asset.keywords.isEmpty ? nil : asset.keywords.sorted()
        rating = asset.rating == .unrated ? nil : asset.rating
        isFavorite = asset.isFavorite ? true : nil
        burst = asset.burst
        adjustment = asset.adjustment
    }

    /// The described asset, as it will be once its bytes are durable.
    package var asset: Asset {
        var asset = Asset(id: id, mediaType: mediaType, captureTime: captureTime, resources: resources)
        asset.mediaSubtypes.formUnion(mediaSubtypes)
        if let playbackStyle { asset.playbackStyle = playbackStyle }
        asset.captureFacts = captureFacts
        asset.deviceID = deviceID
        asset.location = location
        asset.placeName = placeName
        asset.pixelSize = pixelSize
        asset.duration = durationMicroseconds.map { .microseconds($0) }
        asset.title = title
        asset.caption = caption
        asset.keywords = Set(keywords ?? [])
        asset.rating = rating ?? .unrated
        asset.isFavorite = isFavorite ?? false
        asset.burst = burst
        asset.adjustment = adjustment
        return asset
    }

    /// A duration in whole microseconds, at most those of 292,000 years.
    package static func microseconds(_ duration: Duration) -> Int64 {
        let (seconds, attoseconds) = duration.components
        let (whole, overflowed) = seconds.multipliedReportingOverflow(by: 1_000_000)
        let (sum, overflowedToo) = whole.addingReportingOverflow(attoseconds / 1_000_000_000_000)
        return overflowed || overflowedToo ? .max : sum
    }
}

/// The album that a new asset should join.
package enum DesiredAlbum: Hashable, Sendable, Codable {
    /// An existing album.
    case id(AlbumID)
    /// The album with this title, created if there is none.
    case title(String)

    private enum CodingKeys: CodingKey {
        case id, title
    }

    /// Decodes an object with either `id` or `title`.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        guard container.allKeys.count == 1 else {
            throw decoder.corruption("an album is named by its id or by its title")
        }
        if let id = try container.decodeIfPresent(AlbumID.self, forKey: .id) {
            self = .id(id)
        } else {
            self = .title(try container.decode(String.self, forKey: .title))
        }
    }

    /// Encodes an object with either `id` or `title`.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        switch self {
        case .id(let id): try container.encode(id, forKey: .id)
        case .title(let title): try container.encode(title, forKey: .title)
        }
    }
}

extension AssetFilter {
    /// Whether an asset matches.
    ///
    /// This is the only in-memory evaluator; translations to SQL are tested against it.
    public func matches(_ asset: Asset) -> Bool {
        switch self {
        case .kind(let kind): kind.matches(asset)
        case .playbackStyle(let style): asset.playbackStyle == style
        case .captured(let range): range.contains(asset)
        case .device(let id): asset.deviceID == id
        case .album(let id): asset.albums.contains(id)
        case .keyword(let keyword): asset.keywords.contains(keyword)
        case .rating(let least): asset.rating >= least
        case .text(let query): SearchText.matches(query: query, texts: asset.searchableTexts)
        case .near(let circle): asset.location.map(circle.contains) ?? false
        case .inside(let box): asset.location.map(box.contains) ?? false
        case .any(let filters): filters.contains { $0.matches(asset) }
        case .all(let filters): filters.allSatisfy { $0.matches(asset) }
        case .not(let filter): !filter.matches(asset)
        }
    }
}

extension AssetFilter.Kind {
    /// Whether an asset is of this kind.
    func matches(_ asset: Asset) -> Bool {
        switch self {
        case .images: asset.mediaType == .image
        case .videos: asset.mediaType == .video
        case .livePhotos: asset.mediaSubtypes.contains(.photoLive)
        case .screenshots: asset.mediaSubtypes.contains(.photoScreenshot)
        case .bursts: asset.burst != nil
        case .panoramas: asset.mediaSubtypes.contains(.photoPanorama)
        case .timelapses: asset.mediaSubtypes.contains(.videoTimelapse)
        case .slomoVideos: asset.mediaSubtypes.contains(.videoHighFrameRate)
        case .screenRecordings: asset.mediaSubtypes.contains(.videoScreenRecording)
        case .depthEffectPhotos: asset.mediaSubtypes.contains(.photoDepthEffect)
        case .cinematicVideos: asset.mediaSubtypes.contains(.videoCinematic)
        case .favorites: asset.isFavorite
        }
    }
}

extension Asset {
    /// The texts searched: title, caption, keywords, file names and the place's name.
    public var searchableTexts: [String] {
        [title, caption, placeName].compactMap(\.self)
            + keywords.map(\.text)
            + resources.compactMap { $0.originalFilename?.displayText }
    }
}

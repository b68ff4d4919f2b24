// Movies: which of their boxes, keys and tracks to remove.

extension MetadataRemoval {
    /// User data boxes with a location: QuickTime's, 3GPP's, dashcams' position tables.
    private static let locationBoxes: Set<FourCharacterCode> = ["©xyz", "loci", "gps ", "GPS "]
    /// Codecs of tracks that record positions: GoPro's, and Google's camera motion metadata.
    private static let locationCodecs: Set<FourCharacterCode> = ["gpmd", "camm"]
    /// User data boxes that a camera writes about itself, and the lists that are searched.
    private static let technicalBoxes: Set<FourCharacterCode> = [
        "©day", "©mak", "©mod", "©swr", "©too", "free", "skip", "LOOP", "AllF", "SelO", "WLOC",
    ]
    /// Keys that a camera writes about itself.
    private static let technicalKeys: Set<String> = [
        MovieMetadata.Key.contentIdentifier, MovieMetadata.Key.creationDate, MovieMetadata.Key.make,
        MovieMetadata.Key.model, MovieMetadata.Key.software, MovieMetadata.Key.stillImageTime, "©day", "©mak", "©mod",
        "©swr", "©too", "com.android.manufacturer", "com.android.model", "com.android.version",
        "com.android.capture.fps", "com.apple.quicktime.full-frame-rate-playback-intent",
    ]
    private static let technicalPrefixes = ["com.apple.quicktime.live-photo.", "com.apple.quicktime.camera."]

    /// Whether to remove a user data box.
    func removes(_ box: Box) -> Bool {
        let tellsPlace = Self.locationBoxes.contains(box.type)
        return switch self {
        case .location: tellsPlace
        case .captions: !tellsPlace && !Self.technicalBoxes.contains(box.type)
        }
    }

    /// Whether to remove a key's value.
    func removes(key: String) -> Bool {
        let tellsPlace = MovieMetadata.Key.isLocation(key)
        switch self {
        case .location: return tellsPlace
        case .captions:
            return !tellsPlace && !Self.technicalKeys.contains(key)
                && !Self.technicalPrefixes.contains { key.hasPrefix($0) }
        }
    }

    /// Whether to remove a part of a metadata list that is neither its keys nor its items.
    func removes(inList box: Box) -> Bool {
        switch self {
        case .location: false
        case .captions: !["hdlr", "free", "skip"].contains(box.type)
        }
    }

    /// Whether to remove a track.
    func removes(_ track: MovieTrack) -> Bool {
        switch self {
        case .location:
            track.codec.map(Self.locationCodecs.contains) == true
                || track.timedKeys.values.contains(where: MovieMetadata.Key.isLocation)
        case .captions: false
        }
    }
}

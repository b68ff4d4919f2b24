/// A named, ordered set of assets (PhotoKit: an asset collection).
public struct Album: Hashable, Sendable, Codable, Identifiable {
    /// The order in which an album shows its assets.
    public struct Order: RawRepresentable, Hashable, Sendable, Codable {
        /// The name on the wire.
        public let rawValue: String
        /// Any name; unknown ones are kept and shown as `.custom`.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// As people arranged them.
        public static let custom = Order(rawValue: "custom")
        /// Oldest capture first.
        public static let captureDate = Order(rawValue: "captureDate")
        /// Newest capture first.
        public static let newestFirst = Order(rawValue: "newestFirst")
    }

    /// The longest title, in bytes of UTF-8.
    public static let maximumTitleByteCount = 512

    /// The album's identifier.
    public let id: AlbumID
    /// The title; titles may repeat, identifiers do not.
    public var title: String
    /// The asset shown for the album; nil means its first.
    public var coverAssetID: AssetID?
    /// The order in which it shows its assets.
    public var order: Order

    /// An album without assets.
    public init(id: AlbumID, title: String, coverAssetID: AssetID? = nil, order: Order = .custom) {
        self.id = id
        self.title = title
        self.coverAssetID = coverAssetID
        self.order = order
    }
}

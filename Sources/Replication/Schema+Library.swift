extension Schema {
    /// The photo library's schema: the stored fields of assets, albums and memberships, and how each merges.
    package static let library = Schema([
        .asset: [
            Field(1, "resource", .growOnlyMap),
            Field(2, "favorite", .latest, default: .bool(false)),
            Field(3, "hidden", .latest, default: .bool(false)),
            Field(4, "rating", .latest, default: .integer(0)),
            Field(5, "captureDateOverride", .latest),
            Field(6, "locationOverride", .latest),
            Field(7, "title", .latest),
            Field(8, "caption", .latest),
            Field(9, "keyword", .addWinsSet),
            Field(10, "trashed", .latest),
            Field(11, "capture", .latest),
            Field(12, "mediaKind", .latest),
            Field(13, "origin", .latest),
        ],
        .album: [
            Field(1, "presence", .presence),
            Field(2, "tombstone", .tombstone),
            Field(3, "title", .latest),
            Field(4, "cover", .latest),
            Field(5, "sort", .latest),
        ],
        .membership: [
            Field(1, "presence", .presence),
            Field(2, "position", .latest),
        ],
    ])
}

/// The fields of an asset.
package enum AssetField {
    /// One resource, immutable: a group of identifier, role, SHA-256, length and media type.
    package static let resource = FieldID(rawValue: 1)
    /// Whether it is a favourite.
    package static let favorite = FieldID(rawValue: 2)
    /// Whether it is hidden from the usual views.
    package static let hidden = FieldID(rawValue: 3)
    /// Stars, 0...5.
    package static let rating = FieldID(rawValue: 4)
    /// Date, UTC offset and time zone as one group, so that two concurrent corrections never mix.
    package static let captureDateOverride = FieldID(rawValue: 5)
    /// Latitude, longitude and altitude as one group.
    package static let locationOverride = FieldID(rawValue: 6)
    /// The title.
    package static let title = FieldID(rawValue: 7)
    /// The caption.
    package static let caption = FieldID(rawValue: 8)
    /// The keywords.
    package static let keyword = FieldID(rawValue: 9)
    /// When it was trashed, in milliseconds since 1970, or none.
    package static let trashed = FieldID(rawValue: 10)
    /// The capture time with its evidence; corrected once the box learns the right time.
    package static let capture = FieldID(rawValue: 11)
    /// Photo, Live Photo or video.
    package static let mediaKind = FieldID(rawValue: 12)
    /// The device that captured or imported it.
    package static let origin = FieldID(rawValue: 13)
}

/// The fields of an album.
package enum AlbumField {
    /// Its creation, and every addition to it since.
    package static let presence = FieldID(rawValue: 1)
    /// Its deletion.
    package static let tombstone = FieldID(rawValue: 2)
    /// The title.
    package static let title = FieldID(rawValue: 3)
    /// The asset shown for it.
    package static let cover = FieldID(rawValue: 4)
    /// How it is sorted.
    package static let sort = FieldID(rawValue: 5)
}

/// The fields of a membership.
package enum MembershipField {
    /// Whether the asset is in the album.
    package static let presence = FieldID(rawValue: 1)
    /// Its `PositionKey` in the album.
    package static let position = FieldID(rawValue: 2)
}

package import PhotoModel

/// A request for one page of assets, as the query of `Endpoint.assets`.
///
/// The filter tree is JSON in `filter`; the order is `sort`, for example `captureDate` or `-rating,captureDate`, where
/// a minus means largest first.
package struct AssetQuery: Hashable, Sendable {
    /// Which assets, in what order.
    package var options: FetchOptions
    /// Assets on the page; 1 to `APILimits.pageAssetCount`.
    package var limit: Int
    /// Where the page begins; nil for the first page.
    package var cursor: ListCursor?

    package init(
        options: FetchOptions = FetchOptions(),
        limit: Int = APILimits.defaultPageAssetCount,
        cursor: ListCursor? = nil
    ) {
        self.options = options
        self.limit = limit
        self.cursor = cursor
    }

    /// The query items except the filter, which the caller encodes as JSON and adds as `filter`.
    package var items: [(name: String, value: String)] {
        var items = [
            (
                "sort",
                options.sortDescriptors.map { ($0.isAscending ? "" : "-") + $0.key.rawValue }.joined(separator: ",")
            ),
            ("limit", "\(limit)"),
        ]
        if let cursor { items.append(("cursor", cursor.text)) }
        if options.includesHidden { items.append(("hidden", "true")) }
        if options.includesAllBurstAssets { items.append(("bursts", "all")) }
        if options.showsTrash { items.append(("trash", "true")) }
        return items
    }

    /// Parses query items; unknown names and values are refused by name.
    ///
    /// - Parameters:
    ///   - items: decoded names and values.
    ///   - decodeFilter: decodes the filter's JSON.
    /// - Throws: a problem that names the item.
    package init(
        items: [(name: String, value: String)],
        decodeFilter: (String) throws -> AssetFilter
    ) throws(ProblemDetails) {
        self.init()
        for (name, value) in items {
            let isRead =
                switch name {
                case "filter": readFilter(value, decodeFilter)
                case "sort": readOrder(value)
                case "limit": readLimit(value)
                case "cursor": readCursor(value)
                case "hidden": read(value, true: "true", into: \.includesHidden)
                case "bursts": read(value, true: "all", into: \.includesAllBurstAssets)
                case "trash": read(value, true: "true", into: \.showsTrash)
                default: false
                }
            guard isRead else {
                throw ProblemDetails(
                    .malformedRequest,
                    "The query item “\(name.prefix(40))” is invalid: the items are filter, sort, limit (1 to "
                        + "\(APILimits.pageAssetCount)), cursor, hidden=true, bursts=all and trash=true.",
                    field: String(name.prefix(40))
                )
            }
        }
    }

    private mutating func readFilter(_ text: String, _ decode: (String) throws -> AssetFilter) -> Bool {
        guard let filter = try? decode(text), (try? filter.validate()) != nil else { return false }
        options.filter = filter
        return true
    }

    private mutating func readOrder(_ text: String) -> Bool {
        let keys = text.split(separator: ",", omittingEmptySubsequences: false)
        let descriptors = keys.compactMap { part in
            let isAscending = !part.hasPrefix("-")
            return FetchOptions.SortKey(rawValue: String(isAscending ? part : part.dropFirst()))
                .map { FetchOptions.SortDescriptor(key: $0, isAscending: isAscending) }
        }
        guard descriptors.count == keys.count, Set(descriptors.map(\.key)).count == keys.count else { return false }
        options.sortDescriptors = descriptors
        return true
    }

    private mutating func readLimit(_ text: String) -> Bool {
        guard let number = Int(text), 1...APILimits.pageAssetCount ~= number else { return false }
        limit = number
        return true
    }

    private mutating func readCursor(_ text: String) -> Bool {
        cursor = ListCursor(text: text)
        return text.utf8.count <= ListCursor.maximumByteCount
    }

    private mutating func read(_ text: String, true: String, into path: WritableKeyPath<FetchOptions, Bool>) -> Bool {
        options[keyPath: path] = text == `true`
        return text == `true` || text == "false"
    }
}

/// Where a list continues: the place after the last returned asset, never a count, so that nothing is repeated or
/// skipped while the library changes.
package struct ListCursor: OpaqueText {
    /// The longest cursor, in bytes.
    package static let maximumByteCount = 1024
    /// The text.
    package let text: String

    package init(text: String) { self.text = text }
}

/// One page of assets.
package struct AssetPage: Hashable, Sendable, Codable {
    /// How much of the library the caller sees.
    package enum Access: String, Hashable, Sendable, Codable {
        /// Everything.
        case full
        /// A selection; more can be requested.
        case limited
    }

    /// The assets, in the requested order.
    package var assets: [Asset]
    /// Where the next page begins; nil on the last page.
    package var next: ListCursor?
    /// How much of the library the caller sees.
    package var access: Access

    package init(assets: [Asset], next: ListCursor? = nil, access: Access = .full) {
        self.assets = assets
        self.next = next
        self.access = access
    }
}

/// One page of albums.
package struct AlbumPage: Hashable, Sendable, Codable {
    /// An album with its asset count.
    package struct Entry: Hashable, Sendable, Codable {
        /// The album.
        package var album: Album
        /// The number of its assets that the caller sees.
        package var assetCount: Int

        package init(album: Album, assetCount: Int) {
            self.album = album
            self.assetCount = assetCount
        }
    }

    /// The albums, by title.
    package var albums: [Entry]
    /// Where the next page begins; nil on the last page.
    package var next: ListCursor?

    package init(albums: [Entry], next: ListCursor? = nil) {
        self.albums = albums
        self.next = next
    }
}

/// Assets to add to an album, in order.
package struct AlbumAddition: Hashable, Sendable, Codable {
    /// At most `APILimits.albumAdditionCount`.
    package var assets: [AssetID]
    package init(assets: [AssetID]) { self.assets = assets }
}

/// A new or edited album's fields; nil leaves a field unchanged.
package struct AlbumEdit: Hashable, Sendable, Codable {
    /// The title; required for a new album.
    package var title: String?
    /// The asset shown for it.
    package var coverAssetID: AssetID?
    /// The order in which it shows its assets.
    package var order: Album.Order?

    package init(title: String? = nil, coverAssetID: AssetID? = nil, order: Album.Order? = nil) {
        self.title = title
        self.coverAssetID = coverAssetID
        self.order = order
    }
}

/// Changes to an asset's fields; nil leaves a field unchanged.
package struct AssetEdit: Hashable, Sendable, Codable {
    /// The title; empty removes it.
    package var title: String?
    /// The caption; empty removes it.
    package var caption: String?
    /// Stars.
    package var rating: Rating?
    /// Whether it is a favourite.
    package var isFavorite: Bool?
    /// Whether it is hidden.
    package var isHidden: Bool?
    /// Keywords to add.
    package var addedKeywords: [Keyword]?
    /// Keywords to remove.
    package var removedKeywords: [Keyword]?
    /// The capture date set by a person.
    package var captureDateOverride: WallTime?
    /// The location set by a person.
    package var location: Location?
    /// True restores it from the trash.
    package var restores: Bool?

    /// An edit without changes.
    package init() {}
}

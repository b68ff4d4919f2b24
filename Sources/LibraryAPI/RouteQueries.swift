package import PhotoModel

/// `Endpoint.changes`: a page of the feed, or with `ranges`, `from` or `until`, part of the view.
package struct ChangeQuery: RouteQuery {
    /// The token to continue from; nil starts with an enumeration.
    package var since: String?
    /// Entities on the page.
    package var limit: Int?
    /// Seconds to wait for a change.
    package var wait: Int?
    /// The number of hashed ranges into which to divide the part; nil returns its entities.
    package var ranges: Int?
    /// The part's first key.
    package var from: EntityKey?
    /// The first key after the part.
    package var until: EntityKey?

    /// A query without items.
    package init() {}

    /// The items on the wire.
    package static var fields: [QueryField<ChangeQuery>] {
        [
            QueryField("limit", \.limit, in: 1...APILimits.changePageCount),
            QueryField("wait", \.wait, in: 0...APILimits.changeWaitSeconds, unit: " seconds"),
            QueryField("since", \.since), QueryField("ranges", \.ranges, in: 1...APILimits.changeRangeCount),
            QueryField("from", \.from), QueryField("until", \.until),
        ]
    }
}

/// `Endpoint.changeStream`.
package struct ChangeStreamQuery: RouteQuery {
    /// The token to continue from.
    package var since: String?

    /// A query without items.
    package init() {}

    /// The items on the wire.
    package static var fields: [QueryField<ChangeStreamQuery>] { [QueryField("since", \.since)] }
}

/// `Endpoint.authorization`.
package struct AuthorizationQuery: RouteQuery {
    /// The known version of the grant.
    package var after: UInt64?
    /// Seconds to wait for another version.
    package var wait: Int?

    /// A query without items.
    package init() {}
    package init(after: UInt64, wait: Int) {
        self.after = after
        self.wait = wait
    }

    /// The items on the wire.
    package static var fields: [QueryField<AuthorizationQuery>] {
        [
            QueryField("after", \.after),
            QueryField("wait", \.wait, in: 0...APILimits.changeWaitSeconds, unit: " seconds"),
        ]
    }
}

/// `Endpoint.receipts`.
package struct ReceiptQuery: RouteQuery {
    /// The last commit of the page before.
    package var after: Int64?
    /// Receipts on the page.
    package var limit: Int?

    /// A query without items.
    package init() {}

    /// The items on the wire.
    package static var fields: [QueryField<ReceiptQuery>] {
        [QueryField("after", \.after), QueryField("limit", \.limit, in: 1...APILimits.receiptCount)]
    }
}

/// `Endpoint.albums` and `Endpoint.albumAssets`.
package struct ListPageQuery: RouteQuery {
    /// Where the page begins; nil for the first page.
    package var cursor: String?
    /// Entries on the page.
    package var limit: Int?

    /// A query without items.
    package init() {}
    /// Continues at a page's cursor.
    package init(cursor: ListCursor?) { self.cursor = cursor?.text }

    /// The items on the wire.
    package static var fields: [QueryField<ListPageQuery>] {
        [QueryField("cursor", \.cursor), QueryField("limit", \.limit, in: 1...APILimits.pageAssetCount)]
    }
}

/// `Endpoint.thumbnail`.
package struct ThumbnailQuery: RouteQuery {
    /// The requested longer side, in pixels.
    package var size: Int?

    /// A query without items.
    package init() {}
    package init(size: Int) { self.size = size }

    /// The items on the wire.
    package static var fields: [QueryField<ThumbnailQuery>] {
        [QueryField("size", \.size, in: 1...APILimits.thumbnailSide)]
    }
}

/// `Endpoint.resource`.
package struct ResourceQuery: RouteQuery {
    /// A format to convert to.
    package enum Format: String, Sendable, WireName {
        case jpeg
    }

    /// The format to convert to; nil for the bytes as they are stored.
    package var format: Format?
    /// The metadata to strip.
    package var stripped: StrippedParts?

    /// A query without items.
    package init() {}

    /// The items on the wire.
    package static var fields: [QueryField<ResourceQuery>] {
        [QueryField("as", \.format, or: "Resources can be converted only with as=jpeg."), .strip(\.stripped)]
    }
}

/// `Endpoint.livePhoto` and `Endpoint.motionPhoto`.
package struct ExportQuery: RouteQuery {
    /// The metadata to strip.
    package var stripped: StrippedParts?

    /// A query without items.
    package init() {}

    /// The items on the wire.
    package static var fields: [QueryField<ExportQuery>] { [.strip(\.stripped)] }
}

/// Metadata to strip, as `location,captions`.
package struct StrippedParts: Sendable, LosslessStringConvertible {
    /// The parts.
    package let parts: Set<MetadataPart>

    /// Parses a list; nil for an unknown part.
    package init?(_ description: String) {
        let names = description.split(separator: ",")
        let known = names.compactMap { MetadataPart(rawValue: String($0)) }
        guard known.count == names.count else { return nil }
        parts = Set(known)
    }

    /// The list, in alphabetical order.
    package var description: String { parts.map(\.rawValue).sorted().joined(separator: ",") }
}

extension QueryField {
    fileprivate static func strip(_ path: WritableKeyPath<Query, StrippedParts?>) -> QueryField {
        let names = MetadataPart.allCases.map(\.rawValue).joined(separator: ", ")
        return QueryField("strip", path, or: "The parts to strip are \(names).")
    }
}

/// `Endpoint.pickedItems`.
package struct PickedItemsQuery: RouteQuery {
    /// The last item of the page before.
    package var after: AssetID?

    /// A query without items.
    package init() {}
    package init(after: AssetID?) { self.after = after }

    /// The items on the wire.
    package static var fields: [QueryField<PickedItemsQuery>] { [QueryField("after", \.after)] }
}

/// `Endpoint.pickedItem`.
package struct PickedItemQuery: RouteQuery {
    /// A part of an item.
    package enum Part: String, Sendable, WireName {
        case movie
    }

    /// The part; nil for the item's main resource.
    package var part: Part?

    /// A query without items.
    package init() {}
    package init(part: Part) { self.part = part }

    /// The items on the wire.
    package static var fields: [QueryField<PickedItemQuery>] {
        [QueryField("part", \.part, or: "The only part is movie, for a Live Photo.")]
    }
}

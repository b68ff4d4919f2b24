package import PhotoModel

/// A range of a view's entities with their hash, which shows a replica where it differs.
///
/// Entities are ordered by their keys. The hash is SHA-256 over their records in that order, each record made of
///
///     kind 1 byte, identifiers 16 or 32 bytes, SHA-256 of the replicated state's canonical bytes (without state: of no
///     bytes), and for an asset the SHA-256 of every resource, ordered by the resources' identifiers
///
/// A differing range is requested again in smaller ranges; a small one is fetched whole.
package struct ChangeRange: Hashable, Sendable, Codable {
    /// A half-open range of keys; nil for no bound.
    package struct Bounds: Hashable, Sendable {
        /// The first key in it.
        package var from: EntityKey?
        /// The first key after it.
        package var until: EntityKey?

        package init(from: EntityKey? = nil, until: EntityKey? = nil) {
            self.from = from
            self.until = until
        }
    }

    /// The first key; nil for the beginning.
    package var from: EntityKey?
    /// The first key after it; nil for the end.
    package var until: EntityKey?
    /// The number of entities in it.
    package var count: Int
    /// Their hash.
    package var hash: ContentDigest

    package init(from: EntityKey?, until: EntityKey?, count: Int, hash: ContentDigest) {
        self.from = from
        self.until = until
        self.count = count
        self.hash = hash
    }
}

/// Consecutive ranges that cover the requested one.
package struct ChangeRangePage: Hashable, Sendable, Codable {
    /// The ranges, in order.
    package var ranges: [ChangeRange]

    package init(ranges: [ChangeRange]) { self.ranges = ranges }

    /// Whether the ranges are consecutive, in the order of their keys, and cover exactly the requested one.
    package func covers(_ bounds: ChangeRange.Bounds) -> Bool {
        guard let first = ranges.first, let last = ranges.last, first.from == bounds.from, last.until == bounds.until
        else { return false }
        let isJoined = zip(ranges, ranges.dropFirst()).allSatisfy { $0.until != nil && $0.until == $1.from }
        return isJoined
            && ranges.allSatisfy { range in
                guard let from = range.from, let until = range.until else { return true }
                return from.bytes.lexicographicallyPrecedes(until.bytes)
            }
    }
}

/// The sort key of entities: the kind's number and the identifiers, in hexadecimal (34 or 66 digits).
package struct EntityKey: Hashable, Sendable, Codable, CustomStringConvertible, LosslessStringConvertible {
    /// The kind's number and the identifiers.
    package let bytes: [UInt8]

    /// The key of an entity.
    package init(_ entity: EntityReference) {
        bytes =
            switch entity {
            case .asset(let id): [2] + id.bytes
            case .album(let id): [4] + id.bytes
            case .membership(let album, let asset): [5] + album.bytes + asset.bytes
            }
    }

    /// Parses a key's digits.
    package init?(_ description: String) {
        guard let bytes = HexadecimalText.bytes(description), [17, 33].contains(bytes.count) else { return nil }
        self.bytes = bytes
    }

    /// The digits.
    package var description: String { HexadecimalText.text(bytes) }

    /// Decodes a single string.
    package init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        guard let key = EntityKey(text) else {
            throw decoder.corruption("a key has 34 or 66 hexadecimal digits")
        }
        self = key
    }

    /// Encodes a single string.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}

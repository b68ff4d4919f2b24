package import PhotoModel

/// A range of a view's entities and what they amount to, by which a replica finds where it differs.
///
/// Entities are ordered by their keys. The hash is SHA-256 over their records in that order, each record made of
///
///     kind 1 byte, identifiers 16 or 32 bytes, SHA-256 of the replicated state's canonical bytes (of none: of nothing),
///     and of an asset the SHA-256 of every resource, in the order of the resources' identifiers
///
/// A range that differs is asked for again in smaller ones; a small one is fetched as a whole.
package struct ChangeRange: Hashable, Sendable, Codable {
    /// From a key on and up to another; nil for no bound.
    package struct Bounds: Hashable, Sendable {
        /// The first key that counts.
        package var from: EntityKey?
        /// The first key that counts no more.
        package var until: EntityKey?

        package init(from: EntityKey? = nil, until: EntityKey? = nil) {
            self.from = from
            self.until = until
        }
    }

    /// The first key; nil for the beginning.
    package var from: EntityKey?
    /// The first key behind it; nil for the end.
    package var until: EntityKey?
    /// Entities in it.
    package var count: Int
    /// What they amount to.
    package var hash: ContentDigest

    package init(from: EntityKey?, until: EntityKey?, count: Int, hash: ContentDigest) {
        self.from = from
        self.until = until
        self.count = count
        self.hash = hash
    }
}

/// Ranges that join to what was asked for.
package struct ChangeRangePage: Hashable, Sendable, Codable {
    /// The ranges, in order.
    package var ranges: [ChangeRange]

    package init(ranges: [ChangeRange]) { self.ranges = ranges }
}

/// What entities are ordered by: the kind's number and the identifiers, in hexadecimal (34 or 66 digits).
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

    /// Reads a key's digits.
    package init?(_ description: String) {
        guard let bytes = HexadecimalText.bytes(description), [17, 33].contains(bytes.count) else { return nil }
        self.bytes = bytes
    }

    /// The digits.
    package var description: String {
        HexadecimalText.text(bytes)
    }

    /// Reads one string.
    package init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        guard let key = EntityKey(text) else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: "a key has 34 or 66 hexadecimal digits")
            )
        }
        self = key
    }

    /// Writes one string.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}

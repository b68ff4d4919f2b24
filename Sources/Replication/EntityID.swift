/// The kind of an entity, as a number; unknown kinds are stored and forwarded all the same.
///
/// The lowest bit is the identifier's length, also for future kinds: even, 16 bytes; odd, a pair of 16.
package struct EntityKind: RawRepresentable, Hashable, Comparable, Sendable {
    /// The number on the wire.
    package let rawValue: UInt16

    package init(rawValue: UInt16) {
        self.rawValue = rawValue
    }

    /// A photo, a Live Photo or a video.
    package static let asset = Self(rawValue: 2)
    /// A named, ordered set of assets.
    package static let album = Self(rawValue: 4)
    /// One asset in one album; identified by the pair.
    package static let membership = Self(rawValue: 5)

    /// Whether identifiers of this kind are a pair.
    package var isPair: Bool { rawValue & 1 == 1 }

    /// Orders by the number.
    package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// Identifies one entity of a library: its kind and 16 bytes, or twice 16 for a pair.
package struct EntityID: Hashable, Comparable, Sendable {
    /// The kind.
    package let kind: EntityKind
    /// The identifier; for a membership, the album's.
    package let first: UInt128
    /// For a membership, the asset's identifier; 0 if the kind is not a pair.
    package let second: UInt128

    /// Identifies an entity; `second` is ignored if the kind is not a pair.
    package init(kind: EntityKind, _ first: UInt128, _ second: UInt128 = 0) {
        self.kind = kind
        self.first = first
        self.second = kind.isPair ? second : 0
    }

    /// Names an asset.
    package static func asset(_ id: UInt128) -> Self { Self(kind: .asset, id) }

    /// Names an album.
    package static func album(_ id: UInt128) -> Self { Self(kind: .album, id) }

    /// Names an asset's place in an album.
    package static func membership(album: UInt128, asset: UInt128) -> Self {
        Self(kind: .membership, album, asset)
    }

    /// Orders by kind, then by the bytes.
    package static func < (left: Self, right: Self) -> Bool {
        (left.kind.rawValue, left.first, left.second) < (right.kind.rawValue, right.first, right.second)
    }
}

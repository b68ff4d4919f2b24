package import PhotoModel

/// Moves assets within an album's order.
package struct AlbumMove: Hashable, Sendable, Codable {
    /// The assets to move, in their new order; at most `APILimits.albumAdditionCount`.
    package var assets: [AssetID]
    /// The asset of the album to place them after; nil for the beginning.
    package var behind: AssetID?
}

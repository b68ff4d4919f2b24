package import PhotoModel

/// Assets of an album to be moved within its order.
package struct AlbumMove: Hashable, Sendable, Codable {
    /// What is moved, in its new order; at most `APILimits.albumAdditionCount`.
    package var assets: [AssetID]
    /// The asset of the album that they come behind; nil for the album's beginning.
    package var behind: AssetID?

    package init(assets: [AssetID], behind: AssetID? = nil) {
        self.assets = assets
        self.behind = behind
    }
}

package import PhotoModel

/// The assets that hold an original.
package struct ContentAssets: Hashable, Sendable, Codable {
    /// Their identifiers, in order; at most `APILimits.defaultPageAssetCount`.
    package var assets: [AssetID]

    package init(assets: [AssetID]) { self.assets = assets }
}

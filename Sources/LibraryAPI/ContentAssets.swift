package import PhotoModel

/// The assets that hold an original.
package struct ContentAssets: Hashable, Sendable, Codable {
    /// Their names, in order; not all where there are very many.
    package var assets: [AssetID]

    package init(assets: [AssetID]) {
        self.assets = assets
    }
}

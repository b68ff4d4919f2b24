package import PhotoModel

/// The assets a limited device may see: listed, matched by a rule, in granted albums, and always its own captures.
///
/// Hidden and trashed assets are in nobody's selection, so that leaving it looks the same whatever the reason. Rules
/// see the asset as the server does, with all its albums.
package struct Selection: Hashable, Sendable, Codable {
    /// The most listed assets.
    package static let maximumAssetCount = 100_000
    /// The most rules.
    package static let maximumRuleCount = 64
    /// The most granted albums.
    package static let maximumAlbumCount = 1_000

    /// Individually listed assets.
    package var assets: Set<AssetID>
    /// Rules; an asset that matches any of them is in: a filter tree, an album, a date range.
    package var rules: [AssetFilter]
    /// Albums the device may see and add to; their assets are in the selection.
    package var grantedAlbums: Set<AlbumID>

    /// An empty selection shows a limited device only its own captures.
    package init(assets: Set<AssetID> = [], rules: [AssetFilter] = [], grantedAlbums: Set<AlbumID> = []) {
        self.assets = assets
        self.rules = rules
        self.grantedAlbums = grantedAlbums
    }

    /// Whether it holds only the device's own captures.
    package var isEmpty: Bool { assets.isEmpty && rules.isEmpty && grantedAlbums.isEmpty }

    /// Adds the contents of another selection.
    package mutating func formUnion(_ other: Selection) {
        assets.formUnion(other.assets)
        rules += other.rules.filter { !rules.contains($0) }
        grantedAlbums.formUnion(other.grantedAlbums)
    }

    /// Whether an asset can be in any selection.
    package static func mayContain(_ asset: Asset) -> Bool { !asset.isHidden && asset.trashedAt == nil }

    /// Whether a device may see an asset.
    package func contains(_ asset: Asset, for device: DeviceID) -> Bool {
        guard Self.mayContain(asset) else { return false }
        return asset.deviceID == device
            || assets.contains(asset.id)
            || !grantedAlbums.isDisjoint(with: asset.albums)
            || rules.contains { $0.matches(asset) }
    }

    /// An album's relation to the device; nil means that there is no such album.
    package func relation(of album: AlbumID?) -> ObjectRelation {
        guard let album else { return .nonexistent }
        return grantedAlbums.contains(album) ? .inGrantedAlbum : .outside
    }

    /// Refuses a selection that is too expensive to evaluate.
    ///
    /// - Throws: `limit`, naming what is too large.
    package func validate() throws(AuthorizationError) {
        let counts = [
            ("assets", assets.count, Self.maximumAssetCount),
            ("rules", rules.count, Self.maximumRuleCount),
            ("albums", grantedAlbums.count, Self.maximumAlbumCount),
        ]
        for (what, count, maximum) in counts where count > maximum {
            let message = "a selection holds at most \(maximum) \(what), not \(count)"
            throw AuthorizationError(.tooLarge, message, about: what)
        }
        for rule in rules {
            do {
                try rule.validate()
            } catch {
                throw AuthorizationError(.tooLarge, "\(error)", about: "rules")
            }
        }
    }
}

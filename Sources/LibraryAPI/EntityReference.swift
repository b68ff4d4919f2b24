package import PhotoModel
package import Replication

/// Refers to one entity: an asset, an album, or an asset's place in an album.
package enum EntityReference: Hashable, Sendable, Codable {
    /// An asset.
    case asset(AssetID)
    /// An album.
    case album(AlbumID)
    /// An asset in an album.
    case membership(album: AlbumID, asset: AssetID)

    private enum CodingKeys: CodingKey {
        case asset, album
    }

    /// Decodes an object with `asset`, `album`, or both for a membership.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let asset = try container.decodeIfPresent(AssetID.self, forKey: .asset)
        let album = try container.decodeIfPresent(AlbumID.self, forKey: .album)
        switch (album, asset) {
        case (nil, let asset?): self = .asset(asset)
        case (let album?, nil): self = .album(album)
        case (let album?, let asset?): self = .membership(album: album, asset: asset)
        case (nil, nil):
            throw decoder.corruption("an entity has an asset, an album, or both")
        }
    }

    /// Encodes an object with `asset`, `album`, or both for a membership.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        switch self {
        case .asset(let id): try container.encode(id, forKey: .asset)
        case .album(let id): try container.encode(id, forKey: .album)
        case .membership(let album, let asset):
            try container.encode(asset, forKey: .asset)
            try container.encode(album, forKey: .album)
        }
    }
}

extension EntityReference {
    /// The replication module's identifier of the entity.
    package var id: EntityID {
        switch self {
        case .asset(let id): .asset(id.rawValue)
        case .album(let id): .album(id.rawValue)
        case .membership(let album, let asset): .membership(album: album.rawValue, asset: asset.rawValue)
        }
    }

    /// The entity for an identifier; nil for a kind that this version does not know.
    package init?(_ id: EntityID) {
        switch id.kind {
        case .asset: self = .asset(AssetID(rawValue: id.first))
        case .album: self = .album(AlbumID(rawValue: id.first))
        case .membership: self = .membership(album: AlbumID(rawValue: id.first), asset: AssetID(rawValue: id.second))
        default: return nil
        }
    }
}

import FoundationEssentials
import GRDB
import LibraryAPI
package import PhotoModel
import Replication

// Lists of identifiers: 16 bytes per asset instead of the whole asset.

extension AgentStore {
    /// What a list contains.
    package enum ListQuery: Hashable, Sendable {
        /// The assets that the options include, in their order.
        case options(FetchOptions)
        /// An album's visible assets, in the album's order.
        case album(AlbumID)
    }

    /// A list as of a position in the log.
    package struct List: Hashable, Sendable {
        /// The assets in their order.
        package let identifiers: [AssetID]
        /// The position in the log of what is shown.
        package let sequence: Int64
    }

    /// The identifiers of a list, with their position in the log.
    ///
    /// - Throws: `notFound` for an album that is not in the view, `storage`.
    package func list(_ query: ListQuery) throws -> List {
        try database.read { try Self.list(query, $0) }
    }

    /// The current list, and the view's changes since it was last read; nil if the log does not reach back that far.
    ///
    /// - Throws: as ``list(_:)``.
    package func list(_ query: ListQuery, since sequence: Int64) throws -> (list: List, changes: ReplicaDifference?) {
        try database.read { database in
            (try Self.list(query, database), try Self.viewChanges(after: sequence, database))
        }
    }

    /// Assets of the view by identifier as shown, read a few hundred at a time; those not in the view are omitted.
    ///
    /// - Throws: `storage`.
    package func assets(_ identifiers: some Collection<AssetID> & Sendable) throws -> [AssetID: Asset] {
        try database.read { database in
            var assets: [AssetID: Asset] = [:]
            assets.reserveCapacity(identifiers.count)
            let statement = try database.cachedStatement(
                sql: """
                    SELECT shown FROM replica_entities
                    WHERE kind = 2 AND first = ? AND second = '' AND shown IS NOT NULL
                    """
            )
            for id in identifiers {
                guard let bytes = try Data.fetchOne(statement, arguments: [id.description]) else { continue }
                assets[id] = try Self.value(Asset.self, from: Array(bytes))
            }
            return assets
        }
    }

    private static func list(_ query: ListQuery, _ database: Database) throws -> List {
        let identifiers =
            switch query {
            case .options(let options): try identifiers(options, database)
            case .album(let album): try identifiers(inAlbum: album, database)
            }
        return List(identifiers: identifiers, sequence: try viewSequence(database))
    }

    private static func identifiers(_ options: FetchOptions, _ database: Database) throws -> [AssetID] {
        var included: [Asset] = []
        _ = try assets(in: "", database) { asset in
            if options.includes(asset) { included.append(asset.reducedToOrder) }
            return false
        }
        included.sort(by: options.areInIncreasingOrder)
        return included.prefix(options.fetchLimit.map { max($0, 0) } ?? .max).map(\.id)
    }

    private static func identifiers(inAlbum id: AlbumID, _ database: Database) throws -> [AssetID] {
        let rows = ReplicaTable(database: database)
        guard let shown = try rows.shown(.album(id)) else {
            throw AgentStoreError(.notFound, nil, "the album \(id) is not in this device's view of the library")
        }
        let album = try value(Album.self, from: Array(shown))
        let options = FetchOptions()
        var members: [(asset: Asset, position: [UInt8])] = []
        for asset in try rows.members(of: id) {
            let entity = EntityReference.membership(album: id, asset: asset)
            guard let view = try rows.state(of: entity)?.entityView(entity.id),
                view.isPresent(MembershipField.presence), let bytes = try rows.shown(.asset(asset))
            else { continue }
            let shown = try value(Asset.self, from: Array(bytes))
            // Hidden and trashed assets are in no album's list, as on the library's page.
            if options.includes(shown) { members.append((shown.reducedToOrder, view.position?.bytes ?? [])) }
        }
        switch album.order {
        case .captureDate, .newestFirst:
            let isAscending = album.order == .captureDate
            let order = FetchOptions(sortDescriptors: [.init(key: .captureDate, isAscending: isAscending)])
            members.sort { order.areInIncreasingOrder($0.asset, $1.asset) }
        default:
            members.sort { left, right in
                left.position == right.position
                    ? left.asset.id < right.asset.id : left.position.lexicographicallyPrecedes(right.position)
            }
        }
        return members.map(\.asset.id)
    }
}

extension Asset {
    /// Without the parts that take the most room and that no list is ordered by.
    fileprivate var reducedToOrder: Asset {
        var asset = self
        asset.resources = []
        asset.albums = []
        asset.keywords = []
        asset.title = nil
        asset.caption = nil
        asset.placeName = nil
        asset.thumbHash = nil
        return asset
    }
}

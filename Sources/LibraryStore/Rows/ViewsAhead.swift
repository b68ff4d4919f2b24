import Authorization
import FoundationEssentials
import LibraryAPI
import PhotoModel

/// What the writer needs to follow what a reader found in many views, read together before the first is followed: one
/// by one, each view would wait for the database.
///
/// It is valid for one turn, which writes nothing of it but the rows of `view`. What is not here is read when it is needed.
struct ViewsAhead {
    /// The rows of `view`, each for the only look at its view.
    private(set) var views: [DeviceID: SQLRow] = [:]
    /// Albums whose memberships do not follow them yet; nil if they were not read.
    private(set) var untold: [AlbumID]?
    /// The changed assets; nil for one that does not exist.
    private(set) var assets: [AssetID: Asset?] = [:]
    /// The last changes of the changed entities, and of what belongs to them in a view; 0 without one.
    private(set) var numbers: [EntityReference: Int64] = [:]

    /// Reads what the changes found by a reader need; without such changes, it reads nothing.
    ///
    /// - Parameters:
    ///   - looks: those of a turn, in its order.
    ///   - count: the changes that the turn has room for.
    ///   - database: the writer's transaction.
    /// - Throws: the database's error.
    init(for looks: [LimitedLook], atMost count: Int, _ database: any SQLSession) throws {
        var room = count
        let followed = looks.filter { $0.found != nil }.prefix { look in
            defer { room -= look.found?.changes.count ?? 0 }
            return room > 0
        }
        guard !followed.isEmpty else { return }
        // Another look at the same view may write its row first.
        let lookCounts = Dictionary(looks.map { ($0.device, 1) }, uniquingKeysWith: +)
        views = try SharedLook.rows(of: followed.filter { lookCounts[$0.device] == 1 }, database)
        if followed.contains(where: \.selection.namesAlbums) { untold = try UnsettledAlbumTable.untold(database) }
        var entities = Set(followed.flatMap { Self.entities(in: $0) })
        let sought = Set(entities.compactMap(\.assetID))
        assets = Dictionary(uniqueKeysWithValues: sought.map { ($0, Asset?.none) })
        for asset in try AssetTable.fetch(sought, database) { assets[asset.id] = asset }
        entities.formUnion(sought.map { EntityReference.asset($0) })
        for look in followed where !look.selection.grantedAlbums.isEmpty {
            for id in Self.entities(in: look).compactMap(\.assetID) {
                let albums = ((assets[id] ?? nil)?.albums ?? []).intersection(look.selection.grantedAlbums)
                entities.formUnion(albums.map { EntityReference.membership(album: $0, asset: id) })
            }
        }
        for (group, entities) in Dictionary(grouping: entities, by: EntityGroup.init) {
            try read(group, entities, database)
        }
    }

    private static func entities(in look: LimitedLook) -> [EntityReference] {
        (look.found?.changes ?? []).map { $0.entity }
    }

    private mutating func read(_ group: EntityGroup, _ entities: [EntityReference], _ database: any SQLSession) throws {
        let columns = group.columns
        // A subquery per entity, as in `RowsAhead`.
        let statement = try database.statement(
            """
            WITH asked (id) AS (\(database.dialect.bytes(in: "?")))
            SELECT id, (
                SELECT changed FROM entity WHERE kind = ? AND \(columns.id) = asked.id AND \(columns.common) = ?
            ) AS changed FROM asked
            """
        )
        let ids = entities.map { group.id(of: $0) }
        let known = Dictionary(zip(ids, entities)) { first, _ in first }
        for row in try statement.rows([FilterSQL.list(ids), group.kind, group.album]) {
            let (id, number): (Data, Int64?) = (try row["id"], try row["changed"])
            guard let entity = known[id] else { continue }
            numbers[entity] = number ?? 0
        }
    }
}

import FoundationEssentials
import LibraryAPI
import PhotoModel
import Replication

/// What a turn's changes need of the rows, read together before the first is judged: one by one, each would wait for the
/// database.
///
/// It is valid until the turn writes an entity. What is not here is read when it is needed.
struct RowsAhead {
    /// An entity's state as it is stored; nil without one.
    struct State {
        let bytes: [UInt8]?
    }

    private enum Saved {
        case by(DeviceID?, documentBytes: Int, albumCount: Int)
        case never
    }

    /// The most bytes of a state, and of a change, that wait in memory for their turn.
    private static let byteCount = 4096
    /// What stands for a longer state.
    private static let tooLong: [UInt8] = [0]

    private var changes: [Int: [Change]] = [:]
    private var states: [EntityReference: State] = [:]
    private var assets: [AssetID: Saved] = [:]

    /// Reads nothing.
    init() {}

    /// Reads what changes need.
    ///
    /// - Parameters:
    ///   - pushed: part of a push.
    ///   - counter: the counter of the last change that is judged already.
    ///   - database: the turn's transaction.
    /// - Throws: the database's error.
    init(for pushed: ArraySlice<ChangePush.Change>, after counter: UInt64, _ database: any SQLSession) throws {
        var entities: Set<EntityReference> = []
        for place in pushed.indices where pushed[place].counter > counter {
            let bytes = pushed[place].delta.bytes
            guard bytes.count <= Self.byteCount, let decoded = try? Delta(encoded: bytes).changes,
                let change = decoded.first
            else { continue }
            changes[place] = decoded
            if let entity = EntityReference(change.entity) { entities.insert(entity) }
        }
        let groups = Dictionary(grouping: entities) { EntityGroup($0) }
        for (group, entities) in groups where entities.count > 1 { try read(group, entities, database) }
        let named = Set(entities.compactMap(\.assetID))
        if named.count > 1 { try read(Array(named), database) }
    }

    /// The changes of a push's delta, if they were decoded.
    func changes(at place: Int) -> [Change]? { changes[place] }

    /// An entity's state; nil if it was not read.
    func state(of entity: EntityReference) -> State? { states[entity] }

    /// Whether an asset exists; nil if that was not read.
    func exists(_ asset: AssetID) -> Bool? {
        switch assets[asset] {
        case nil: nil
        case .by?: true
        case .never?: false
        }
    }

    /// The bytes of an asset's document; nil if it does not exist, or that was not read.
    func documentBytes(of asset: AssetID) -> Int? {
        guard case .by(_, let count, _)? = assets[asset] else { return nil }
        return count
    }

    /// The number of albums that an asset is in; nil if that was not read.
    func albumCount(of asset: AssetID) -> Int? {
        guard case .by(_, _, let count)? = assets[asset] else { return nil }
        return count
    }

    /// Whether a device saved an asset; nil if that was not read.
    func isSaved(_ asset: AssetID, by device: DeviceID) -> Bool? {
        switch assets[asset] {
        case nil: nil
        case .by(let saver, _, _)?: saver == device
        case .never?: false
        }
    }

    private mutating func read(_ group: EntityGroup, _ entities: [EntityReference], _ database: any SQLSession) throws {
        let columns = group.columns
        // A subquery per entity: for `IN`, PostgreSQL scans all entities of the kind until it has statistics.
        let statement = try database.statement(
            """
            WITH asked (id) AS (VALUES \(ByteList.rows))
            SELECT id, (
                SELECT CASE WHEN state IS NULL OR length(state) <= ? THEN state ELSE ? END FROM entity
                WHERE kind = ? AND \(columns.id) = asked.id AND \(columns.common) = ?
            ) FROM asked
            """
        )
        for part in ByteList.parts(of: entities) {
            let ids = part.map { group.id(of: $0) }
            let known = Dictionary(zip(ids, part)) { first, _ in first }
            let rest: SQLArguments = [Self.byteCount, Data(Self.tooLong), group.kind, group.album]
            let rows = try statement.cursor(ByteList.arguments(ids) + rest)
            while try rows.next() {
                let id: Data = try rows[0]
                guard let entity = known[id] else { continue }
                let bytes = try rows.bytes(at: 1)
                // One that is too long is read in its turn.
                if bytes != Self.tooLong { states[entity] = State(bytes: bytes) }
            }
        }
    }

    private mutating func read(_ ids: [AssetID], _ database: any SQLSession) throws {
        let statement = try database.statement(
            """
            SELECT id, device, \(database.dialect.documentByteCount), \(AlbumTable.albumCount(ofKey: "asset.key"))
            FROM asset WHERE id IN \(ByteList.marks)
            """
        )
        for part in ByteList.parts(of: ids) {
            for id in part { assets[id] = .never }
            let rows = try statement.cursor(ByteList.arguments(part.map(\.blob)))
            while try rows.next() {
                let (id, device): (Data, Data?) = (try rows[0], try rows[1])
                let saver = try device.map(DeviceID.init(blob:))
                let asset = try AssetID(blob: id)
                assets[asset] = .by(saver, documentBytes: try rows[2], albumCount: try rows[3])
            }
        }
    }
}

/// Entities that one statement names: of one kind, and memberships of one album.
struct EntityGroup: Hashable {
    let kind: Int
    /// The memberships' album; empty for other entities.
    let album: Data

    init(_ entity: EntityReference) {
        kind = entity.kind
        album = if case .membership = entity { entity.first } else { Data() }
    }

    /// The column that tells the entities apart, and the one in which each has the album.
    var columns: (id: String, common: String) { album.isEmpty ? ("first", "second") : ("second", "first") }

    /// What tells an entity from the others of the group.
    func id(of entity: EntityReference) -> Data { album.isEmpty ? entity.first : entity.second }
}

extension EntityReference {
    /// The asset itself, or a membership's; nil for an album.
    var assetID: AssetID? {
        switch self {
        case .asset(let id), .membership(_, let id): id
        case .album: nil
        }
    }
}

import FoundationEssentials
import GRDB
import LibraryAPI
import Persistence
import PhotoModel
import Replication

/// The replica's rows within one transaction.
struct ReplicaTable {
    /// The log's record of an asset or album.
    enum Event: String {
        case inserted, updated, deleted
    }

    /// The log's length; an observer that is further behind must fetch everything again.
    static let logLength = 100_000

    /// Assets of which memberships changed.
    ///
    /// Showing one reads all its albums: a library may tell of thousands in one page, and nothing is captured meanwhile.
    final class Postponed {
        /// In the order in which they changed first.
        fileprivate var assets: [AssetID] = []
        fileprivate var known: Set<AssetID> = []
    }

    let database: Database
    /// Collects the assets to show by ``showPostponed()``; nil to show them at once.
    var postponed: Postponed?

    // MARK: Remembered values

    /// The box's writing state; nil before its first write.
    func author() throws -> ReplicaAuthor? { try Fact.author.value(database) }

    /// The box's author; created if there is none yet.
    func author(orBegin fresh: ReplicaID) throws -> ReplicaAuthor {
        if let known = try author() { return known }
        let author = ReplicaAuthor(fresh)
        try save(author)
        return author
    }

    func save(_ author: ReplicaAuthor) throws {
        try Fact.author.set(author, database)
    }

    func cursor() throws -> ReplicaCursor {
        try Fact.cursor.value(database) ?? ReplicaCursor()
    }

    func save(_ cursor: ReplicaCursor) throws {
        try Fact.cursor.set(cursor, database)
    }

    // MARK: State

    /// The library's state of an entity; nil if it is not in the view.
    func base(of entity: EntityReference) throws -> ReplicaState? {
        try column("base", of: entity).map { try ReplicaState(canonicalBytes: Array($0)) }
    }

    /// The box's state of an entity: the library's, with pending local changes.
    func state(of entity: EntityReference) throws -> ReplicaState? {
        guard var state = try base(of: entity) else { return nil }
        for delta in try pendingDeltas(of: entity) { state.apply(delta) }
        return state
    }

    /// Stores the library's state of an entity with the generation of the enumeration that contains it, nil for a local
    /// change, and updates the shown one; without an original as received from the library, the stored one is kept.
    func keep(_ base: ReplicaState, of entity: EntityReference, original: Data?, generation: Int64?) throws {
        try database.execute(
            sql: """
                INSERT INTO replica_entities (kind, first, second, base, original, generation, is_local)
                VALUES (?1, ?2, ?3, ?4, ?5, coalesce(?6, 0), ?6 IS NULL)
                ON CONFLICT DO UPDATE SET base = excluded.base, original = coalesce(excluded.original, original),
                    generation = coalesce(?6, generation), is_local = is_local AND ?6 IS NULL
                """,
            arguments: key(entity) + [Data(base.canonicalBytes), original, generation]
        )
        try show(entity)
    }

    /// Forgets entities that left the view, which the box's history notes.
    ///
    /// This is not a deletion, and local changes to them are still pushed.
    func forget(_ entities: [EntityReference]) throws {
        if !entities.isEmpty, var author = try author() {
            author.incarnation.noteForgotten()
            try save(author)
        }
        for entity in entities { try forget(entity) }
    }

    private func forget(_ entity: EntityReference) throws {
        try hide(entity)
        try database.execute(
            sql: "DELETE FROM replica_entities WHERE kind = ? AND first = ? AND second = ?",
            arguments: key(entity)
        )
        if case .membership(_, let asset) = entity { try showAlbums(of: asset) }
    }

    // MARK: What is shown

    /// Updates what is shown of an entity to its state.
    func show(_ entity: EntityReference) throws {
        guard let state = try state(of: entity) else { return }
        let view = state.entityView(entity.id)
        switch entity {
        case .asset(let id):
            guard view?.isPurged != true, var asset = try original(Asset.self, of: entity) else {
                return try hide(entity)
            }
            let place = asset.location
            if let view { AssetFields.apply(view, to: &asset, originalLocation: place) }
            asset.albums = try albums(of: id)
            try show(asset, of: entity, localDate: asset.localCaptureDate)
        case .album(let id):
            guard let view, [.present, .revived].contains(view.albumPresence) else { return try hide(entity) }
            try show(AssetFields.album(id, view), of: entity, localDate: nil)
        case .membership(_, let asset):
            try showAlbums(of: asset)
        }
    }

    /// Shows the assets of which memberships changed.
    func showPostponed() throws {
        guard let postponed else { return }
        let table = ReplicaTable(database: database)
        for asset in postponed.assets { try table.show(.asset(asset)) }
        (postponed.assets, postponed.known) = ([], [])
    }

    private func showAlbums(of asset: AssetID) throws {
        guard let postponed else { return try show(.asset(asset)) }
        if postponed.known.insert(asset).inserted { postponed.assets.append(asset) }
    }

    private func show<Value: Codable & Equatable>(
        _ value: Value,
        of entity: EntityReference,
        localDate: LocalTime?
    ) throws {
        let bytes = try AgentStore.blob(value)
        let before = try shown(entity).map { try AgentStore.value(Value.self, from: Array($0)) }
        guard before != value else { return }
        try database.execute(
            sql: """
                UPDATE replica_entities SET shown = ?4, local_date = ?5
                WHERE kind = ?1 AND first = ?2 AND second = ?3
                """,
            arguments: key(entity) + [bytes, localDate?.microsecondsSince1970]
        )
        try log(before == nil ? .inserted : .updated, entity)
    }

    private func hide(_ entity: EntityReference) throws {
        guard try shown(entity) != nil else { return }
        try database.execute(
            sql: "UPDATE replica_entities SET shown = NULL WHERE kind = ? AND first = ? AND second = ?",
            arguments: key(entity)
        )
        try log(.deleted, entity)
    }

    /// The asset or album as shown; nil if it is not shown.
    func shown(_ entity: EntityReference) throws -> Data? { try column("shown", of: entity) }

    private func original<Value: Decodable>(_ type: Value.Type, of entity: EntityReference) throws -> Value? {
        try column("original", of: entity).map { try AgentStore.value(type, from: Array($0)) }
    }

    /// A column of an entity's row; nil if it is empty, or there is no row.
    private func column(_ name: String, of entity: EntityReference) throws -> Data? {
        try (Data?).fetchOne(
            database,
            sql: "SELECT \(name) FROM replica_entities WHERE kind = ? AND first = ? AND second = ?",
            arguments: key(entity)
        ).flatMap(\.self)
    }

    /// The assets that an album has, or had.
    func members(of album: AlbumID) throws -> [AssetID] {
        try String.fetchAll(
            database,
            sql: "SELECT second FROM replica_entities WHERE kind = 5 AND first = ?",
            arguments: [album.description]
        ).compactMap { AssetID($0) }
    }

    private func albums(of asset: AssetID) throws -> Set<AlbumID> {
        let names = try String.fetchAll(
            database,
            sql: "SELECT first FROM replica_entities WHERE kind = 5 AND second = ?",
            arguments: [asset.description]
        )
        return Set(
            try names.compactMap { AlbumID($0) }.filter { album in
                let entity = EntityReference.membership(album: album, asset: asset)
                return try state(of: entity)?.entityView(entity.id)?.isPresent(MembershipField.presence) == true
            }
        )
    }

    // MARK: Changes and the log

    /// The pending changes of an entity, in order.
    private func pendingDeltas(of entity: EntityReference) throws -> [Delta] {
        try Data.fetchAll(
            database,
            sql: """
                SELECT delta FROM replica_changes
                WHERE kind = ? AND first = ? AND second = ? AND state = 'pending' ORDER BY sequence
                """,
            arguments: key(entity)
        ).map { try Delta(encoded: Array($0)) }
    }

    /// Records a change, which extends its author's history.
    func append(_ change: Change, by author: inout ReplicaAuthor, at time: WallTime) throws {
        guard let entity = EntityReference(change.entity) else { return }
        try author.history.append(change, hash: .sha256)
        try database.execute(
            sql: """
                INSERT INTO replica_changes (kind, first, second, incarnation, counter, delta, chain, made_at)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                """,
            arguments: key(entity) + [
                change.dot.replica.description, Int64(clamping: change.dot.counter),
                Data(Delta(CollectionOfOne(change)).encoded), Data(author.history.hash.bytes),
                time.microsecondsSince1970,
            ]
        )
    }

    private func log(_ event: Event, _ entity: EntityReference) throws {
        let (kind, id) =
            switch entity {
            case .asset(let id): (2, id.description)
            case .album(let id): (4, id.description)
            case .membership(_, let asset): (2, asset.description)
            }
        try database.execute(
            sql: "INSERT INTO replica_log (kind, id, event) VALUES (?, ?, ?)",
            arguments: [kind, id, event.rawValue]
        )
        let sequence = database.lastInsertedRowID
        // Trimming now and then is enough: a slightly longer log does no harm.
        guard sequence % 1000 == 0 else { return }
        try database.execute(
            sql: "DELETE FROM replica_log WHERE sequence <= ?",
            arguments: [sequence - Int64(Self.logLength)]
        )
    }

    func key(_ entity: EntityReference) -> StatementArguments {
        switch entity {
        case .asset(let id): [2, id.description, ""]
        case .album(let id): [4, id.description, ""]
        case .membership(let album, let asset): [5, album.description, asset.description]
        }
    }

    /// The entity that a row's key names.
    static func entity(_ row: Row) throws -> EntityReference {
        let kind: Int = row["kind"]
        let first: String = row["first"]
        switch kind {
        case 2: if let id = AssetID(first) { return .asset(id) }
        case 4: if let id = AlbumID(first) { return .album(id) }
        case 5:
            if let album = AlbumID(first), let asset = AssetID(row["second"] as String) {
                return .membership(album: album, asset: asset)
            }
        default: break
        }
        throw AgentStoreError(.damaged, nil, "the replica has an invalid row: kind \(kind), key \(first)")
    }
}

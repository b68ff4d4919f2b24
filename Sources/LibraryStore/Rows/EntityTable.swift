import FoundationEssentials
import LibraryAPI
import PhotoModel

/// The change feed's rows: which entity was inserted, updated or removed under which number.
enum EntityTable {
    /// The next change number; the only writer holds it until its transaction ends, so that none is skipped.
    static func nextNumber(_ database: any SQLSession) throws -> ChangeNumber {
        try number("UPDATE library SET change_number = change_number + 1 RETURNING change_number", database)
    }

    /// The last assigned number.
    static func lastNumber(_ database: any SQLSession) throws -> ChangeNumber {
        try number("SELECT change_number FROM library", database)
    }

    private static func number(_ sql: String, _ database: any SQLSession) throws -> ChangeNumber {
        guard let value = try database.statement(sql).value(Int64.self) else { throw RowDamage("no library row") }
        let number = ChangeNumber(rawValue: value)
        database.note(number)
        return number
    }

    /// Stores the last of the numbers assigned in memory.
    static func save(lastNumber number: ChangeNumber, _ database: any SQLSession) throws {
        database.note(number)
        try database.statement("UPDATE library SET change_number = ?").execute([number.rawValue])
    }

    /// Records that an entity was inserted or updated, under the next number.
    static func touch(_ entity: EntityReference, _ database: any SQLSession) throws {
        try touch(entity, as: nextNumber(database), database)
    }

    /// Records that an entity was inserted or updated, under an already assigned number.
    static func touch(_ entity: EntityReference, as number: ChangeNumber, _ database: any SQLSession) throws {
        let statement = try database.statement(
            """
            INSERT INTO entity (kind, first, second, inserted, changed) VALUES (?1, ?2, ?3, ?4, ?4)
            ON CONFLICT (kind, first, second) DO UPDATE SET
                changed = excluded.changed,
                inserted = CASE WHEN entity.removed IS NULL THEN entity.inserted ELSE excluded.changed END,
                removed = NULL
            """
        )
        try statement.execute([entity.kind, entity.first, entity.second, number.rawValue])
    }

    /// Writes an entity's replicated state, and records its insertion, update or removal.
    static func write(
        _ state: [UInt8],
        of entity: EntityReference,
        isPresent: Bool,
        as number: ChangeNumber,
        _ database: any SQLSession
    ) throws {
        let statement = try database.statement(
            """
            INSERT INTO entity (kind, first, second, inserted, changed, removed, state)
            VALUES (?1, ?2, ?3, ?4, ?4, CASE WHEN ?5 = 1 THEN NULL ELSE ?4 END, ?6)
            ON CONFLICT (kind, first, second) DO UPDATE SET
                changed = excluded.changed,
                inserted = CASE WHEN entity.removed IS NULL THEN entity.inserted ELSE excluded.changed END,
                removed = excluded.removed,
                state = excluded.state
            """
        )
        try statement.execute([entity.kind, entity.first, entity.second, number.rawValue, isPresent, Data(state)])
    }

    /// Assigns new numbers to an album's memberships of a range of assets, because the album appeared or disappeared:
    /// what enters or leaves a limited device's view, its feed must tell.
    ///
    /// - Parameters:
    ///   - album: the album.
    ///   - start: the asset before the first one.
    ///   - end: the last asset.
    ///   - database: the transaction.
    /// - Throws: the database's errors.
    static func touchMembers(
        of album: AlbumID,
        after start: Data,
        through end: Data,
        _ database: any SQLSession
    ) throws {
        let last = try lastNumber(database).rawValue
        let statement = try database.statement(
            """
            UPDATE entity SET changed = member.place + ? FROM (
                SELECT second AS asset, row_number() OVER (ORDER BY second) AS place FROM entity
                WHERE kind = 5 AND first = ? AND second > ? AND second <= ? AND removed IS NULL
            ) AS member WHERE kind = 5 AND first = ? AND second = member.asset
            """
        )
        try statement.execute([last, album.blob, start, end, album.blob])
        let count = Int64(try database.changesCount)
        try save(lastNumber: ChangeNumber(rawValue: last + count), database)
    }

    /// The canonical bytes of an entity's state; nil if it has none.
    static func state(of entity: EntityReference, _ database: any SQLSession) throws -> [UInt8]? {
        let statement = try database.statement("SELECT state FROM entity WHERE kind = ? AND first = ? AND second = ?")
        return try statement.value(Data.self, [entity.kind, entity.first, entity.second]).map { Array($0) }
    }

    /// The number of bytes of an entity's state; 0 without one.
    static func stateBytes(of entity: EntityReference, _ database: any SQLSession) throws -> Int {
        let statement = try database.statement(
            "SELECT CAST(length(state) AS BIGINT) FROM entity WHERE kind = ? AND first = ? AND second = ?"
        )
        return try statement.value(Int.self, [entity.kind, entity.first, entity.second]) ?? 0
    }

    /// Whether an entity existed and was removed permanently.
    static func isRemoved(_ entity: EntityReference, _ database: any SQLSession) throws -> Bool {
        let statement = try database.statement(
            "SELECT removed IS NOT NULL FROM entity WHERE kind = ? AND first = ? AND second = ?"
        )
        return try statement.value(Bool.self, [entity.kind, entity.first, entity.second]) ?? false
    }
}

extension EntityReference {
    /// The kind's number in rows, as in the replication module.
    var kind: Int {
        switch self {
        case .asset: 2
        case .album: 4
        case .membership: 5
        }
    }

    var first: Data {
        switch self {
        case .asset(let id): id.blob
        case .album(let id), .membership(let id, _): id.blob
        }
    }

    var second: Data {
        switch self {
        case .asset, .album: Data()
        case .membership(_, let id): id.blob
        }
    }

    /// The entity named by a row's `kind`, `first` and `second`.
    init(_ row: SQLRow) throws { try self.init(kind: row["kind"], first: row["first"], second: row["second"]) }

    init(kind: Int, first: Data, second: Data) throws {
        switch kind {
        case 2: self = .asset(try AssetID(blob: first))
        case 4: self = .album(try AlbumID(blob: first))
        case 5: self = .membership(album: try AlbumID(blob: first), asset: try AssetID(blob: second))
        default: throw RowDamage("an entity of kind \(kind)")
        }
    }
}

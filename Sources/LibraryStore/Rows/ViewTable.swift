import Authorization
import FoundationEssentials
import LibraryAPI
import PhotoModel

/// The entities one limited device has had in its view, and from which number to which: its own feed, in which leaving
/// for any reason is the same removal, and entities it never saw are never named.
///
/// The rows are updated when the device asks, in bounded writer turns. A token is issued only for a number up to which
/// they are current, so for any token they record what the device had seen. For a newer version of the grant they are
/// rebuilt, see ``Stage``.
struct ViewTable {
    let device: DeviceID
    let selection: Selection
    let database: any SQLSession
    /// What a turn for many views has read; nil outside of one.
    var ahead: ViewsAhead?

    /// The most changes elsewhere that a reader scans before the rows are updated instead.
    static let lookedThrough = 512
    /// The most changes looked through in one writer turn.
    static let followed = 2048

    /// The view of assets.
    var view: LibraryView { .selection(selection, device) }

    /// The state of the rows as of a change.
    enum State {
        /// They must be updated, or created.
        case behind
        /// They reflect it.
        case current
        /// They reflect it, and nothing in it has changed since a position.
        case unchanged
    }

    /// What a writer turn left to do.
    enum Progress: Sendable {
        /// Nothing: the rows are up to date.
        case done
        /// More turns.
        case unfinished
        /// A reader must find members, see ``missing(atMost:)``.
        case lacksMembers
        /// This many of the found members were added.
        case added(Int)
        /// An album that appeared or disappeared must be settled first, see ``UnsettledAlbumTable``.
        case awaits(AlbumID)

        /// Whether work beside the writer's turns must come first.
        var needsMoreThanTurns: Bool {
            switch self {
            case .done, .unfinished, .added: false
            case .lacksMembers, .awaits: true
            }
        }
    }

    /// The rows of a grant version, as far as they are built.
    struct Known {
        var stage: Stage
        /// The change up to which they are current, or from which they will be followed once they are built.
        var processed: Int64
    }

    /// The state of the rows: they are also current if nothing since concerns this view.
    ///
    /// - Parameters:
    ///   - last: the change.
    ///   - start: the position of a token of this version: nothing between the rows and it concerned the view.
    ///   - grantVersion: the version.
    /// - Returns: the state.
    /// - Throws: `tokenExpired` for an outdated version.
    func state(at last: ChangeNumber, since start: ChangeNumber, grantVersion: UInt64) throws -> State {
        guard let rows = try known(grantVersion), rows.stage == .whole else { return .behind }
        guard try untoldAlbum() == nil else { return .behind }
        let known = max(rows.processed, start.rawValue)
        if known < last.rawValue {
            guard try end(after: known, count: Self.lookedThrough) == nil else { return .behind }
            guard try concerning(after: known, through: last.rawValue).isEmpty else { return .behind }
        }
        return rows.processed <= start.rawValue ? .unchanged : .current
    }

    /// Builds the rows of a newer grant version, and follows every change up to a number, as far as one turn goes.
    ///
    /// - Parameters:
    ///   - last: the number.
    ///   - start: the position of a token of this version: nothing between the rows and it concerned the view.
    ///   - grantVersion: the version.
    ///   - found: the members to add if they are being built.
    ///   - changes: what a reader found after `start`: if the rows are built, they are followed as far as it looked.
    ///   - turn: counts the work.
    /// - Returns: what is left to do.
    /// - Throws: `tokenExpired` for an outdated version.
    func bringUpToDate(
        to last: ChangeNumber,
        since start: ChangeNumber,
        grantVersion: UInt64,
        adding found: FoundMembers?,
        following changes: FoundChanges? = nil,
        in turn: inout WriterTurn
    ) throws -> Progress {
        guard turn.hasRoom else { return .unfinished }
        // The rows cannot tell who left with it until its memberships have their new numbers.
        if let album = try untoldAlbum() { return .awaits(album) }
        guard let rows = try known(grantVersion) else { return try begin(at: last, grantVersion, in: &turn) }
        switch rows.stage {
        case .clearing: return try clear(rows, grantVersion, in: &turn)
        case .filling:
            guard let found else { return .lacksMembers }
            let count = try add(found.members, in: &turn)
            guard found.isAll, count == found.members.count else { return .added(count) }
        case .whole: break
        }
        let known = max(rows.processed, start.rawValue)
        if rows.stage == .whole, let changes, let reached = try follow(changes, after: known, in: &turn) {
            if reached > rows.processed { try save(Known(stage: .whole, processed: reached), grantVersion) }
            return reached < changes.end.rawValue ? .unfinished : .done
        }
        let reached = try follow(to: last.rawValue, after: known, in: &turn)
        if rows.stage != .whole || reached > rows.processed {
            try save(Known(stage: .whole, processed: reached), grantVersion)
        }
        return reached < last.rawValue ? .unfinished : .done
    }

    /// The rows of a grant version; nil if they must be begun.
    private func known(_ grantVersion: UInt64) throws -> Known? {
        if let row = ahead?.views[device] { return try Known(row, for: grantVersion) }
        let statement = try database.statement("SELECT grant_version, processed, stage FROM view WHERE device = ?")
        return try statement.row([device.blob]).flatMap { try Known($0, for: grantVersion) }
    }

    /// An album in the selection whose memberships do not follow it yet.
    private func untoldAlbum() throws -> AlbumID? {
        guard selection.namesAlbums else { return nil }
        return try (ahead?.untold ?? UnsettledAlbumTable.untold(database)).first { selection.names($0) }
    }

    /// Records how far the rows of a grant version are.
    func save(_ known: Known, _ grantVersion: UInt64) throws {
        try database.statement(
            """
            INSERT INTO view (device, grant_version, processed, stage) VALUES (?, ?, ?, ?)
            ON CONFLICT (device) DO UPDATE SET
                grant_version = excluded.grant_version, processed = excluded.processed, stage = excluded.stage
            """
        ).execute([device.blob, Int64(bitPattern: grantVersion), known.processed, known.stage.rawValue])
    }

    /// Whether fewer entities than `count` changed after a position, in this view or elsewhere.
    func hasFewer(than count: Int, after start: ChangeNumber) throws -> Bool {
        try end(after: start.rawValue, count: count) == nil
    }

    /// Follows changes that a reader found, as far as the turn goes.
    ///
    /// - Returns: the change up to which the rows are current; nil if one had to be recorded under a later number than
    ///   the reader knew, up to which everything must then be followed.
    private func follow(_ found: FoundChanges, after known: Int64, in turn: inout WriterTurn) throws -> Int64? {
        for (entity, number) in found.changes where number > known {
            // One that changed again has a later number, under which the next look finds it.
            guard try lastChange(of: entity) == number else { continue }
            guard try follow(entity, number: number) <= found.end.rawValue else { return nil }
            turn.countFollowed()
            if !turn.hasRoom { return number }
        }
        return found.end.rawValue
    }

    /// Follows the changes after a number as far as the turn goes; returns the change up to which the rows are current.
    private func follow(to last: Int64, after known: Int64, in turn: inout WriterTurn) throws -> Int64 {
        guard known < last else { return known }
        var end = last
        if let far = try self.end(after: known, count: Self.followed) { end = min(end, far) }
        turn.count(lookedThrough: Int(min(end - known, Int64(Self.followed))))
        for change in try concerning(after: known, through: end) {
            try follow(change.entity, number: change.number)
            turn.countFollowed()
            // Numbers are unique, so that the next turn begins with the next entity.
            if !turn.hasRoom { return change.number }
        }
        return end
    }

    /// The number of the `count`-th change after `number`; nil if there are fewer.
    private func end(after number: Int64, count: Int) throws -> Int64? {
        let statement = try database.statement(
            "SELECT changed FROM entity WHERE changed > ? ORDER BY changed LIMIT 1 OFFSET ?"
        )
        return try statement.value(Int64.self, [number, count - 1])
    }

    /// The changed entities that are in the view according to the rows, or should be.
    ///
    /// SQL excludes all others, since each change anywhere is checked for each limited device.
    private func concerning(
        after number: Int64,
        through end: Int64
    ) throws -> [(entity: EntityReference, number: Int64)] {
        let condition = concern
        // There may be a hundred thousand selected assets: they are looked up here, not listed for each check.
        let (isConcerned, filter) = selection.assets.isEmpty ? ("TRUE", "WHERE \(condition.sql)") : (condition.sql, "")
        let rows = try database.replannedStatement(
            """
            WITH change (kind, first, second, changed, asset) AS (
                SELECT kind, first, second, changed, CASE kind WHEN 2 THEN first WHEN 5 THEN second END FROM entity
                WHERE changed > ? AND changed <= ?
            )
            SELECT kind, first, second, changed, \(isConcerned) AS is_concerned FROM change \(filter) ORDER BY changed
            """
        ).rows([number, end] + condition.arguments)
        return try rows.compactMap { row in
            let entity = try EntityReference(row)
            guard try row["is_concerned"] || isSelectedAndVisible(entity) else { return nil }
            return (entity, try row["changed"])
        }
    }

    /// Whether a change concerns the view because of anything but the assets that it lists.
    ///
    /// The subqueries stay as they are: for many changes PostgreSQL collects a small view's members once, and does not
    /// look for each change among them.
    private var concern: (sql: String, arguments: SQLArguments) {
        var unlisted = selection
        unlisted.assets = []
        let visible = FilterSQL(.selection(unlisted, device), database.dialect, standard: .probe)
        var sql = """
            (EXISTS (
                SELECT 1 FROM view_member AS member WHERE member.device = ? AND member.gone IS NULL
                    AND member.kind = change.kind AND member.first = change.first AND member.second = change.second
            ) OR EXISTS (
                SELECT 1 FROM view_member AS member WHERE member.device = ? AND member.gone IS NULL
                    AND member.kind = 2 AND member.first = change.asset
            ) OR EXISTS (SELECT 1 FROM asset WHERE asset.id = change.asset AND \(visible.sql))
            """
        var arguments: SQLArguments = [device.blob, device.blob] + visible.arguments
        if !selection.grantedAlbums.isEmpty {
            sql += " OR (kind = 4 AND first IN (\(database.dialect.bytes(in: "?"))))"
            arguments += [FilterSQL.list(selection.grantedAlbums.map(\.blob))]
        }
        return (sql + ")", arguments)
    }

    private func isSelectedAndVisible(_ entity: EntityReference) throws -> Bool {
        switch entity {
        case .album: false
        case .asset(let id), .membership(_, let id):
            try selection.assets.contains(id) && isVisible(AssetTable.fetch(id, database))
        }
    }

    /// Records what a change brought into or removed from the view, in the current state.
    ///
    /// Each is recorded under the last number of everything that decides its visibility: under an earlier one, viewers
    /// past that number would never receive it. Returns that number.
    @discardableResult
    private func follow(_ entity: EntityReference, number: Int64) throws -> Int64 {
        switch entity {
        case .album(let id):
            let isVisible = try selection.grantedAlbums.contains(id) && AlbumTable.fetch(id, database) != nil
            try mark(entity, isVisible: isVisible, number: number)
            return number
        case .asset(let id), .membership(_, let id):
            let asset = try asset(id)
            let isVisible = isVisible(asset)
            let albums = (asset?.albums ?? []).filter(selection.grantedAlbums.contains)
            // An asset and its memberships in granted albums belong together.
            let members = albums.map { EntityReference.membership(album: $0, asset: id) }
            let related = Set(members + [entity, .asset(id)])
            let own = try related.subtracting([entity]).reduce(number) { max($0, try lastChange(of: $1)) }
            let last = max(own, try lastRuledMembership(of: id))
            for related in related {
                let isMember = if case .membership(let album, _) = related { albums.contains(album) } else { true }
                try mark(related, isVisible: isVisible && isMember, number: last)
            }
            return last
        }
    }

    private func asset(_ id: AssetID) throws -> Asset? {
        if let read = ahead?.assets[id] { return read }
        return try AssetTable.fetch(id, database)
    }

    private func lastChange(of entity: EntityReference) throws -> Int64 {
        if let number = ahead?.numbers[entity] { return number }
        let statement = try database.statement("SELECT changed FROM entity WHERE kind = ? AND first = ? AND second = ?")
        return try statement.value(Int64.self, [entity.kind, entity.first, entity.second]) ?? 0
    }

    /// The last change of an asset's memberships in albums that rules name; 0 without one.
    ///
    /// They need not be in the view. Removed ones count, since a rule may exclude an album.
    private func lastRuledMembership(of asset: AssetID) throws -> Int64 {
        let albums = selection.ruledAlbums
        guard !albums.isEmpty else { return 0 }
        let named = database.dialect.bytes(in: "?")
        let statement = try database.statement(
            "SELECT changed FROM entity WHERE kind = 5 AND first IN (\(named)) AND second = ?"
        )
        return try statement.values(Int64.self, [FilterSQL.list(albums.map(\.blob)), asset.blob]).max() ?? 0
    }

    private func isVisible(_ asset: Asset?) -> Bool {
        asset.map { selection.contains($0, for: device) } ?? false
    }

    /// Makes an entity a member of the view, or ends that, unless it is so already.
    private func mark(_ entity: EntityReference, isVisible: Bool, number: Int64) throws {
        let member = """
            view_member.device = ?1 AND view_member.kind = ?2 AND view_member.first = ?3 AND view_member.second = ?4
            AND view_member.gone IS NULL
            """
        let statement = try database.statement(
            isVisible
                ? """
                INSERT INTO view_member (device, kind, first, second, entered)
                SELECT ?1, ?2, ?3, ?4, ?5 WHERE NOT EXISTS (SELECT 1 FROM view_member WHERE \(member))
                ON CONFLICT (device, kind, first, second, entered) DO UPDATE SET gone = NULL
                """ : "UPDATE view_member SET gone = ?5 WHERE \(member)"
        )
        try statement.execute([device.blob, entity.kind, entity.first, entity.second, number])
    }
}

extension Selection {
    /// Whether an asset may be in it because of an album.
    var namesAlbums: Bool { !grantedAlbums.isEmpty || !ruledAlbums.isEmpty }

    /// The albums that its rules name.
    fileprivate var ruledAlbums: Set<AlbumID> { rules.reduce(into: []) { $0.formUnion($1.albums) } }

    /// Whether an asset may be in it because of this album.
    func names(_ album: AlbumID) -> Bool { grantedAlbums.contains(album) || ruledAlbums.contains(album) }
}

extension AssetFilter {
    /// The albums that any of its conditions is about.
    fileprivate var albums: Set<AlbumID> {
        if case .album(let album) = self { return [album] }
        return children.reduce(into: []) { $0.formUnion($1.albums) }
    }
}

import Authorization
import FoundationEssentials
import LibraryAPI
import PhotoModel

/// What the latest changes concern, for many limited views at once: a change anywhere wakes all who wait, and concerns
/// few of them.
///
/// It finds the state that ``ViewTable/state(at:since:grantVersion:)`` finds for one view, but the number of its statements
/// depends on the changes alone. Members of views are found by the changed entity, and selections are evaluated in memory:
/// for each device, listed asset, album and rule, the changes of assets that are in a view because of it.
struct SharedLook {
    /// The most changes that are looked through: more than for one view, since they are read once for all.
    static let lookedThrough = 2048
    /// The most pairs of a change and a view that has its entity that are kept.
    private static let mostMembers = 4096

    /// The rows of `view`.
    private let rows: [DeviceID: SQLRow]
    /// Albums whose memberships do not follow them yet.
    private let untold: [AlbumID]
    /// Views that are current up to an earlier change have missed too many.
    private var horizon: Int64 = 0
    /// The entities that changed after the earliest position, by the number of the change.
    private var changes: [Int64: EntityReference] = [:]
    /// The changes of what a device has in its view; the latest one alone if they are too many.
    private var members: [DeviceID: [Int64]] = [:]
    private var hasAllMembers = true
    /// The changes of a device's own captures, which any selection may contain.
    private var captures: [DeviceID: [Int64]] = [:]
    private var assets: [AssetID: [Int64]] = [:]
    /// The changes of an album and its assets.
    private var albums: [AlbumID: [Int64]] = [:]
    /// The changes of the assets that match a rule, which is evaluated once for all views that have it.
    private var rules: [AssetFilter: [Int64]] = [:]

    /// Reads what changed after the earliest position.
    ///
    /// - Parameters:
    ///   - looks: the looks.
    ///   - most: the most changes that are looked through.
    ///   - database: the session.
    /// - Throws: the database's errors; `RowDamage` or a `DecodingError` if something that changed is damaged.
    init(_ looks: [LimitedLook], lookingThrough most: Int = Self.lookedThrough, _ database: any SQLSession) throws {
        rows = try Self.rows(of: looks, database)
        untold = try UnsettledAlbumTable.untold(database)
        let starts = try looks.compactMap { look in
            try rows[look.device].map { try Self.start(of: look, $0) }
        }
        guard let first = starts.min() else { return }
        var count = min(ViewTable.lookedThrough, most)
        var changes = try Self.changes(after: first, atMost: count, database)
        if changes.count == count, count < most {
            // PostgreSQL plans for the limit: only those that are far behind should have the plan for many.
            count = most
            changes = try Self.changes(after: first, atMost: count, database)
        }
        if changes.count == count, let farthest = changes.popLast() { horizon = farthest.number }
        guard let start = starts.filter({ $0 >= horizon }).min() else { return }
        changes = changes.filter { $0.number > start }
        guard !changes.isEmpty else { return }
        for change in changes { self.changes[change.number] = change.entity }
        let kept = try Self.memberChanges(after: start, atMost: count, database)
        hasAllMembers = kept != nil
        members = try kept ?? Self.members(changedAfter: start, atMost: count, database)
        try take(changes, rules: Set(looks.flatMap(\.selection.rules)), database)
    }

    /// The state of a view's rows as of this look, see ``ViewTable/state(at:since:grantVersion:)``.
    ///
    /// - Throws: `tokenExpired` for an outdated version of the grant.
    func state(of look: LimitedLook, since start: ChangeNumber) throws -> ViewTable.State {
        let known = try rows[look.device].flatMap { try ViewTable.Known($0, for: look.grantVersion) }
        guard let known, known.stage == .whole else { return .behind }
        guard !untold.contains(where: look.selection.names) else { return .behind }
        let last = max(known.processed, start.rawValue)
        guard last >= horizon, !numbers(of: look).contains(where: { $0 > last }) else { return .behind }
        return known.processed <= start.rawValue ? .unchanged : .current
    }

    /// The changes that concern a view after the position of its look, for the writer to follow; nil if they are many, or
    /// if it must find them itself.
    ///
    /// - Parameters:
    ///   - look: the look, whose state is `behind`.
    ///   - identity: the library as of this look.
    /// - Returns: the changes.
    /// - Throws: `tokenExpired` for an outdated version of the grant.
    func found(of look: LimitedLook, _ identity: LibraryIdentity) throws -> FoundChanges? {
        // Between two pages, the view's own rows tell what left since the first.
        guard let position = look.position, position.departures == position.number else { return nil }
        let start = position.number.rawValue
        guard start >= horizon, hasAllMembers,
            let known = try rows[look.device].flatMap({ try ViewTable.Known($0, for: look.grantVersion) }),
            known.stage == .whole, known.processed <= start, !untold.contains(where: look.selection.names)
        else { return nil }
        let found = Set(numbers(of: look).filter { $0 > start })
        guard !found.isEmpty, found.count <= FoundChanges.limit else { return nil }
        let told = found.sorted().compactMap { number in changes[number].map { (entity: $0, number: number) } }
        return FoundChanges(epoch: identity.epoch, end: identity.lastChange, changes: told)
    }

    /// The changes that concern a view, in no order; some more than once.
    ///
    /// They are those of what it has, and of what it should have.
    private func numbers(of look: LimitedLook) -> [Int64] {
        let (device, selection) = (look.device, look.selection)
        var numbers = (members[device] ?? []) + (captures[device] ?? [])
        for (album, changes) in albums where selection.grantedAlbums.contains(album) { numbers += changes }
        if !selection.assets.isEmpty {
            for (asset, changes) in assets where selection.assets.contains(asset) { numbers += changes }
        }
        for rule in selection.rules { numbers += rules[rule] ?? [] }
        return numbers
    }

    /// Takes the changed albums and assets in their current state.
    private mutating func take(
        _ changes: [(entity: EntityReference, number: Int64)],
        rules known: Set<AssetFilter>,
        _ database: any SQLSession
    ) throws {
        var numbers: [AssetID: [Int64]] = [:]
        for change in changes {
            switch change.entity {
            case .album(let id): albums[id, default: []].append(change.number)
            case .asset(let id), .membership(_, let id): numbers[id, default: []].append(change.number)
            }
        }
        // The documents, which may be thousands, are decoded for rules alone.
        let rows = try database.statement(
            """
            SELECT id, device, is_hidden, is_trashed, \(AssetTable.albumsColumn(database.dialect)) FROM asset
            WHERE id IN (\(database.dialect.bytes(in: "?")))
            """
        ).rows([FilterSQL.list(numbers.keys.map(\.blob))])
        for row in rows {
            // As in `Selection.mayContain`.
            let (isHidden, isTrashed): (Bool, Bool) = (try row["is_hidden"], try row["is_trashed"])
            guard !isHidden, !isTrashed else { continue }
            let (id, device): (AssetID, Data?) = (try AssetID(blob: row["id"]), try row["device"])
            let changes = numbers[id] ?? []
            assets[id] = changes
            if let device { try captures[DeviceID(blob: device), default: []] += changes }
            for album in try AssetTable.albums(row["albums"]) { albums[album, default: []] += changes }
        }
        guard !known.isEmpty else { return }
        for asset in try AssetTable.fetch(assets.keys, database) {
            let changes = numbers[asset.id] ?? []
            for rule in known where rule.matches(asset) { rules[rule, default: []] += changes }
        }
    }

    /// The rows of `view` for the devices that look.
    static func rows(of looks: [LimitedLook], _ database: any SQLSession) throws -> [DeviceID: SQLRow] {
        let devices = FilterSQL.list(Set(looks.map(\.device)).map(\.blob))
        let rows = try database.statement(
            """
            SELECT device, grant_version, processed, stage FROM view WHERE device IN (\(database.dialect.bytes(in: "?")))
            """
        ).rows([devices])
        return Dictionary(uniqueKeysWithValues: try rows.map { (try DeviceID(blob: $0["device"]), $0) })
    }

    /// The change up to which a view is current.
    private static func start(of look: LimitedLook, _ row: SQLRow) throws -> Int64 {
        let processed: Int64 = try row["processed"]
        return max(processed, look.position?.number.rawValue ?? 0)
    }

    /// The latest changes after a number, the last one first: as many as are too many.
    private static func changes(
        after number: Int64,
        atMost count: Int,
        _ database: any SQLSession
    ) throws -> [(entity: EntityReference, number: Int64)] {
        try database.statement(
            """
            SELECT kind, first, second, changed FROM entity WHERE changed > ? ORDER BY changed DESC LIMIT \(count)
            """
        ).rows([number]).map { (entity: try EntityReference($0), number: try $0["changed"]) }
    }

    /// The devices that have a changed entity in their view, or the asset of a changed membership; with the latest such
    /// change.
    private static func members(
        changedAfter number: Int64,
        atMost count: Int,
        _ database: any SQLSession
    ) throws -> [DeviceID: [Int64]] {
        let columns = "member.device AS device, max(change.changed) AS changed"
        let rows = try database.statement(
            "\(changedMembers(columns, atMost: count, database.dialect)) GROUP BY member.device"
        ).rows([number])
        var latest: [DeviceID: [Int64]] = [:]
        for row in rows { try latest[DeviceID(blob: row["device"])] = [row["changed"]] }
        return latest
    }

    /// The same with all such changes; nil if they are too many.
    private static func memberChanges(
        after number: Int64,
        atMost count: Int,
        _ database: any SQLSession
    ) throws -> [DeviceID: [Int64]]? {
        let columns = "member.device AS device, change.changed AS changed"
        let rows = try database.statement(
            "\(changedMembers(columns, atMost: count, database.dialect)) LIMIT \(mostMembers + 1)"
        ).rows([number])
        guard rows.count <= mostMembers else { return nil }
        var changes: [DeviceID: [Int64]] = [:]
        for row in rows {
            let (device, changed): (DeviceID, Int64) = (try DeviceID(blob: row["device"]), try row["changed"])
            changes[device, default: []].append(changed)
        }
        return changes
    }

    /// A query of the members of views that changed after a number.
    private static func changedMembers(_ columns: String, atMost count: Int, _ dialect: any SQLDialect) -> String {
        // The limit tells PostgreSQL how few changes there are, whose plan does not depend on the number.
        """
        WITH latest (kind, first, second, changed) AS (
            SELECT kind, first, second, changed FROM entity WHERE changed > ?
            ORDER BY changed DESC LIMIT \(count)
        ), change (kind, first, second, changed) AS (
            SELECT kind, first, second, changed FROM latest
            UNION ALL SELECT 2, second, \(dialect.noBytes), changed FROM latest WHERE kind = 5
        )
        SELECT \(columns)
        FROM change \(dialect.orderedJoin) view_member AS member ON member.kind = change.kind
            AND member.first = change.first AND member.second = change.second AND member.gone IS NULL
        """
    }
}

/// The changes that concern one limited view, as a reader found them.
///
/// The writer follows them instead of looking for each view again, and the view's rows are then current up to the
/// reader's moment. What changed since has a later number, and is found by the next look.
struct FoundChanges: Sendable {
    /// The most changes of one view: more are looked for by the writer, turn by turn.
    static let limit = 16

    /// The history in which they were found.
    let epoch: LibraryEpoch
    /// The library's last change at that moment.
    let end: ChangeNumber
    /// The changes, in order.
    let changes: [(entity: EntityReference, number: Int64)]

    /// Whether a later state of the library continues the one in which they were found.
    func isKnown(to identity: LibraryIdentity) -> Bool { epoch == identity.epoch && end <= identity.lastChange }
}

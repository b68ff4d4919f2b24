import Authorization
import FoundationEssentials
import LibraryAPI
import PhotoModel

/// What the latest changes concern, for many limited views at once: a change anywhere wakes all who wait, and concerns
/// few of them.
///
/// It finds the state that ``ViewTable/state(at:since:grantVersion:)`` finds for one view, but the number of its statements
/// depends on the changes alone. Members of views are found by the changed entity, and selections are evaluated in memory:
/// for each device, listed asset, album and rule, the latest change of an asset that is in a view because of it.
struct SharedLook {
    /// The rows of `view`.
    private let rows: [DeviceID: SQLRow]
    /// Albums whose memberships do not follow them yet.
    private let untold: [AlbumID]
    /// Views that are current up to an earlier change have missed too many.
    private var horizon: Int64 = 0
    /// The latest change of what a device has in its view.
    private var members: [DeviceID: Int64] = [:]
    /// The latest change of a device's own captures.
    private var captures: [DeviceID: Int64] = [:]
    private var assets: [AssetID: Int64] = [:]
    /// The latest change of an album or its assets.
    private var albums: [AlbumID: Int64] = [:]
    private var rules: [AssetFilter: Int64] = [:]

    /// Reads what changed after the earliest position.
    init(_ looks: [LimitedLook], _ database: any SQLSession) throws {
        rows = try Self.rows(of: looks, database)
        untold = try UnsettledAlbumTable.untold(database)
        let starts = try looks.compactMap { look in
            try rows[look.device].map { try Self.start(of: look, $0) }
        }
        guard let first = starts.min() else { return }
        var changes = try Self.changes(after: first, database)
        if changes.count == ViewTable.lookedThrough, let farthest = changes.popLast() { horizon = farthest.number }
        guard let start = starts.filter({ $0 >= horizon }).min() else { return }
        changes = changes.filter { $0.number > start }
        guard !changes.isEmpty else { return }
        members = try Self.members(changedAfter: start, database)
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
        guard last >= horizon, latestChange(of: look) <= last else { return .behind }
        return known.processed <= start.rawValue ? .unchanged : .current
    }

    /// The latest change that concerns a view; 0 if none does.
    private func latestChange(of look: LimitedLook) -> Int64 {
        let (device, selection) = (look.device, look.selection)
        var latest = max(members[device] ?? 0, captures[device] ?? 0)
        for (album, number) in albums where selection.grantedAlbums.contains(album) { latest = max(latest, number) }
        for (asset, number) in assets where selection.assets.contains(asset) { latest = max(latest, number) }
        for rule in selection.rules { latest = max(latest, rules[rule] ?? 0) }
        return latest
    }

    /// Takes the changed albums and assets in their current state.
    private mutating func take(
        _ changes: [(entity: EntityReference, number: Int64)],
        rules known: Set<AssetFilter>,
        _ database: any SQLSession
    ) throws {
        var numbers: [AssetID: Int64] = [:]
        for change in changes {
            switch change.entity {
            case .album(let id): albums[id] = max(albums[id] ?? 0, change.number)
            case .asset(let id), .membership(_, let id): numbers[id] = max(numbers[id] ?? 0, change.number)
            }
        }
        for asset in try AssetTable.fetch(numbers.keys, database) where Selection.mayContain(asset) {
            let number = numbers[asset.id] ?? 0
            assets[asset.id] = number
            if let device = asset.deviceID { captures[device] = max(captures[device] ?? 0, number) }
            for album in asset.albums { albums[album] = max(albums[album] ?? 0, number) }
            for rule in known where rule.matches(asset) { rules[rule] = max(rules[rule] ?? 0, number) }
        }
    }

    private static func rows(of looks: [LimitedLook], _ database: any SQLSession) throws -> [DeviceID: SQLRow] {
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
        _ database: any SQLSession
    ) throws -> [(entity: EntityReference, number: Int64)] {
        try database.statement(
            """
            SELECT kind, first, second, changed FROM entity WHERE changed > ?
            ORDER BY changed DESC LIMIT \(ViewTable.lookedThrough)
            """
        ).rows([number]).map { (entity: try EntityReference($0), number: try $0["changed"]) }
    }

    /// The devices that have a changed entity in their view, or the asset of a changed membership; with the latest such
    /// change.
    private static func members(changedAfter number: Int64, _ database: any SQLSession) throws -> [DeviceID: Int64] {
        // The limit tells PostgreSQL how few changes there are, whose plan does not depend on the number.
        let rows = try database.statement(
            """
            WITH latest (kind, first, second, changed) AS (
                SELECT kind, first, second, changed FROM entity WHERE changed > ?
                ORDER BY changed DESC LIMIT \(ViewTable.lookedThrough)
            ), change (kind, first, second, changed) AS (
                SELECT kind, first, second, changed FROM latest
                UNION ALL SELECT 2, second, \(database.dialect.noBytes), changed FROM latest WHERE kind = 5
            )
            SELECT member.device AS device, max(change.changed) AS changed
            FROM change \(database.dialect.orderedJoin) view_member AS member ON member.kind = change.kind
                AND member.first = change.first AND member.second = change.second AND member.gone IS NULL
            GROUP BY member.device
            """
        ).rows([number])
        return Dictionary(uniqueKeysWithValues: try rows.map { (try DeviceID(blob: $0["device"]), try $0["changed"]) })
    }
}

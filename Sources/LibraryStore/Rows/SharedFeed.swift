import Authorization
import FoundationEssentials
import LibraryAPI
import PhotoModel

/// The pages of many limited views whose rows the writer has brought up to what a ``SharedLook`` found: one statement
/// reads for all of them what ``ViewTable/page(after:departures:_:limit:grantVersion:)`` reads for one.
///
/// A page ends with the look's last change, so that changes since need not be followed first. What it shows is judged by
/// the current state: a view from which something has disappeared since has no page here.
struct SharedFeed {
    /// The most rows of members that are read.
    private static let mostRows = 4096

    /// An entity that a view has had, and what happened to it.
    private struct Member {
        let entity: EntityReference
        let changed: Int64
        let state: Data?
        /// From which number to which it was in the view; without an end it still is.
        var stays: [(entered: Int64, gone: Int64?)] = []

        var isSeen: Bool { stays.contains { $0.gone == nil } }

        func wasSeen(at number: Int64) -> Bool { stay(at: number) != nil }

        /// When it left, if it was in the view at a number and did.
        func left(after number: Int64) -> Int64? { stay(at: number)?.gone }

        private func stay(at number: Int64) -> (entered: Int64, gone: Int64?)? {
            stays.first { $0.entered <= number && $0.gone.map { $0 > number } ?? true }
        }

        /// The last number at which it came, went, or changed while in the view.
        var number: Int64 {
            let entered = stays.map { $0.entered }.max() ?? 0
            return isSeen ? max(entered, changed) : stays.compactMap { $0.gone }.max() ?? 0
        }

        /// The last number at which it came or went.
        var lastMove: Int64 { stays.map { max($0.entered, $0.gone ?? 0) }.max() ?? 0 }
    }

    private let identity: LibraryIdentity
    /// The rows of `view`.
    private let views: [DeviceID: SQLRow]
    /// Albums whose memberships do not follow them yet.
    private let untold: [AlbumID]
    /// What happened in each view after its position; nil if it is too much, or damaged.
    private var members: [DeviceID: [Member]]?
    private var assets: [AssetID: Asset] = [:]

    /// Reads what happened in the views of looks for which something was found.
    init(_ looks: [LimitedLook], _ identity: LibraryIdentity, _ database: any SQLSession) throws {
        self.identity = identity
        views = try SharedLook.rows(of: looks, database)
        untold = try UnsettledAlbumTable.untold(database)
        do {
            members = try Self.members(of: looks, database)
            let shown = (members ?? [:]).values.joined().filter(\.isSeen).compactMap(\.entity.assetID)
            for asset in try AssetTable.fetch(Set(shown), database) { assets[asset.id] = asset }
        } catch is RowDamage {
            members = nil
        } catch is DecodingError {
            members = nil
        }
    }

    /// The changes of a view after a number, up to the last change of the look that found them; nil if they are more than
    /// a page, if the rows are not as the writer left them, or if something that they have is no longer visible.
    func page(of look: LimitedLook, after start: ChangeNumber, _ database: any SQLSession) throws -> ChangePage? {
        guard let members, let found = look.found, found.isKnown(to: identity),
            let known = try views[look.device].flatMap({ try ViewTable.Known($0, for: look.grantVersion) }),
            known.stage == .whole, known.processed == found.end.rawValue,
            !untold.contains(where: look.selection.names)
        else { return nil }
        let (first, last) = (start.rawValue, found.end.rawValue)
        let own = members[look.device] ?? []
        // Whoever continues from this page takes everything up to its end for told.
        guard own.allSatisfy({ $0.lastMove <= last }) else { return nil }
        // If it lacks what entered before its end and changed after it, a removal would name what was never shown.
        guard own.allSatisfy({ $0.number <= last || $0.wasSeen(at: first) }) else { return nil }
        let rows = own.filter { member in
            first < member.number && member.number <= last && (member.isSeen || member.wasSeen(at: first))
        }
        // Longer pages are made from the view's rows: there, what left and came back takes two places, and as many as left
        // as a page holds are a page of their own.
        let (leftCount, shownCount) = (own.count { $0.left(after: first) != nil }, rows.count { $0.isSeen })
        guard leftCount < look.limit, leftCount + shownCount <= look.limit else { return nil }
        guard rows.allSatisfy({ !$0.isSeen || isVisible($0.entity, to: look) }) else { return nil }
        let view = LibraryView.selection(look.selection, look.device)
        let entries = rows.map { member in
            let (wasSeen, isSeen) = (member.wasSeen(at: first), member.isSeen)
            let number = isSeen ? member.number : member.left(after: first) ?? member.number
            let state = member.state
            return FeedEntry(member.entity, wasSeen: wasSeen, isSeen: isSeen, state: state, number: number)
        }
        let changes = try entries.sorted { $0.isBefore($1) }.map { entry in
            let (entity, asset) = (entry.entity, entry.entity.assetID.flatMap { assets[$0] })
            return try SQLMetadataStore.change(entry.kind, entity, state: entry.state, of: asset, in: view, database)
        }
        let position = ChangePosition(epoch: identity.epoch, viewVersion: look.grantVersion, number: found.end)
        return ChangePage(changes: changes, position: position, hasMore: false)
    }

    /// Whether the device may see an entity that was in its view.
    private func isVisible(_ entity: EntityReference, to look: LimitedLook) -> Bool {
        switch entity {
        // It would have changed since.
        case .album: true
        case .asset(let id): assets[id].map { look.selection.contains($0, for: look.device) } ?? false
        case .membership(let album, let id):
            assets[id].map { $0.albums.contains(album) && look.selection.contains($0, for: look.device) } ?? false
        }
    }

    /// What came into or left the views after the earliest position, or was found to have changed in one of them, with
    /// all of its stays; nil if it is too much.
    private static func members(
        of looks: [LimitedLook],
        _ database: any SQLSession
    ) throws -> [DeviceID: [Member]]? {
        let dialect = database.dialect
        let devices = dialect.bytes(in: "?1")
        let numbers = Set(looks.compactMap(\.found).flatMap { $0.changes.map { $0.number } })
        let rows = try database.replannedStatement(
            """
            WITH candidate (device, kind, first, second) AS (
                SELECT device, kind, first, second FROM view_member WHERE device IN (\(devices)) AND entered > ?2
                UNION SELECT device, kind, first, second FROM view_member WHERE device IN (\(devices)) AND gone > ?2
                UNION SELECT member.device, member.kind, member.first, member.second
                FROM entity \(dialect.orderedJoin) view_member AS member ON member.kind = entity.kind
                    AND member.first = entity.first AND member.second = entity.second AND member.gone IS NULL
                WHERE entity.changed IN (\(dialect.integers(in: "?3"))) AND member.device IN (\(devices))
            )
            SELECT device, kind, first, second, entered, gone, changed, state
            FROM candidate \(dialect.orderedJoin) view_member USING (device, kind, first, second)
                \(dialect.orderedJoin) entity USING (kind, first, second)
            LIMIT \(mostRows + 1)
            """
        ).rows([
            FilterSQL.list(Set(looks.map(\.device)).map(\.blob)),
            looks.compactMap { $0.position?.number.rawValue }.min() ?? 0,
            "[\(numbers.map { "\($0)" }.joined(separator: ","))]",
        ])
        guard rows.count <= mostRows else { return nil }
        var members: [DeviceID: [EntityReference: Member]] = [:]
        for row in rows {
            let entity = try EntityReference(row)
            let fresh = Member(entity: entity, changed: try row["changed"], state: try row["state"])
            let stay: (entered: Int64, gone: Int64?) = (try row["entered"], try row["gone"])
            let device = try DeviceID(blob: row["device"])
            members[device, default: [:]][entity, default: fresh].stays.append(stay)
        }
        return members.mapValues { Array($0.values) }
    }
}

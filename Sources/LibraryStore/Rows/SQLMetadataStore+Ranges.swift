import Authorization
import FoundationEssentials
package import LibraryAPI
import Persistence
import PhotoModel

extension SQLMetadataStore {
    /// The viewer's entities between two keys, as this many ranges with their hashes.
    package func ranges(
        _ bounds: ChangeRange.Bounds,
        count: Int,
        for viewer: ChangeViewer
    ) async throws -> [ChangeRange] {
        try await reading(bounds, for: viewer) { held, _, database in
            let total =
                try database.value(Int.self, "SELECT count(*) FROM (\(held.sql)) AS held", held.arguments) ?? 0
            // Sizes differ by at most one.
            let wanted = min(count, max(total, 1))
            var taken = 0
            var rangeHasher = RangeHasher(from: bounds.from)
            var ranges: [ChangeRange] = []
            let rows = try database.cursor(held.sql, held.arguments)
            while try rows.next() {
                // A whole library passes through here.
                let entity = try EntityReference(kind: rows[0], first: rows[1], second: rows[2])
                if taken > 0, taken == total * (ranges.count + 1) / wanted {
                    let key = EntityKey(entity)
                    ranges.append(rangeHasher.range(until: key))
                    rangeHasher = RangeHasher(from: key)
                }
                let state = try Self.shown(rows[3], of: entity, in: viewer.view, database)
                try rangeHasher.take(entity, state: state, database)
                taken += 1
            }
            return ranges + [rangeHasher.range(until: bounds.until)]
        }
    }

    /// The viewer's entities between two keys, each as an insertion.
    ///
    /// - Throws: `tooLarge` for more than a page.
    package func entities(_ bounds: ChangeRange.Bounds, for viewer: ChangeViewer) async throws -> ChangePage {
        try await reading(bounds, for: viewer) { held, identity, database in
            let rows = try database.rows(held.sql + " LIMIT \(APILimits.changePageCount + 1)", held.arguments)
            guard rows.count <= APILimits.changePageCount else {
                throw StoreError(
                    .tooLarge,
                    "A range returns at most \(APILimits.changePageCount) entities: request its hashes first."
                )
            }
            return ChangePage(
                changes: try rows.map { row in
                    let entity = try EntityReference(row)
                    return try Self.change(.inserted, entity, state: row["state"], in: viewer.view, database)
                },
                position: ChangePosition(
                    epoch: identity.epoch,
                    viewVersion: viewer.grantVersion,
                    number: identity.lastChange
                ),
                hasMore: false
            )
        }
    }

    /// Runs `body` with the query of the viewer's entities; a limited view is brought up to date first.
    private func reading<Value: Sendable>(
        _ bounds: ChangeRange.Bounds,
        for viewer: ChangeViewer,
        _ body: @escaping @Sendable (HeldQuery, LibraryIdentity, any SQLSession) throws -> Value
    ) async throws -> Value {
        guard case .limited(let device, let selection, let version) = viewer else {
            return try await readWhole { database in
                try body(Self.held(bounds, by: nil), Self.identity(database), database)
            }
        }
        return try await limited(to: selection, device, version) { _, identity, database in
            try body(Self.held(bounds, by: device), identity, database)
        }
    }

    /// A query and its arguments.
    private struct HeldQuery: Sendable {
        var sql: String
        var arguments: SQLArguments
    }

    private static func held(_ bounds: ChangeRange.Bounds, by device: DeviceID?) -> HeldQuery {
        var sql = "SELECT kind, first, second, state FROM entity"
        var arguments: SQLArguments = []
        if let device {
            sql += " JOIN view_member USING (kind, first, second) WHERE device = ? AND gone IS NULL"
            arguments += [device.blob]
        } else {
            sql += " WHERE removed IS NULL"
        }
        for (key, comparison) in [(bounds.from, ">="), (bounds.until, "<")] {
            guard let key else { continue }
            sql += " AND (kind, first, second) \(comparison) (?, ?, ?)"
            arguments += [Int(key.bytes[0]), Data(key.bytes[1..<17]), Data(key.bytes[17...])]
        }
        return HeldQuery(sql: sql + " ORDER BY kind, first, second", arguments: arguments)
    }
}

/// Hashes the entities of one range, in key order; see `ChangeRange`.
private struct RangeHasher {
    let from: EntityKey?
    private(set) var count = 0
    private var hasher = ContentHasher.Running()

    init(from: EntityKey?) { self.from = from }

    mutating func take(_ entity: EntityReference, state: [UInt8]?, _ database: any SQLSession) throws {
        count += 1
        hasher.update(EntityKey(entity).bytes[...])
        hasher.update(ContentHasher.digest(state ?? []).bytes[...])
        guard case .asset(let id) = entity else { return }
        let statement = try database.statement(
            """
            SELECT digest FROM asset JOIN resource ON resource.asset = asset.key WHERE asset.id = ?
            ORDER BY resource.id
            """
        )
        for digest in try statement.values(Data.self, [id.blob]) { hasher.update(Array(digest)[...]) }
    }

    func range(until: EntityKey?) -> ChangeRange {
        ChangeRange(from: from, until: until, count: count, hash: hasher.digest)
    }
}

import Authorization
import FoundationEssentials
import LibraryAPI
import PhotoModel

extension SQLMetadataStore {
    /// Changes after a position, in order; each entity once, in its current state.
    ///
    /// - Parameters:
    ///   - position: the viewer's position; nil enumerates everything.
    ///   - limit: entities on the page.
    ///   - viewer: the viewer.
    /// - Returns: the page.
    /// - Throws: `tokenExpired` for another history, another version of the grant, or a nonexistent position.
    package func changes(
        after position: ChangePosition?,
        limit: Int,
        for viewer: ChangeViewer
    ) async throws -> ChangePage {
        try await changes([ChangeLook(after: position, limit: limit, for: viewer)])[0].get()
    }

    /// Changes after many positions: one read for all views that need no write, and shared writer turns for the others.
    ///
    /// - Parameter looks: the viewers and their positions.
    /// - Returns: one outcome per look, in order.
    package func changes(_ looks: [ChangeLook]) async -> [Result<ChangePage, any Error>] {
        do {
            let pages = try await store.read { database in
                let identity = try Self.identity(database)
                return looks.map { look in Result { try Self.page(look, identity, database) } }
            }
            let behind = zip(looks, pages).compactMap { look, page in
                if case .success(nil) = page { LimitedLook(look) } else { nil }
            }
            let written = await afterWriting(behind) { look, start, rows, identity in
                try rows.page(after: start, identity, limit: look.limit, grantVersion: look.grantVersion)
                    .enumerating(from: look.position, identity)
            }
            var rest = written.makeIterator()
            return pages.map { page in
                page.flatMap { page in page.map { .success($0) } ?? rest.next() ?? .failure(CancellationError()) }
            }
        } catch {
            return looks.map { _ in .failure(error) }
        }
    }

    /// The page that answers a look; nil if the rows of a limited view must be brought up to date for it.
    private static func page(
        _ look: ChangeLook,
        _ identity: LibraryIdentity,
        _ database: any SQLSession
    ) throws -> ChangePage? {
        let start = try start(look.position, identity, look.viewer.grantVersion, database)
        guard let limited = LimitedLook(look) else {
            return try page(after: start, identity, limit: look.limit, look.viewer, database)
                .enumerating(from: look.position, identity)
        }
        let (rows, version) = (limited.rows(database), limited.grantVersion)
        let page: ChangePage
        switch try rows.state(at: identity.lastChange, since: start, grantVersion: version) {
        case .behind: return nil
        case .unchanged: page = rows.emptyPage(identity, grantVersion: version)
        case .current: page = try rows.page(after: start, identity, limit: look.limit, grantVersion: version)
        }
        return page.enumerating(from: look.position, identity)
    }

    /// Whether anything in a viewer's own view changed after a position, regardless of what others see.
    package func hasChanges(after position: ChangePosition?, for viewer: ChangeViewer) async throws -> Bool {
        if case .everything = viewer, let position {
            let identity = try await identity()
            return position.epoch != identity.epoch || position.viewVersion != viewer.grantVersion
                || position.number < identity.lastChange
        }
        do {
            return try await !changes(after: position, limit: 1, for: viewer).changes.isEmpty
        } catch let error as StoreError where error.code == .tokenExpired {
            // While the grant is changing, everything counts as new.
            guard position != nil else { return true }
            return try await hasChanges(after: nil, for: viewer)
        }
    }

    /// How often a view is followed for one read, which needs a moment without changes in it: saves that come every ten
    /// milliseconds leave one.
    private static let followCount = 32

    /// Runs `body` with the up-to-date rows of a limited view.
    ///
    /// The writer is used only if the view itself has changed, or much elsewhere, and never for the body.
    ///
    /// - Throws: what the body throws; `unavailable` for a view that changes all the time.
    func limited<Value: Sendable>(
        to selection: Selection,
        _ device: DeviceID,
        _ version: UInt64,
        _ body: @escaping @Sendable (ViewTable, LibraryIdentity, any SQLSession) throws -> Value
    ) async throws -> Value {
        let look = LimitedLook(device, selection, version)
        // All in one turn: while it waited for another, the view would change again.
        try await wholeReads.enter()
        defer { wholeReads.leave() }
        for _ in 0..<Self.followCount {
            let value = try await store.read { database in
                let identity = try Self.identity(database)
                let rows = look.rows(database)
                guard try rows.state(at: identity.lastChange, since: .zero, grantVersion: version) != .behind else {
                    return nil as Value?
                }
                return try body(rows, identity, database)
            }
            if let value { return value }
            try await afterWriting([look]) { _, _, _, _ in }[0].get()
        }
        throw StoreError(.unavailable, "Your view changes faster than it can be read: try again.")
    }

    /// Views that share one writer turn: each takes it for a millisecond or two.
    private static let viewsPerTurn = 16

    /// Brings the rows of limited views up to date, in bounded writer turns, and runs `body` in the final turn.
    ///
    /// - Returns: one outcome per look, in order.
    private func afterWriting<Value: Sendable>(
        _ looks: [LimitedLook],
        _ body: @escaping @Sendable (LimitedLook, ChangeNumber, ViewTable, LibraryIdentity) throws -> Value
    ) async -> [Result<Value, any Error>] {
        var values: [Int: Result<Value, any Error>] = [:]
        var open = Array(looks.indices)
        while !open.isEmpty {
            let turn = Array(open.prefix(Self.viewsPerTurn))
            open.removeFirst(turn.count)
            do {
                let written = try await store.write(turn.map { .view(of: looks[$0].device) }) { database in
                    let identity = try Self.identity(database)
                    return try turn.map { try Self.written(looks[$0], identity, database, body) }
                }
                for (index, value) in zip(turn, written) {
                    // What did not fit into one turn continues in another.
                    if let value { values[index] = value } else { open.append(index) }
                }
            } catch {
                // A problem with one view does not affect the others.
                for index in turn {
                    values[index] = await turn.count == 1 ? .failure(error) : afterWriting([looks[index]], body)[0]
                }
            }
        }
        return looks.indices.compactMap { values[$0] }
    }

    /// One look's value once its view's rows are up to date; nil if that takes another turn.
    private static func written<Value>(
        _ look: LimitedLook,
        _ identity: LibraryIdentity,
        _ database: any SQLSession,
        _ body: (LimitedLook, ChangeNumber, ViewTable, LibraryIdentity) throws -> Value
    ) throws -> Result<Value, any Error>? {
        let rows = look.rows(database)
        do {
            let start = try start(look.position, identity, look.grantVersion, database)
            guard try rows.bringUpToDate(to: identity.lastChange, since: start, grantVersion: look.grantVersion) else {
                return nil
            }
            return .success(try body(look, start, rows, identity))
        } catch let error as StoreError {
            // A refusal of this look alone, which comes before anything is written.
            return .failure(error)
        }
    }

    private static func start(
        _ position: ChangePosition?,
        _ identity: LibraryIdentity,
        _ grantVersion: UInt64,
        _ database: any SQLSession
    ) throws -> ChangeNumber {
        guard let position else { return .zero }
        let forgotten = try database.statement("SELECT forgotten FROM library").value(Int64.self) ?? 0
        guard position.epoch == identity.epoch, position.viewVersion == grantVersion,
            position.number <= identity.lastChange, position.floor.rawValue >= forgotten
        else {
            throw StoreError(
                .tokenExpired,
                "The token belongs to an earlier state of the library or of your grant: enumerate again."
            )
        }
        return position.number
    }

    private static func page(
        after start: ChangeNumber,
        _ identity: LibraryIdentity,
        limit: Int,
        _ viewer: ChangeViewer,
        _ database: any SQLSession
    ) throws -> ChangePage {
        // An entity that came and went after the position was never seen, and is not reported. One that also existed
        // before it, and has gone twice since, was seen: its history shows that, since the row only knows the last
        // insertion.
        let none = database.dialect.noBytes
        let rows = try database.statement(
            """
            SELECT kind, first, second, inserted, changed, removed IS NOT NULL AS is_removed, state FROM entity
            WHERE changed > ?1 AND (removed IS NULL OR inserted <= ?1 OR CASE
                WHEN second = \(none) THEN EXISTS (
                    SELECT 1 FROM history
                    WHERE history.first = entity.first AND number <= ?1 AND history.kind = entity.kind
                )
                ELSE EXISTS (
                    SELECT 1 FROM history
                    WHERE history.second = entity.second AND history.second <> \(none) AND number <= ?1
                        AND history.first = entity.first AND history.kind = entity.kind
                )
            END) ORDER BY changed LIMIT ?2
            """
        ).rows([start.rawValue, limit + 1])
        let shown = rows.prefix(limit)
        let changes = try shown.map { row in
            let entity = try EntityReference(row)
            let inserted: Int64 = try row["inserted"]
            let isRemoved: Bool = try row["is_removed"]
            let kind: EntityChange.Kind = isRemoved ? .removed : inserted > start.rawValue ? .inserted : .updated
            return try change(kind, entity, state: row["state"], database)
        }
        let hasMore = rows.count > limit
        let last: Int64? = try shown.last?["changed"]
        let number = hasMore ? last.map { ChangeNumber(rawValue: $0) } ?? start : identity.lastChange
        return ChangePage(
            changes: changes,
            position: ChangePosition(epoch: identity.epoch, viewVersion: viewer.grantVersion, number: number),
            hasMore: hasMore
        )
    }

    /// A change with the entity's data for the viewer.
    static func change(
        _ kind: EntityChange.Kind,
        _ entity: EntityReference,
        state: Data?,
        in view: LibraryView = .everything,
        _ database: any SQLSession
    ) throws -> EntityChange {
        guard kind != .removed else { return EntityChange(.removed, entity) }
        let bytes = try shown(state, of: entity, in: view, database).map { Base64Bytes($0) }
        return switch entity {
        case .asset(let id):
            EntityChange(kind, entity, asset: try AssetTable.fetch(id, database).flatMap(view.shown), state: bytes)
        case .album(let id):
            EntityChange(
                kind,
                entity,
                album: try AlbumTable.fetch(id, database).map { try AlbumTable.shown($0, in: view, database) },
                state: bytes
            )
        case .membership: EntityChange(kind, entity, state: bytes)
        }
    }

    /// An entity's state as shown in a view.
    static func shown(
        _ state: Data?,
        of entity: EntityReference,
        in view: LibraryView,
        _ database: any SQLSession
    ) throws -> [UInt8]? {
        guard let state = state.map({ Array($0) }) else { return nil }
        guard case .album(let id) = entity else { return state }
        return try AlbumTable.shown(state, of: id, in: view, database)
    }
}

extension ChangePage {
    /// The same page, with a position that records where an unfinished enumeration began.
    fileprivate func enumerating(from start: ChangePosition?, _ identity: LibraryIdentity) -> ChangePage {
        let position = ChangePosition(
            epoch: position.epoch,
            viewVersion: position.viewVersion,
            number: position.number,
            floor: start?.floor ?? identity.lastChange
        )
        return ChangePage(changes: changes, position: position, hasMore: hasMore)
    }
}

/// A look at a limited view.
private struct LimitedLook: Sendable {
    var position: ChangePosition?
    var limit = 0
    let device: DeviceID
    let selection: Selection
    let grantVersion: UInt64

    init(_ device: DeviceID, _ selection: Selection, _ grantVersion: UInt64) {
        self.device = device
        self.selection = selection
        self.grantVersion = grantVersion
    }

    /// Nil if everything is seen.
    init?(_ look: ChangeLook) {
        guard case .limited(let device, let selection, let version) = look.viewer else { return nil }
        self.init(device, selection, version)
        (position, limit) = (look.position, look.limit)
    }

    func rows(_ database: any SQLSession) -> ViewTable {
        ViewTable(device: device, selection: selection, database: database)
    }
}

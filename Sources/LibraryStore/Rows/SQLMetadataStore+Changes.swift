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
        let look = ChangeLook(after: position, limit: limit, for: viewer)
        if let page = try await store.read({ try Self.page(look, Self.identity($0), $0) }) { return page }
        return try await pagesAfterWriting([look])[0].get()
    }

    /// Changes after many positions: one reading for all whose views need no writing, and writer turns that others share.
    ///
    /// - Parameter looks: who asks, and from where.
    /// - Returns: one outcome per look, in order.
    package func changes(_ looks: [ChangeLook]) async -> [Result<ChangePage, any Error>] {
        do {
            let pages = try await store.read { database in
                let identity = try Self.identity(database)
                return looks.map { look in Result { try Self.page(look, identity, database) } }
            }
            let behind = zip(looks, pages).filter { _, page in if case .success(nil) = page { true } else { false } }
                .map(\.0)
            var written = await pagesAfterWriting(behind).makeIterator()
            return pages.map { page in
                page.flatMap { page in page.map { .success($0) } ?? written.next() ?? .failure(CancellationError()) }
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
        guard case .limited(let device, let selection, let version) = look.viewer else {
            return try page(after: start, identity, limit: look.limit, look.viewer, database)
                .enumerating(from: look.position, identity)
        }
        let rows = ViewTable(device: device, selection: selection, database: database)
        switch try rows.state(at: identity.lastChange, since: start, grantVersion: version) {
        case .behind: return nil
        case .unchanged:
            return rows.emptyPage(identity, grantVersion: version).enumerating(from: look.position, identity)
        case .current:
            return try rows.page(after: start, identity, limit: look.limit, grantVersion: version)
                .enumerating(from: look.position, identity)
        }
    }

    /// Views that share one writer turn: each takes it for a millisecond or two.
    private static let viewsPerTurn = 16

    /// The pages of limited views whose rows are brought up to date first, in order.
    private func pagesAfterWriting(_ looks: [ChangeLook]) async -> [Result<ChangePage, any Error>] {
        var pages: [Int: Result<ChangePage, any Error>] = [:]
        var open = Array(looks.indices)
        while !open.isEmpty {
            let turn = Array(open.prefix(Self.viewsPerTurn))
            open.removeFirst(turn.count)
            let locks = turn.compactMap { index in looks[index].viewer.limited.map { RowLock.view(of: $0) } }
            do {
                let written = try await store.write(locks) { database in
                    let identity = try Self.identity(database)
                    return try turn.map { index in try Self.written(looks[index], identity, database) }
                }
                for (index, page) in zip(turn, written) {
                    // What did not fit into one turn goes on in another.
                    if let page { pages[index] = page } else { open.append(index) }
                }
            } catch {
                for index in turn { pages[index] = .failure(error) }
            }
        }
        return looks.indices.compactMap { pages[$0] }
    }

    /// One look's page after its view's rows were brought up to date; nil if they are not yet.
    private static func written(
        _ look: ChangeLook,
        _ identity: LibraryIdentity,
        _ database: any SQLSession
    ) throws -> Result<ChangePage, any Error>? {
        guard case .limited(let device, let selection, let version) = look.viewer else {
            return try page(look, identity, database).map { .success($0) }
        }
        let rows = ViewTable(device: device, selection: selection, database: database)
        do {
            let start = try start(look.position, identity, version, database)
            guard try rows.bringUpToDate(to: identity.lastChange, since: start, grantVersion: version) else {
                return nil
            }
            let page = try rows.page(after: start, identity, limit: look.limit, grantVersion: version)
            return .success(page.enumerating(from: look.position, identity))
        } catch let error as StoreError {
            // A refusal of this look alone, which comes before anything is written.
            return .failure(error)
        }
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
            // Under a grant that is just changing everything is new.
            guard position != nil else { return true }
            return try await hasChanges(after: nil, for: viewer)
        }
    }

    /// Runs `body` with the up-to-date rows of a limited view.
    ///
    /// A read comes first: only if the view itself has changed, or much elsewhere, is the writer used.
    func limited<Value: Sendable>(
        to selection: Selection,
        _ device: DeviceID,
        _ version: UInt64,
        _ body: @escaping @Sendable (ViewTable, LibraryIdentity, any SQLSession) throws -> Value
    ) async throws -> Value {
        let known = try await store.read { database in
            let identity = try Self.identity(database)
            let rows = ViewTable(device: device, selection: selection, database: database)
            guard try rows.state(at: identity.lastChange, since: .zero, grantVersion: version) != .behind else {
                return nil as Value?
            }
            return try body(rows, identity, database)
        }
        if let known { return known }
        return try await broughtUpToDate(selection, device, version, body)
    }

    /// Brings the rows of a limited view up to date, a bounded writer turn at a time, and runs `body` in the last one.
    private func broughtUpToDate<Value: Sendable>(
        _ selection: Selection,
        _ device: DeviceID,
        _ version: UInt64,
        _ body: @escaping @Sendable (ViewTable, LibraryIdentity, any SQLSession) throws -> Value
    ) async throws -> Value {
        while true {
            let value = try await store.write([.view(of: device)]) { database in
                let identity = try Self.identity(database)
                let rows = ViewTable(device: device, selection: selection, database: database)
                guard try rows.bringUpToDate(to: identity.lastChange, since: .zero, grantVersion: version) else {
                    return nil as Value?
                }
                return try body(rows, identity, database)
            }
            if let value { return value }
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

extension ChangeViewer {
    /// The device of a limited view.
    fileprivate var limited: DeviceID? {
        if case .limited(let device, _, _) = self { device } else { nil }
    }
}

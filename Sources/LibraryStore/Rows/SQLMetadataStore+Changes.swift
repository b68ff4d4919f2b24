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

    /// Changes after many positions: one read for all views that need no write, see ``SharedLook``; for the others shared
    /// writer turns, and one read for the pages of what the first one found, see ``SharedFeed``.
    ///
    /// - Parameter looks: the viewers and their positions.
    /// - Returns: one outcome per look, in order.
    package func changes(_ looks: [ChangeLook]) async -> [Result<ChangePage, any Error>] {
        let outcomes = await outcomes(of: looks)
        return looks.indices.map { outcomes[$0] ?? .failure(CancellationError()) }
    }

    /// The same as far as the views share it: none is read or searched by itself, so that no look waits long for another.
    ///
    /// - Parameter looks: the limited viewers and their positions.
    /// - Returns: one outcome per look, in order; nil for those that must look by themselves.
    package func sharedChanges(_ looks: [ChangeLook]) async -> [Result<ChangePage?, any Error>] {
        let outcomes = await outcomes(of: looks, isShared: true)
        return looks.indices.map { index in outcomes[index].map { $0.map { Optional($0) } } ?? .success(nil) }
    }

    /// The outcomes by the indices of the looks; if only what they share is asked for, not of all.
    private func outcomes(
        of looks: [ChangeLook],
        isShared: Bool = false
    ) async -> [Int: Result<ChangePage, any Error>] {
        var outcomes: [Int: Result<ChangePage, any Error>] = [:]
        var open = Array(looks.indices)
        do {
            while !open.isEmpty {
                let read = try await store.read { [open] database in
                    try Self.pages(of: open, in: looks, isShared: isShared, database)
                }
                var behind = Self.take(read.pages, of: open, into: &outcomes)
                if isShared { behind.removeAll { read.found[$0] == nil } }
                let limited = behind.compactMap { LimitedLook(looks[$0], following: read.found[$0]) }
                var written = await afterWriting(limited, isShared: isShared) {
                    [turns] look, start, rows, identity -> ChangePage? in
                    // Of what a reader found, a reader makes the pages.
                    guard look.found == nil else { return nil }
                    // A long page, such as the first one of a large view, is made by a reader.
                    guard try rows.hasFewer(than: turns.pagedChanges, after: start) else { return nil }
                    return try look.page(after: start, of: rows, identity).enumerating(from: look.position, identity)
                }
                if isShared {
                    written = written.map { result in
                        if case .failure(is NeedsOwnLook) = result { .success(nil) } else { result }
                    }
                }
                open = Self.take(written, of: behind, into: &outcomes)
                let followed = open.filter { read.found[$0] != nil }
                if !followed.isEmpty {
                    let shown = followed.compactMap { LimitedLook(looks[$0], following: read.found[$0]) }
                    let pages = try await store.read { database in try Self.pages(following: shown, database) }
                    _ = Self.take(pages, of: followed, into: &outcomes)
                    open.removeAll { outcomes[$0] != nil }
                }
                guard !isShared else { break }
            }
        } catch {
            for index in open { outcomes[index] = .failure(error) }
        }
        return outcomes
    }

    /// Takes the pages that looks received; returns the looks without one.
    private static func take(
        _ pages: [Result<ChangePage?, any Error>],
        of looks: [Int],
        into outcomes: inout [Int: Result<ChangePage, any Error>]
    ) -> [Int] {
        zip(looks, pages).compactMap { look, page in
            switch page {
            case .success(nil): return look
            case .success(let page?): outcomes[look] = .success(page)
            case .failure(let error): outcomes[look] = .failure(error)
            }
            return nil
        }
    }

    /// What a read tells of looks, as of one moment.
    private struct Reading: Sendable {
        /// In the order of the looks; nil if the rows of a limited view must be brought up to date.
        let pages: [Result<ChangePage?, any Error>]
        /// What concerns such a view, by the index of its look.
        let found: [Int: FoundChanges]
    }

    /// Answers the open ones of many looks, as of one moment.
    private static func pages(
        of open: [Int],
        in looks: [ChangeLook],
        isShared: Bool,
        _ database: any SQLSession
    ) throws -> Reading {
        let (identity, forgotten) = try Self.state(database)
        let limited = open.compactMap { LimitedLook(looks[$0]) }
        let shared = try isShared || limited.count > 1 ? Self.shared(limited, database) : nil
        if isShared, shared == nil { return Reading(pages: open.map { _ in .success(nil) }, found: [:]) }
        var found: [Int: FoundChanges] = [:]
        var pages: [Result<ChangePage?, any Error>] = []
        for index in open {
            do {
                let answer = try page(looks[index], identity, forgotten, shared, isShared: isShared, database)
                if answer == nil, let shared, let look = LimitedLook(looks[index]) {
                    found[index] = try shared.found(of: look, identity)
                }
                pages.append(.success(answer))
            } catch {
                pages.append(.failure(error))
            }
        }
        return Reading(pages: pages, found: found)
    }

    /// The pages of views that were followed up to what a reader found; nil for those that changed since in a way that
    /// needs another look.
    private static func pages(
        following looks: [LimitedLook],
        _ database: any SQLSession
    ) throws -> [Result<ChangePage?, any Error>] {
        let (identity, forgotten) = try Self.state(database)
        let feed = try SharedFeed(looks, identity, database)
        return looks.map { look in Result { try page(look, feed, identity, forgotten, database) } }
    }

    private static func page(
        _ look: LimitedLook,
        _ feed: SharedFeed,
        _ identity: LibraryIdentity,
        _ forgotten: ChangeNumber,
        _ database: any SQLSession
    ) throws -> ChangePage? {
        let start = try start(look.position, identity, look.grantVersion, forgotten: forgotten)
        return try feed.page(of: look, after: start, database)?.enumerating(from: look.position, identity)
    }

    /// What many looks at limited views share; nil if something that changed is damaged, so that only the views that it
    /// concerns fail.
    private static func shared(_ looks: [LimitedLook], _ database: any SQLSession) throws -> SharedLook? {
        do {
            return try SharedLook(looks, database)
        } catch is RowDamage {
            return nil
        } catch is DecodingError {
            return nil
        }
    }

    /// The page that answers a look; nil if the rows of a limited view must be brought up to date for it, or if they must
    /// be read and only what is shared is asked for.
    private static func page(
        _ look: ChangeLook,
        _ identity: LibraryIdentity,
        _ forgotten: ChangeNumber,
        _ shared: SharedLook?,
        isShared: Bool,
        _ database: any SQLSession
    ) throws -> ChangePage? {
        let start = try start(look.position, identity, look.viewer.grantVersion, forgotten: forgotten)
        guard let limited = LimitedLook(look) else {
            return try page(after: start, identity, limit: look.limit, look.viewer, database)
                .enumerating(from: look.position, identity)
        }
        let (rows, version) = (limited.rows(database), limited.grantVersion)
        let state =
            try shared?.state(of: limited, since: start)
            ?? rows.state(at: identity.lastChange, since: start, grantVersion: version)
        let page: ChangePage
        switch state {
        case .behind: return nil
        case .current where isShared: return nil
        case .unchanged: page = rows.emptyPage(identity, grantVersion: version)
        case .current: page = try limited.page(after: start, of: rows, identity)
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

    /// The end of a viewer's feed, from which it may continue.
    ///
    /// A limited view is brought up to date first: what came before a token of it is never followed again.
    package func end(for viewer: ChangeViewer) async throws -> ChangePosition {
        let identity: LibraryIdentity
        switch viewer {
        case .everything: identity = try await self.identity()
        case .limited(let device, let selection, let version):
            identity = try await limited(to: selection, device, version) { _, latest, _ in latest }
        }
        return ChangePosition(epoch: identity.epoch, viewVersion: viewer.grantVersion, number: identity.lastChange)
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
            try await afterWriting([look], isInTurn: true) { _, _, _, _ in }[0].get()
        }
        throw StoreError(.unavailable, "Your view changes faster than it can be read: try again.")
    }

    /// The number after which a viewer asks.
    ///
    /// - Throws: `tokenExpired`.
    static func start(
        _ position: ChangePosition?,
        _ identity: LibraryIdentity,
        _ grantVersion: UInt64,
        forgotten: ChangeNumber
    ) throws -> ChangeNumber {
        guard let position else { return .zero }
        guard position.epoch == identity.epoch, position.viewVersion == grantVersion,
            position.number <= identity.lastChange, position.floor >= forgotten
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

    /// A change with the entity's data for the viewer; the asset is read unless it is passed.
    static func change(
        _ kind: EntityChange.Kind,
        _ entity: EntityReference,
        state: Data?,
        of asset: Asset? = nil,
        in view: LibraryView = .everything,
        _ database: any SQLSession
    ) throws -> EntityChange {
        guard kind != .removed else { return EntityChange(.removed, entity) }
        let bytes = try shown(state, of: entity, in: view, database).map { Base64Bytes($0) }
        return switch entity {
        case .asset(let id):
            EntityChange(
                kind,
                entity,
                asset: try (asset ?? AssetTable.fetch(id, database)).flatMap(view.shown),
                state: bytes
            )
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
            floor: start?.floor ?? identity.lastChange,
            departures: position.departures
        )
        return ChangePage(changes: changes, position: position, hasMore: hasMore)
    }
}

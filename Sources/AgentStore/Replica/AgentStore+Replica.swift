import FoundationEssentials
import GRDB
package import LibraryAPI
import Persistence
package import PhotoModel
package import Replication

// The box's replica of its view: changes received through the feed, and changes to push. Every call is one transaction,
// so that a page and its token, and a change and its counter, survive a power cut together or not at all.

extension AgentStore {
    /// This box's author, and its history; without one, the fresh incarnation begins.
    ///
    /// - Throws: `storage`.
    package func author(orBegin fresh: ReplicaID) throws -> ReplicaAuthor {
        try replica { try $0.author(orBegin: fresh) }
    }

    /// The position in the change feed; nil before the first page, and after the view was dropped.
    package func changeToken() throws -> ChangeToken? {
        try replica { try $0.cursor().token }
    }

    /// The position in the change feed, and its enumeration.
    package func feedPosition() throws -> ChangeFeedPosition {
        try replica { try $0.cursor().position }
    }

    /// Applies a page of the change feed, with its token; false if it belongs to another position than the requested
    /// one, or the current ``feedPosition()``, and was ignored.
    ///
    /// While waiting for a page the view may be dropped or re-enumerated; the page then no longer fits.
    ///
    /// - Throws: `damaged` for an unreadable state, `storage`; nothing of the page is applied then.
    @discardableResult
    package func apply(_ page: ChangeFeedPage, at position: ChangeFeedPosition? = nil) throws -> Bool {
        let gone: [EntityReference]? = try replica { rows in
            var cursor = try rows.cursor()
            guard position == nil || position == cursor.position else { return nil }
            var gone = page.changes.filter { $0.kind == .removed }.map(\.entity)
            for change in page.changes { try Self.take(change, cursor, rows) }
            cursor.token = page.end.token
            if cursor.isEnumerating, !page.end.hasMore {
                cursor.isEnumerating = false
                gone += try Self.sweep(before: cursor.generation, rows)
            }
            try rows.save(cursor)
            return gone
        }
        guard let gone else { return false }
        try noteViewChanged(without: gone)
        return true
    }

    /// Starts reading the view from the beginning; entities that it no longer contains are forgotten at the end, not
    /// before.
    package func beginEnumeration() throws {
        try replica { rows in
            var cursor = try rows.cursor()
            cursor.beginAnew()
            try rows.save(cursor)
        }
    }

    /// Forgets the view of a device that may no longer see it; pending local changes are kept.
    ///
    /// - Throws: `storage`.
    package func dropView() throws {
        let gone: [EntityReference] = try replica { rows in
            let isThere = "SELECT EXISTS (SELECT 1 FROM replica_entities WHERE NOT is_local)"
            guard try Bool.fetchOne(rows.database, sql: isThere) == true else { return [] }
            var cursor = try rows.cursor()
            cursor.beginAnew()
            try rows.save(cursor)
            return try Self.sweep(before: cursor.generation, rows)
        }
        guard !gone.isEmpty else { return }
        try noteViewChanged(without: gone)
    }

    /// Offers changes after the library's highest counter again that a library restored from a backup no longer has,
    /// and counts those pending again.
    ///
    /// The fresh incarnation begins if missing changes are no longer here; changes up to the watermark of the library's
    /// backup need not be kept.
    ///
    /// - Throws: `storage`.
    package func reconcile(
        _ acknowledged: UInt64,
        fresh: ReplicaID,
        watermark: ChangeNumber?,
        now: WallTime
    ) throws -> Int {
        try replica { rows in
            guard var author = try rows.author() else { return 0 }
            guard acknowledged < author.acknowledged.counter else {
                try Self.trim(watermark, now, rows)
                return 0
            }
            let incarnation = author.incarnation.replica.description
            let first = Int64(clamping: acknowledged)
            let reached = try Self.history(at: acknowledged, of: incarnation, rows)
            let kept = try Int64.fetchOne(
                rows.database,
                sql: """
                    SELECT count(*) FROM replica_changes WHERE incarnation = ? AND counter > ? AND state <> 'refused'
                    """,
                arguments: [incarnation, first]
            )
            try rows.database.execute(
                sql: """
                    UPDATE replica_changes SET state = 'pending', change_number = NULL
                    WHERE incarnation = ? AND counter > ? AND state = 'acknowledged'
                    """,
                arguments: [incarnation, first]
            )
            let count = rows.database.changesCount
            if let reached, kept == Int64(clamping: author.incarnation.counter &- acknowledged) {
                author.acknowledged = reached
                try rows.save(author)
            } else {
                // A counter that was refused, or is no longer here, is a gap that only a new incarnation can close.
                try Self.begin(fresh, rows)
            }
            return count
        }
    }

    /// Continues under a new incarnation after an old image of this box was restored: pending changes are rewritten
    /// under it, and the view is read from the beginning.
    package func beginIncarnation(_ fresh: ReplicaID) throws {
        try replica { try Self.begin(fresh, $0) }
    }

    /// Restamps pending changes for a library whose clock, in milliseconds since 1970, is behind their stamps.
    ///
    /// - Throws: `storage`.
    package func restamp(serverMilliseconds milliseconds: UInt64) throws {
        try replica { rows in
            guard var author = try rows.author() else { return }
            let waiting = try Self.waiting(rows)
            guard !waiting.isEmpty else { return }
            var state = ReplicaState()
            for entity in Set(waiting.map(\.entity)) {
                if let reference = EntityReference(entity), let known = try rows.state(of: reference) {
                    state.merge(known)
                }
            }
            let restamped = try state.restamp(waiting, clock: &author.clock, milliseconds: milliseconds)
            author.history = author.acknowledged
            try Self.rewrite(restamped, by: &author, rows)
        }
    }

    /// The numbers of pending and refused changes.
    package func changeCounts() throws -> (waiting: Int, refused: Int) {
        try replica { rows in
            func count(_ state: String) throws -> Int {
                try Int.fetchOne(
                    rows.database,
                    sql: "SELECT count(*) FROM replica_changes WHERE state = ?",
                    arguments: [state]
                ) ?? 0
            }
            return (try count("pending"), try count("refused"))
        }
    }

    /// Announces that the view changed; a device does not keep cached files of assets that it may no longer see.
    func noteViewChanged(without gone: [EntityReference]) throws {
        replicaChangeNotifier.ring()
        try cache.drop(Set(gone.compactMap { if case .asset(let id) = $0 { id } else { nil } }))
    }

    /// Runs a block with the replica's rows in one transaction.
    func replica<Value>(_ body: (ReplicaTable) throws -> Value) throws -> Value {
        do {
            return try database.write { database in
                let rows = ReplicaTable(database: database, postponed: ReplicaTable.Postponed())
                let value = try body(rows)
                try rows.showPostponed()
                return value
            }
        } catch let error as ReplicationError {
            throw AgentStoreError(.damaged, nil, "the replica: \(error)", cause: error)
        }
    }
}

// MARK: Implementation

extension AgentStore {
    private static func take(_ change: EntityChange, _ cursor: ReplicaCursor, _ rows: ReplicaTable) throws {
        guard change.kind != .removed else { return try rows.forget([change.entity]) }
        var base = try change.state.map { try ReplicaState(canonicalBytes: $0.bytes) } ?? ReplicaState()
        // An enumeration is authoritative; a later page may be older than local changes that the library has accepted
        // since.
        if !cursor.isEnumerating, let known = try rows.base(of: change.entity) { base.merge(known) }
        try rows.keep(base, of: change.entity, original: original(of: change), generation: cursor.generation)
    }

    /// The asset or album as the library tells it; nil if it does not.
    static func original(of change: EntityChange) throws -> Data? {
        try change.asset.map { try blob($0) } ?? change.album.map { try blob($0) }
    }

    /// Forgets entities that an enumeration did not contain, and returns them.
    private static func sweep(before generation: Int64, _ rows: ReplicaTable) throws -> [EntityReference] {
        let gone = try Row.fetchAll(
            rows.database,
            sql: "SELECT kind, first, second FROM replica_entities WHERE generation <> ? AND NOT is_local",
            arguments: [generation]
        ).map(ReplicaTable.entity)
        try rows.forget(gone)
        return gone
    }

    /// Drops acknowledged changes that are backed up, or older than any likely restore.
    private static func trim(_ watermark: ChangeNumber?, _ now: WallTime, _ rows: ReplicaTable) throws {
        let month: Int64 = 30 * 86_400 * 1_000_000
        try rows.database.execute(
            sql: """
                DELETE FROM replica_changes WHERE state = 'acknowledged'
                    AND iif(?1 IS NULL, made_at < ?2, change_number <= ?1)
                """,
            arguments: [watermark?.rawValue, now.microsecondsSince1970 - month]
        )
    }

    static func begin(_ fresh: ReplicaID, _ rows: ReplicaTable) throws {
        let waiting = try waiting(rows)
        let clock = try rows.author()?.clock
        var author = ReplicaAuthor(fresh, clock: clock ?? HybridLogicalClock())
        try rewrite(Reauthoring.reauthor(waiting, as: &author.incarnation), by: &author, rows)
        var cursor = try rows.cursor()
        cursor.beginAnew()
        try rows.save(cursor)
    }

    /// Replaces pending changes and stores their author.
    private static func rewrite(_ changes: [Change], by author: inout ReplicaAuthor, _ rows: ReplicaTable) throws {
        let times = try Int64.fetchAll(
            rows.database,
            sql: "SELECT made_at FROM replica_changes WHERE state = 'pending' ORDER BY sequence"
        )
        try rows.database.execute(sql: "DELETE FROM replica_changes WHERE state = 'pending'")
        for (change, time) in zip(changes, times) {
            try rows.append(change, by: &author, at: WallTime(microsecondsSince1970: time))
        }
        try rows.save(author)
        for entity in Set(changes.compactMap { EntityReference($0.entity) }) { try rows.show(entity) }
    }

    private static func waiting(_ rows: ReplicaTable) throws -> [Change] {
        try Data.fetchAll(
            rows.database,
            sql: "SELECT delta FROM replica_changes WHERE state = 'pending' ORDER BY sequence"
        ).flatMap { try Delta(encoded: Array($0)).changes }
    }

    /// The history up to a counter; nil if no longer kept.
    static func history(at counter: UInt64, of incarnation: String, _ rows: ReplicaTable) throws -> HistoryChain? {
        guard counter > 0 else {
            return UInt128(incarnation, radix: 16).map { HistoryChain(of: ReplicaID(rawValue: $0), hash: .sha256) }
        }
        return try Data.fetchOne(
            rows.database,
            sql: "SELECT chain FROM replica_changes WHERE incarnation = ? AND counter = ?",
            arguments: [incarnation, Int64(clamping: counter)]
        ).flatMap { HashValue(Array($0)) }.map { HistoryChain(counter: counter, hash: $0) }
    }
}

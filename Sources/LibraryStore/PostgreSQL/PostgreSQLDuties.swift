import FoundationEssentials
import LibraryAPI
import PhotoModel
import PostgreSQL
import Synchronization

/// The duties of servers that share a library, as rows, judged by the database's clock.
final class PostgreSQLDuties: LibraryDuties {
    private let store: PostgreSQLRowStore
    /// Whether several servers may work at once; otherwise one holds ``Duty/library``.
    private let isShared: Bool
    private let now: @Sendable () -> WallTime
    private let id = Int64.random(in: 1 ... .max)
    private let state = Mutex(State())

    private struct State {
        var joined: ServerDescription?
        /// How far this machine's clock is ahead of the database's, at least; nil until measured.
        var clockAhead: Duration?
        var hasLibrary = true
        /// Whether a newer program has migrated the schema since this one opened it.
        var isOutdated = false
    }

    /// The SQL condition that a server is alive, as of the statement.
    private static let isAlive =
        "server.seen > \(PostgreSQLDialect.now) - \(DutyTimes.silence.microseconds)"

    init(_ store: PostgreSQLRowStore, isShared: Bool, now: @escaping @Sendable () -> WallTime) {
        self.store = store
        self.isShared = isShared
        self.now = now
    }

    var server: Int64? { isShared ? id : nil }

    func join(_ server: ServerDescription) async throws {
        try await store.write([.library]) { [id, isShared] database in
            let known = try database.value(Data.self, "SELECT authority FROM library")
            guard known.map({ $0 == server.authority.blob }) ?? true else { throw DutyError.foreignAuthority }
            if known == nil { try database.execute("UPDATE library SET authority = ?", [server.authority.blob]) }
            // Its own folder is locked, so an earlier run there has ended.
            try database.execute("DELETE FROM server WHERE host = ? AND folder = ?", [server.host, server.folder])
            try Self.enter(id, server, database)
            guard !isShared, try !Self.take(.library, id, database) else { return }
            throw DutyError.taken(
                host: try database.value(
                    String.self,
                    "SELECT host FROM server JOIN duty ON duty.holder = server.id WHERE duty.name = ?",
                    [Duty.library.rawValue]
                ) ?? ""
            )
        }
        state.withLock { $0.joined = server }
    }

    func beat() async throws -> Duration {
        let (joined, measured) = state.withLock { ($0.joined, $0.clockAhead) }
        guard let joined else { return .zero }
        let before = now()
        let (time, hasLibrary, isOutdated) = try await store.write([]) { [id, isShared] database in
            // The clock as measured by the previous beat.
            try database.execute(
                "UPDATE server SET seen = \(PostgreSQLDialect.now), clock_ahead = ? WHERE id = ?",
                [measured?.microseconds, id]
            )
            // The others considered it dead, and removed its row.
            if try database.changesCount == 0 { try Self.enter(id, joined, database) }
            try Self.forgetSilent(database)
            if isShared {
                try Self.freeJobs("NOT EXISTS (SELECT 1 FROM server WHERE id = holder AND \(Self.isAlive))", database)
            }
            let time = try database.value(Int64.self, "SELECT \(PostgreSQLDialect.now)") ?? 0
            let migrationCount = try database.value(
                Int.self,
                "SELECT count(*) FROM schema_migrations WHERE number < ?",
                [SchemaMark.number]
            )
            return (
                time, try isShared || Self.take(.library, id, database),
                (migrationCount ?? 0) > PostgreSQLSchema.migrations.count
            )
        }
        let after = now()
        let middle = (before.microsecondsSince1970 + after.microsecondsSince1970) / 2
        let skew = Duration.microseconds(middle - WallTime(microsecondsSince1970: time).microsecondsSince1970)
        // A slow response does not count as a clock difference.
        let doubt = Duration.microseconds((after.microsecondsSince1970 - before.microsecondsSince1970) / 2)
        state.withLock { state in
            state.hasLibrary = hasLibrary
            state.isOutdated = isOutdated
            state.clockAhead = skew < .zero ? min(.zero, skew + doubt) : max(.zero, skew - doubt)
        }
        return skew
    }

    func leave() async throws {
        state.withLock { $0.joined = nil }
        try await store.write([]) { [id] database in
            try Self.freeJobs("holder = \(id)", database)
            try database.execute("DELETE FROM duty WHERE holder = ?", [id])
            try database.execute("DELETE FROM server WHERE id = ?", [id])
        }
    }

    func servers() async throws -> [ServerPresence] {
        try await store.read { database in
            try database.rows(
                """
                SELECT id, host, folder, version, seen, clock_ahead, CASE WHEN \(Self.isAlive) THEN 1 ELSE 0 END AS alive,
                    (SELECT string_agg(name, ' ' ORDER BY name) FROM duty WHERE holder = server.id AND \(Self.isAlive))
                        AS duties
                FROM server ORDER BY host, began, id
                """
            ).map { row in
                let clockAhead: Int64? = try row["clock_ahead"]
                let duties: String? = try row["duties"]
                return ServerPresence(
                    id: try row["id"],
                    host: try row["host"],
                    folder: try row["folder"],
                    version: try row["version"],
                    seen: WallTime(microsecondsSince1970: try row["seen"]),
                    isAlive: try row["alive"],
                    clockAhead: clockAhead.map { .microseconds($0) },
                    duties: (duties ?? "").split(separator: " ").compactMap { Duty(rawValue: String($0)) }
                )
            }
        }
    }

    func take(_ duty: Duty) async throws -> Bool {
        guard isShared else { return true }
        return try await store.write([]) { [id] database in try Self.take(duty, id, database) }
    }

    func giveBack(_ duty: Duty) async throws {
        try await store.write([]) { [id] database in
            try database.execute("DELETE FROM duty WHERE name = ? AND holder = ?", [duty.rawValue, id])
        }
    }

    func checkReadiness() throws {
        let (clockAhead, hasLibrary, isOutdated) = state.withLock { ($0.clockAhead, $0.hasLibrary, $0.isOutdated) }
        guard !isOutdated else {
            throw StoreError(
                .unavailable,
                "Another server runs a newer version, which changed the database's schema: upgrade this one."
            )
        }
        guard hasLibrary else { throw StoreError(.unavailable, "Another server has this library: stop one of them.") }
        let skew = clockAhead?.magnitude ?? .zero
        guard skew <= DutyTimes.refusedSkew else {
            throw StoreError(
                .unavailable,
                "This machine's clock differs from the database's by \(skew.components.seconds) s: synchronise both."
            )
        }
    }

    /// Makes jobs due again whose claiming server meets a condition.
    private static func freeJobs(_ condition: String, _ database: any SQLSession) throws {
        try database.execute("UPDATE job SET due = 0, is_leased = 0 WHERE is_leased = 1 AND \(condition)")
    }

    /// Removes the rows of servers that ended long ago without leaving.
    private static func forgetSilent(_ database: any SQLSession) throws {
        try database.execute(
            "DELETE FROM server WHERE seen < \(PostgreSQLDialect.now) - \(Duration.seconds(3600).microseconds)"
        )
    }

    private static func enter(_ id: Int64, _ server: ServerDescription, _ database: any SQLSession) throws {
        try database.execute(
            """
            INSERT INTO server (id, host, version, folder, began, seen)
            VALUES (?, ?, ?, ?, \(PostgreSQLDialect.now), \(PostgreSQLDialect.now))
            """,
            [id, server.host, server.version, server.folder]
        )
    }

    private static func take(_ duty: Duty, _ id: Int64, _ database: any SQLSession) throws -> Bool {
        try database.execute(
            """
            INSERT INTO duty (name, holder) VALUES (?, ?)
            ON CONFLICT (name) DO UPDATE SET holder = excluded.holder
            WHERE duty.holder = excluded.holder
                OR NOT EXISTS (SELECT 1 FROM server WHERE server.id = duty.holder AND \(isAlive))
            """,
            [duty.rawValue, id]
        )
        return try database.changesCount > 0
    }
}

extension Duration {
    fileprivate var microseconds: Int64 { Int64(self / .microseconds(1)) }

    fileprivate var magnitude: Duration { self < .zero ? .zero - self : self }
}

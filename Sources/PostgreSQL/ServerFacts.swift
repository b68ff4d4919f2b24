/// What a server reports when a connection is opened: whether it can keep what it confirms.
struct ServerFacts: Hashable, Sendable {
    /// The version, for example 150018 for 15.18.
    let version: Int64
    let encoding: String
    let fsync: String
    let fullPageWrites: String
    let synchronousCommit: String
    /// The value of `synchronous_standby_names`; empty for none.
    let standbys: String
    /// The first 8 digits of the current log file's name; empty on a standby.
    ///
    /// A change means that a standby took over.
    let timeline: String

    /// The oldest supported version.
    private static let oldest: Int64 = 15

    /// Asks the server.
    static func read(_ connection: PostgreSQLConnection) throws(PostgreSQLError) -> ServerFacts {
        let rows = try connection.execute(
            """
            SELECT current_setting('server_version_num')::int8, current_setting('server_encoding'),
                current_setting('fsync'), current_setting('full_page_writes'), current_setting('synchronous_commit'),
                current_setting('synchronous_standby_names'),
                CASE WHEN pg_is_in_recovery() THEN '' ELSE left(pg_walfile_name(pg_current_wal_lsn()), 8) END
            """
        )
        var texts: [String] = []
        for column in 1...6 {
            if case .text(let text) = try rows.value(0, column) { texts.append(text) }
        }
        guard case .integer(let version) = try rows.value(0, 0), texts.count == 6 else {
            throw PostgreSQLError(.damaged, "the server did not return its version and settings")
        }
        return ServerFacts(
            version: version,
            encoding: texts[0],
            fsync: texts[1],
            fullPageWrites: texts[2],
            synchronousCommit: texts[3],
            standbys: texts[4],
            timeline: texts[5]
        )
    }

    /// Refuses a server that could lose confirmed changes, or cannot store every text.
    ///
    /// - Throws: `unsuitable` with the setting's name and what to do; `unavailable` for a standby.
    func requireSuitable() throws(PostgreSQLError) {
        guard version >= Self.oldest * 10_000 else {
            throw unsuitable("the server is PostgreSQL \(version / 10_000): upgrade it to \(Self.oldest) or newer")
        }
        guard encoding == "UTF8" else {
            throw unsuitable("the database's encoding is \(encoding): create one with ENCODING 'UTF8'")
        }
        guard fsync == "on" else { throw unsuitable("fsync is \(fsync): set fsync = on") }
        guard fullPageWrites == "on" else {
            throw unsuitable("full_page_writes is \(fullPageWrites): set full_page_writes = on")
        }
        guard synchronousCommit != "off" else { throw unsuitable("synchronous_commit is off: set it to on") }
        guard standbys.isEmpty || synchronousCommit != "local" else {
            throw unsuitable(
                "synchronous_commit is local, so that a failover to \(standbys) loses changes: set it to on"
            )
        }
        guard !timeline.isEmpty else {
            throw PostgreSQLError(.unavailable, "the server is a standby, which accepts no changes")
        }
    }

    private func unsuitable(_ message: String) -> PostgreSQLError { PostgreSQLError(.unsuitable, message) }
}

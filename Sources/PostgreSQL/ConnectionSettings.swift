/// How connections are opened and used.
package struct ConnectionSettings: Sendable {
    /// The database's address.
    package private(set) var address: ServerAddress
    /// The schema in which unqualified names are looked up and created.
    package let schema: String
    /// The password; nil leaves it to libpq, which reads `PGPASSWORD` and the file that `PGPASSFILE` names.
    package var password: String?
    /// The number of connections, at least 2: one writes, the others read.
    package var connectionCount = 8
    /// Whether statements are prepared, and settings made, once per connection.
    ///
    /// Off behind a pooler that gives each transaction another connection, such as PgBouncer in transaction mode; settings are
    /// then made in every transaction.
    package var keepsSession = true
    /// Where to listen for and send notices, over one connection without a pooler; nil for nowhere.
    package var noticeAddress: ServerAddress?
    /// The longest wait for a row's or a table's lock, in seconds.
    package var lockSeconds = 5
    /// The longest time for one statement, in seconds.
    package var statementSeconds = 30
    /// The longest pause within a transaction, in seconds: a paused program must not hold its locks.
    ///
    /// Others write within 10 seconds of the pause.
    package var idleSeconds = 8

    /// Describes connections to a database with a schema: lower-case letters, digits and `_`, beginning with a letter,
    /// at most 63 characters.
    ///
    /// - Throws: `failed` for any other name.
    package init(_ address: ServerAddress, schema: String) throws(PostgreSQLError) {
        let isName = schema.utf8.allSatisfy { 0x61...0x7a ~= $0 || 0x30...0x39 ~= $0 || $0 == UInt8(ascii: "_") }
        guard isName, 1...63 ~= schema.utf8.count, let first = schema.utf8.first, 0x61...0x7a ~= first else {
            throw PostgreSQLError(.failed, "not a valid schema name: use lower-case letters, digits and _")
        }
        self.address = address
        self.schema = schema
        noticeAddress = address
    }

    /// The settings of the listening connection; nil for none.
    package var forNotices: ConnectionSettings? {
        guard let noticeAddress else { return nil }
        var settings = self
        settings.address = noticeAddress
        settings.keepsSession = true
        return settings
    }

    /// The connection parameters for libpq; the address overrides the first group, and the second group overrides the
    /// address.
    var parameters: [(keyword: String, value: String)] {
        var parameters = [
            ("connect_timeout", "5"), ("target_session_attrs", "read-write"), ("keepalives", "1"),
            ("keepalives_idle", "5"), ("keepalives_interval", "2"), ("keepalives_count", "3"),
            ("tcp_user_timeout", "10000"), ("fallback_application_name", "tintype"),
            // libpq parses an address given as the database's name.
            ("dbname", address.text), ("client_encoding", "UTF8"),
        ]
        if let password { parameters.append(("password", password)) }
        return parameters
    }

    /// What this program sets for its sessions, or for each transaction.
    private var assigned: [(name: String, value: String)] {
        [
            ("search_path", schema), ("lock_timeout", "\(lockSeconds)s"), ("statement_timeout", "\(statementSeconds)s"),
            ("idle_in_transaction_session_timeout", "\(idleSeconds)s"), ("timezone", "UTC"),
            ("client_min_messages", "error"), ("jit", "off"),
        ]
    }

    /// The settings of a session, or of one transaction.
    func assignments(_ command: String) -> String {
        assigned.map { "\(command) \($0.name) = '\($0.value)';" }.joined(separator: " ")
    }

    /// The settings of one transaction as one statement, which can be queued.
    var transactionAssignment: String {
        "SELECT " + assigned.map { "set_config('\($0.name)', '\($0.value)', true)" }.joined(separator: ", ")
    }
}

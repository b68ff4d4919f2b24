internal import CPostgreSQL

/// A database's address in libpq's form: `postgres://tintype@db.example/photos?sslmode=verify-full`, or `host=…
/// dbname=…`.
///
/// See https://www.postgresql.org/docs/current/libpq-connect.html. Several hosts may be named, with failover by libpq.
package struct ServerAddress: Hashable, Sendable, CustomStringConvertible {
    /// The text for libpq.
    let text: String
    /// The host, or the folder of its socket; empty for libpq's default.
    let host: String
    /// The name of the database; empty for the user's.
    let database: String
    /// The role; empty for the process's user.
    let user: String

    /// Parses an address.
    ///
    /// - Throws: `failed` with the problem, but never the text, which may contain a password; `denied` if it does,
    ///   because too many people can see settings.
    package init(_ text: String) throws(PostgreSQLError) {
        guard tt_postgresql_is_installed() == 1 else {
            throw PostgreSQLError(.unsuitable, "libpq is not installed: on Debian, apt install libpq5")
        }
        guard !text.utf8.contains(0), let options = unsafe PQconninfoParse(text, nil) else {
            throw PostgreSQLError(.failed, "not a database address: use postgres://user@host/database")
        }
        defer { unsafe PQconninfoFree(options) }
        var values: [String: String] = [:]
        var option = unsafe options
        while let keyword = unsafe option.pointee.keyword {
            if let value = unsafe option.pointee.val {
                unsafe values[String(cString: keyword)] = String(cString: value)
            }
            unsafe option += 1
        }
        guard values["password"] == nil, values["sslpassword"] == nil else {
            throw PostgreSQLError(.denied, "contains a password: put it into the file named by PGPASSFILE")
        }
        guard values["options"] == nil else {
            throw PostgreSQLError(.failed, "contains options: the server's settings are set by this program")
        }
        self.text = text
        host = values["host"] ?? values["hostaddr"] ?? ""
        database = values["dbname"] ?? ""
        user = values["user"] ?? ""
    }

    /// For messages: the database and its host, without anything secret.
    package var description: String {
        "database \(database.isEmpty ? "of the user" : database) on \(host.isEmpty ? "this machine" : host)"
    }
}

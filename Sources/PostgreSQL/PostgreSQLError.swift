/// Why PostgreSQL could not be used, or refused a statement.
package struct PostgreSQLError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of failure, which decides what callers do next.
    package enum Code: String, Sendable {
        /// The server cannot be reached, ended the connection, or accepts no writes. Nothing was committed.
        case unavailable
        /// The connection ended during `COMMIT`, and the server cannot tell whether it was committed.
        case unknownOutcome
        /// A conflict with another transaction: the whole transaction may be repeated.
        case conflict
        /// A lock or a statement took longer than the limit.
        case timeout
        /// A row with this key already exists.
        case uniqueViolation
        /// Login or permission refused, or no such database.
        case denied
        /// The server's certificate is not trusted, or a certificate file cannot be used.
        case untrusted
        /// The server, or one of its settings, cannot guarantee durability.
        case unsuitable
        /// The server's disk is full.
        case noSpace
        /// Stored data, or a value that was read, is not what it should be.
        case damaged
        /// Any other refusal, for example of a wrong statement.
        case failed
    }

    /// The kind of failure.
    package let code: Code
    /// The SQLSTATE of five characters, for example `40001`; empty if the server gave none.
    package let state: String
    /// What happened and what to do; never contains a password or a row's values.
    package let message: String

    init(_ code: Code, state: String = "", _ message: String) {
        self.code = code
        self.state = state
        self.message = message
    }

    /// For logs, for example `unavailable, 57P01: terminating connection due to administrator command`.
    package var description: String {
        "\(code.rawValue)\(state.isEmpty ? "" : ", \(state)"): \(message)"
    }

    /// Classifies a state, see https://www.postgresql.org/docs/current/errcodes-appendix.html.
    static func code(ofState state: String) -> Code {
        switch state {
        case "40001", "40P01": .conflict
        case "55P03", "57014": .timeout
        case "23505": .uniqueViolation
        case "53100": .noSpace
        // A server that became a standby, and a transaction that was idle for too long.
        case "25006", "25P03": .unavailable
        case "3D000", "3F000", "42501": .denied
        case "XX001", "XX002": .damaged
        default:
            switch state.prefix(2) {
            case "08", "53", "57", "58": .unavailable
            case "28": .denied
            default: .failed
            }
        }
    }
}

/// Why a server does not start, or cannot continue.
package struct ServerError: Error, Sendable, CustomStringConvertible {
    /// The kinds of failure.
    package enum Code: String, Sendable {
        /// There is no library at the path, or an incomplete one.
        case libraryMissing
        /// There is a library at the path already.
        case libraryExists
        /// The database with the library's rows cannot be reached.
        case databaseAway
        /// The store with the library's originals cannot be reached.
        case storeAway
        /// Another server already serves the library, which does not allow several.
        case libraryTaken
        /// A route has no row in the endpoint table.
        case routeWithoutRow
        /// An address or a socket cannot be listened on.
        case listening
    }

    /// The kind of failure.
    package let code: Code
    /// What happened and what to do.
    package let message: String
    /// The underlying error, if any.
    package let cause: (any Error)?

    package init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }

    /// The message with its cause.
    package var description: String { cause.map { "\(message) (\($0))" } ?? message }
}

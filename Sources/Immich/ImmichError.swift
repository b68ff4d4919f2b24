/// Why nothing can be had from an Immich server.
package struct ImmichError: Error, CustomStringConvertible {
    /// What kind of failure it is.
    package enum Code: Hashable, Sendable {
        /// There is no answer, or one that tells to come again later.
        case unreachable
        /// The key is not accepted.
        case notAllowed
        /// The answer is none of Immich's.
        case notUnderstood
        /// There is no key, or it is none.
        case noKey
    }

    /// What kind of failure it is.
    package let code: Code
    /// What happened.
    package let message: String
    /// What to do next.
    package let next: String

    /// Both in one line.
    package var description: String { "\(message); \(next)" }
}

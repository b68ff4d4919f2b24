/// Why an Immich server cannot be imported from.
package struct ImmichError: Error, CustomStringConvertible {
    /// What kind of failure it is.
    package enum Code: Hashable, Sendable {
        /// Immich does not answer, or asks to try again later.
        case unreachable
        /// The key was rejected.
        case notAllowed
        /// The answer does not come from Immich.
        case notUnderstood
        /// The key is missing or malformed.
        case noKey
    }

    /// What kind of failure it is.
    package let code: Code
    /// What happened.
    package let message: String
    /// What to do next.
    package let next: String

    /// Both in one line.
    package var description: String { "\(message.hasSuffix(".") ? message.dropLast() : message[...]); \(next)" }
}

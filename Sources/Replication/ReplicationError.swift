/// Why the replication code refused an operation.
package struct ReplicationError: Error, Equatable, Sendable, CustomStringConvertible {
    /// What went wrong, for code that reacts to it.
    package enum Code: Equatable, Sendable {
        /// The bytes do not follow the format; retrying is useless.
        case malformedBytes
        /// A size or a count exceeds this module's limit.
        case limitExceeded
        /// The stamp is too far ahead of the server's clock; the device re-stamps and sends again.
        case stampAhead(serverMilliseconds: UInt64)
        /// No later stamp exists; only a hostile or broken clock leads here.
        case stampExhausted
        /// The change breaks the merge rule of its field.
        case ruleViolated
        /// The change supersedes a write that its author cannot have seen, or that its field may not overwrite.
        case unknownWrite
        /// Only the library server may make this change.
        case serverOnly
        /// The counter or the chain hash does not continue this incarnation's known history.
        case historyForked
        /// The counter skips changes that were never received.
        case counterGap(expected: UInt64)
        /// The lower position is not below the upper one.
        case positionsUnordered
        /// No key of the permitted length fits in between; rewrite the album's positions.
        case positionsExhausted
    }

    /// What went wrong.
    package let code: Code
    /// What went wrong, in words.
    package let message: String
    /// The object concerned: an entity, a replica, a byte offset.
    package let subject: String

    package init(_ code: Code, _ message: String, subject: String = "") {
        self.code = code
        self.message = message
        self.subject = subject
    }

    /// The message with its subject.
    package var description: String { subject.isEmpty ? message : "\(message) (\(subject))" }

    static func malformed(_ message: String, at offset: Int) -> Self {
        Self(.malformedBytes, message, subject: "offset \(offset)")
    }
}

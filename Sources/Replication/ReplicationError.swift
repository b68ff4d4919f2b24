/// Why the replication code refused something.
package struct ReplicationError: Error, Equatable, Sendable, CustomStringConvertible {
    /// What went wrong, for code that decides what to do about it.
    package enum Code: Equatable, Sendable {
        /// The bytes are not what the format says; retrying them is of no use.
        case malformedBytes
        /// A size or a count is above the limit of this module.
        case limitExceeded
        /// The stamp lies too far ahead of the server's clock; the device re-stamps and sends again.
        case stampAhead(serverMilliseconds: UInt64)
        /// No later stamp exists; only a hostile or broken clock leads here.
        case stampExhausted
        /// The change breaks the merge rule of its field.
        case ruleViolated
        /// The change supersedes a write that its author cannot have seen, or that its field may not overwrite.
        case unknownWrite
        /// Only the library server may make this change.
        case serverOnly
        /// The counter or the chain hash does not follow on what is known of this incarnation.
        case historyForked
        /// The counter leaves out changes that were never received.
        case counterGap(expected: UInt64)
        /// The lower position is not below the upper one.
        case positionsUnordered
        /// No key of the permitted length lies between; the album's positions are written anew.
        case positionsExhausted
    }

    /// What went wrong.
    package let code: Code
    /// What went wrong, for people.
    package let message: String
    /// What it is about: an entity, a replica, a byte offset.
    package let subject: String

    /// Describes a refusal.
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

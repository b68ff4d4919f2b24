/// Why the box's identity cannot be used, and what to do.
package struct BoxIdentityError: Error, CustomStringConvertible {
    /// The kinds of failure.
    package enum Code: Hashable, Sendable {
        /// The box is not a device of a library yet: `tintype-agent enroll`.
        case notEnrolled
        /// A key is lost or damaged, or another user's.
        case storage
    }

    /// The kind of failure.
    package let code: Code
    /// What happened and what to do.
    package let description: String

    init(_ code: Code, _ description: String) {
        self.code = code
        self.description = description
    }
}

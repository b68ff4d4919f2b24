/// An authorization failure.
package struct AuthorizationError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What went wrong; determines the response's error code.
    package enum Code: String, Hashable, Sendable {
        /// More than is allowed.
        case tooLarge
        /// Only operators may do this.
        case operatorsOnly
        /// Too many requests are open.
        case slowDown
        /// The audit could not be written.
        case storageFull
        /// A usage text is missing or invalid.
        case usageMissing
    }

    /// What went wrong.
    package let code: Code
    /// The problem in words.
    package let message: String
    /// The object concerned, for example a device or a level; empty if obvious.
    package let subject: String

    package init(_ code: Code, _ message: String, about subject: String = "") {
        self.code = code
        self.message = message
        self.subject = subject
    }

    /// For example `slowDown: too many open requests`.
    package var description: String {
        subject.isEmpty ? "\(code.rawValue): \(message)" : "\(code.rawValue): \(message) (\(subject))"
    }
}

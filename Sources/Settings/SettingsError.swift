/// Why settings are unusable; the message names the key and what to write instead.
package struct SettingsError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kinds of failure.
    package enum Code: String, Sendable {
        /// A file cannot be read, or is not YAML.
        case fileUnreadable
        /// A key that no setting has.
        case unknownKey
        /// A value that the setting does not accept.
        case invalidValue
    }

    /// The kind of failure.
    package let code: Code
    /// The problem and what to do.
    package let description: String

    package init(_ code: Code, _ description: String) {
        self.code = code
        self.description = description
    }
}

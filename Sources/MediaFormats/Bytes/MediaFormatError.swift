/// Why bytes could not be parsed as a media format, or a value could not be written in one.
package struct MediaFormatError: Error, Hashable, Sendable {
    /// The kind of failure, for callers that react to it.
    package enum Code: String, Hashable, Sendable, CaseIterable {
        /// The bytes end before what they announce; ``MediaFormatError/offset`` is the first missing byte.
        case truncated
        /// The bytes are of a different format than requested.
        case unrecognizedFormat
        /// The bytes contradict their format.
        case malformed
        /// A size, count or depth is above what ``ParseLimits`` allows.
        case limitExceeded
        /// The format allows it, but this module does not read or write it.
        case unsupported
        /// A value does not fit its field.
        case unrepresentable
    }

    /// The kind of failure.
    package let code: Code
    /// What is wrong, in one clause without the offset; constant text, never bytes of the file.
    package let message: String
    /// Where in the input it was detected, counted from its beginning; nil if unknown.
    package let offset: Int?

    package init(_ code: Code, _ message: String, at offset: Int? = nil) {
        self.code = code
        self.message = message
        self.offset = offset
    }
}

extension MediaFormatError: CustomStringConvertible {
    /// One line: code, message and offset.
    package var description: String {
        guard let offset else { return "\(code.rawValue): \(message)" }
        return "\(code.rawValue): \(message) (at byte \(offset))"
    }
}

/// Why bytes could not be read as a media format, or a value could not be written as one.
package struct MediaFormatError: Error, Hashable, Sendable {
    /// The kind of failure, for callers that decide by it.
    package enum Code: String, Hashable, Sendable, CaseIterable {
        /// The bytes end before what they announce; ``MediaFormatError/offset`` is the first byte that is missing.
        case truncated
        /// The bytes are of another format than the one asked for.
        case unrecognizedFormat
        /// The bytes contradict their format.
        case malformed
        /// A size, count or depth is above what ``ParseLimits`` allows.
        case limitExceeded
        /// The format allows it, this module does not read or write it.
        case unsupported
        /// A value does not fit the field it should be written to.
        case unrepresentable
    }

    /// The kind of failure.
    package let code: Code
    /// What is wrong, in one clause without the place; constant text, never bytes of the file.
    package let message: String
    /// The byte of the input where it was noticed, counted from its beginning; nil where no place can be named.
    package let offset: Int?

    /// Describes one failure.
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

import PhotoModel

/// A reader of structured fields (RFC 9651) for the few header fields that the library uses.
///
/// The whole grammar of items, inner lists and dictionaries is read, so that unknown members are stepped over as the
/// specifications ask; what this module has no use for comes out as `.other`.
package enum StructuredField {
    /// A bare item.
    package enum Value: Hashable, Sendable {
        /// An integer of at most 15 digits.
        case integer(Int64)
        /// A truth value.
        case boolean(Bool)
        /// Bytes.
        case bytes([UInt8])
        /// Text in quotes.
        case string(String)
        /// A decimal, token, date, display string or inner list, which no field of ours holds.
        case other
    }

    /// The largest integer that a structured field holds (RFC 9651, section 3.3.1).
    package static let maximumInteger: Int64 = 999_999_999_999_999

    /// Reads an Item, whose parameters are allowed and dropped.
    ///
    /// - Parameter text: the field's value.
    /// - Returns: the bare item; nil for anything that is no Item.
    package static func item(_ text: String) -> Value? {
        var reader = StructuredFieldReader(text)
        reader.skipSpaces()
        guard let value = reader.item(), reader.isAtTrailingSpaces else { return nil }
        return value
    }

    /// Reads a Dictionary; of a repeated key the last member counts, as section 4.2.2 says.
    ///
    /// - Parameter text: the field's value, several fields of one name joined by commas.
    /// - Returns: the members without their parameters; nil for anything that is no Dictionary.
    package static func dictionary(_ text: String) -> [String: Value]? {
        var reader = StructuredFieldReader(text)
        reader.skipSpaces()
        guard !reader.isAtTrailingSpaces else { return [:] }
        var members: [String: Value] = [:]
        while true {
            guard let key = reader.key() else { return nil }
            if reader.take("=") {
                guard let value = reader.member() else { return nil }
                members[key] = value
            } else {
                guard reader.parameters() else { return nil }
                members[key] = .boolean(true)
            }
            if reader.isAtTrailingSpaces { return members }
            reader.skipWhitespace()
            guard reader.take(",") else { return nil }
            reader.skipWhitespace()
            if reader.isAtTrailingSpaces { return nil }
        }
    }

    /// Writes a truth value.
    package static func text(_ flag: Bool) -> String { flag ? "?1" : "?0" }

    /// Writes bytes.
    package static func text(_ bytes: [UInt8]) -> String { ":\(Base64.encode(bytes)):" }
}

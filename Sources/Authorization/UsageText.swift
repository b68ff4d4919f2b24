/// Why a device needs an access, in its owner's words.
///
/// Administrators read it when deciding, so it must not be blank.
package struct UsageText: Hashable, Sendable, Codable, CustomStringConvertible {
    /// The most characters.
    package static let maximumCharacterCount = 280

    /// The placeholder in the sample settings; left unchanged, it is refused.
    package static let template = "Say here why this device needs this access."

    /// The text.
    package let text: String

    /// Why a text is refused.
    package enum Problem: String, CaseIterable, Error, Hashable, Sendable {
        /// Missing or blank.
        case empty = "is empty"
        /// Longer than an administrator will read.
        case tooLong = "is longer than 280 characters"
        /// More than one line.
        case severalLines = "has more than one line"
        /// A control or formatting character, which could hide or reorder the text shown.
        case controlCharacter = "contains a control character"
        /// Still the placeholder.
        case template = "is still the template's text"
    }

    /// Validates a text.
    ///
    /// - Throws: the first problem found.
    package init(_ text: String) throws(Problem) {
        if let problem = Self.problem(in: text) { throw problem }
        self.text = text
    }

    /// The first problem of a text; nil if it is fine.
    package static func problem(in text: String) -> Problem? {
        // A character may consist of any number of scalars; the second bound limits the bytes.
        guard text.utf8.count <= 16 * maximumCharacterCount, text.count <= maximumCharacterCount else {
            return .tooLong
        }
        let scalars = text.unicodeScalars
        guard !scalars.allSatisfy(\.properties.isWhitespace) else { return .empty }
        guard !scalars.contains(where: \.breaksLine) else { return .severalLines }
        guard !scalars.contains(where: \.isInvisibleControl) else { return .controlCharacter }
        return words(text) == words(template) ? .template : nil
    }

    private static func words(_ text: String) -> [Substring] {
        text.lowercased().split { !$0.isLetter }
    }

    /// The text.
    package var description: String { text }

    /// Reads one string.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        if let problem = Self.problem(in: text) {
            throw DecodingError.dataCorruptedError(
                in: container,
                debugDescription: "the usage text \(problem.rawValue)"
            )
        }
        self.text = text
    }

    /// Writes one string.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}

extension Unicode.Scalar {
    /// Whether it ends a line (UAX #14: BK, CR, LF, NL).
    var breaksLine: Bool {
        switch value {
        case 0x0A...0x0D, 0x85, 0x2028, 0x2029: true
        default: false
        }
    }

    /// Whether it is a control or invisible formatting character, such as one that reverses the following text.
    var isInvisibleControl: Bool {
        switch properties.generalCategory {
        case .control, .format, .surrogate, .privateUse, .unassigned: true
        default: false
        }
    }
}

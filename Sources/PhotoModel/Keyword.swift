/// A word or phrase that a person or program assigned to an asset.
///
/// Two keywords are equal if their texts are canonically equivalent (Unicode, UAX #15), so NFC and NFD variants are
/// one.
public struct Keyword: Hashable, Comparable, Sendable, Codable, CustomStringConvertible {
    /// The longest keyword, in bytes of UTF-8.
    public static let maximumByteCount = 256

    /// The text, without surrounding white space.
    public let text: String

    /// Takes a text; nil if it is empty, too long, or contains control characters.
    public init?(_ text: String) {
        guard let text = SingleLineText.trimmed(text), text.utf8.count <= Self.maximumByteCount else { return nil }
        self.text = text
    }

    /// The text.
    public var description: String { text }

    /// Orders like Swift strings: by Unicode scalars of the canonical form, the same on every machine.
    public static func < (left: Keyword, right: Keyword) -> Bool { left.text < right.text }

    /// Decodes a single string by the same rules.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let keyword = Keyword(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(
                in: container,
                debugDescription:
                    "a keyword is one line of 1 to \(Self.maximumByteCount) bytes without control characters"
            )
        }
        self = keyword
    }

    /// Encodes a single string.
    public func encode(to encoder: any Encoder) throws {
        try text.encode(to: encoder)
    }
}

/// Text that people read on one line: keywords, titles, names.
enum SingleLineText {
    /// The text without surrounding white space; nil if nothing is left or it contains a control character.
    static func trimmed(_ text: String) -> String? {
        // The general category Cc (Unicode Standard, table 4-4), which never changes.
        guard !text.unicodeScalars.contains(where: { $0.value < 0x20 || 0x7F...0x9F ~= $0.value }) else { return nil }
        let start = text.firstIndex { !$0.isWhitespace }
        let end = text.lastIndex { !$0.isWhitespace }
        guard let start, let end else { return nil }
        return String(text[start...end])
    }
}

/// A rating of 0 (unrated) to 5 stars.
public struct Rating: RawRepresentable, Hashable, Comparable, Sendable, Codable {
    /// Not rated.
    public static let unrated = Rating(uncheckedStars: 0)

    /// The number of stars, 0 to 5.
    public let rawValue: Int

    /// Takes 0 to 5 stars; nil for any other number.
    public init?(rawValue: Int) {
        guard 0...5 ~= rawValue else { return nil }
        self.rawValue = rawValue
    }

    private init(uncheckedStars: Int) {
        rawValue = uncheckedStars
    }

    /// Orders by stars.
    public static func < (left: Rating, right: Rating) -> Bool { left.rawValue < right.rawValue }
}

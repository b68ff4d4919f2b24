import PhotoModel

/// Opaque state of the library as one viewer sees it; what a device hands back to be told what came after.
package struct ChangeToken: Hashable, Sendable, Codable, CustomStringConvertible {
    /// The text, which only the server reads.
    package let text: String

    /// Takes a token as it came.
    package init(text: String) { self.text = text }

    /// The text.
    package var description: String { text }

    /// Reads one string.
    package init(from decoder: any Decoder) throws {
        text = try decoder.singleValueContainer().decode(String.self)
    }

    /// Writes one string.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}

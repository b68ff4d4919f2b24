import PhotoModel

/// The opaque state of the library as one viewer sees it; a device hands it back to get later changes.
package struct ChangeToken: Hashable, Sendable, Codable, CustomStringConvertible {
    /// The text, opaque to everybody but the server.
    package let text: String

    package init(text: String) { self.text = text }

    /// The text.
    package var description: String { text }

    /// Decodes a single string.
    package init(from decoder: any Decoder) throws {
        text = try decoder.singleValueContainer().decode(String.self)
    }

    /// Encodes a single string.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}

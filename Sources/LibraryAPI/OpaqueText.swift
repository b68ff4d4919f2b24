/// Text that only the server understands; everybody else keeps it and hands it back.
package protocol OpaqueText: Hashable, Sendable, Codable, CustomStringConvertible {
    /// The text.
    var text: String { get }

    /// Wraps a text of the server.
    init(text: String)
}

extension OpaqueText {
    /// The text.
    package var description: String { text }

    /// Decodes a single string.
    package init(from decoder: any Decoder) throws {
        self.init(text: try decoder.singleValueContainer().decode(String.self))
    }

    /// Encodes a single string.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}

import PhotoModel

/// Bytes encoded as a single base 64 string in JSON.
package struct Base64Bytes: Hashable, Sendable, Codable {
    /// The bytes.
    package let bytes: [UInt8]

    package init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Decodes base 64 from a single string.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let bytes = Base64.decode(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "not base 64 with padding")
        }
        self.bytes = bytes
    }

    /// Encodes base 64 as a single string.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(Base64.encode(bytes))
    }
}

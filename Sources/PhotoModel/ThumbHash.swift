/// A placeholder of a picture in at most 25 bytes: its average colour and lowest frequencies.
///
/// The format is ThumbHash (https://evanw.github.io/thumbhash/). Text and JSON hold it in base 64.
public struct ThumbHash: Hashable, Sendable, Codable, CustomStringConvertible {
    /// The minimum and maximum length.
    public static let byteCounts = 5...25
    /// The bytes.
    public let bytes: [UInt8]

    /// Takes bytes; nil for an invalid length.
    public init?(bytes: [UInt8]) {
        guard Self.byteCounts ~= bytes.count else { return nil }
        self.bytes = bytes
    }

    /// The bytes in base 64.
    public var description: String { Base64.encode(bytes) }

    /// Decodes base 64 from a single string.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let bytes = Base64.decode(try container.decode(String.self)), let hash = ThumbHash(bytes: bytes) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "not a ThumbHash in base 64")
        }
        self = hash
    }

    /// Encodes base 64 as a single string.
    public func encode(to encoder: any Encoder) throws {
        try description.encode(to: encoder)
    }
}

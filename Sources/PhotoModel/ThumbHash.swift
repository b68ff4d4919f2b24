/// A placeholder of a picture in at most 25 bytes: its average colour and the lowest frequencies of its light and colour.
///
/// The format is ThumbHash (https://evanw.github.io/thumbhash/). Texts and JSON hold it in base 64.
public struct ThumbHash: Hashable, Sendable, Codable, CustomStringConvertible {
    /// The fewest and the most bytes that a placeholder has.
    public static let byteCounts = 5...25
    /// The bytes.
    public let bytes: [UInt8]

    /// Takes bytes; nil for a count that no placeholder has.
    public init?(bytes: [UInt8]) {
        guard Self.byteCounts ~= bytes.count else { return nil }
        self.bytes = bytes
    }

    /// The bytes in base 64.
    public var description: String { Base64.encode(bytes) }

    /// Reads base 64 from one string.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let bytes = Base64.decode(try container.decode(String.self)), let hash = ThumbHash(bytes: bytes) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "not a ThumbHash in base 64")
        }
        self = hash
    }

    /// Writes base 64 as one string.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}

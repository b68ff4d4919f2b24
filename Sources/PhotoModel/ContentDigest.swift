/// The SHA-256 (FIPS 180-4) of a resource's bytes, which also names it in storage.
///
/// The value only holds the digest; hashing is done where the bytes are streamed.
public struct ContentDigest: Hashable, Comparable, Sendable, Codable, CustomStringConvertible,
    LosslessStringConvertible
{
    /// The number of bytes of every digest.
    public static let byteCount = 32

    /// The 32 bytes.
    public let bytes: [UInt8]

    /// Takes 32 bytes; nil for any other count.
    public init?(bytes: some Collection<UInt8>) {
        guard bytes.count == Self.byteCount else { return nil }
        self.bytes = Array(bytes)
    }

    /// Parses 64 hexadecimal digits in either case; nil for anything else.
    public init?(_ description: String) {
        guard let bytes = HexadecimalText.bytes(description), bytes.count == Self.byteCount else { return nil }
        self.bytes = bytes
    }

    /// 64 lower-case hexadecimal digits.
    public var description: String { HexadecimalText.text(bytes) }

    /// Orders byte by byte.
    public static func < (left: ContentDigest, right: ContentDigest) -> Bool {
        left.bytes.lexicographicallyPrecedes(right.bytes)
    }

    /// Decodes the hexadecimal form from a single string.
    public init(from decoder: any Decoder) throws {
        self = try decoder.value(fromText: "a SHA-256 in hexadecimal") { ContentDigest($0) }
    }

    /// Encodes the hexadecimal form as a single string.
    public func encode(to encoder: any Encoder) throws {
        try description.encode(to: encoder)
    }
}

import Crypto

/// The SHA-256 of a public key (its SubjectPublicKeyInfo), of a whole certificate or of a signing request, in DER.
///
/// People compare and type it; devices pin the authority's with it, and administrators name a pending device by the
/// first characters of its key's.
package struct Fingerprint: Hashable, Sendable, Codable, CustomStringConvertible, LosslessStringConvertible {
    /// The number of bytes of every fingerprint.
    package static let byteCount = 32

    /// The 32 bytes.
    package let bytes: [UInt8]

    /// Takes 32 bytes; nil for any other count.
    package init?(bytes: some Collection<UInt8>) {
        guard bytes.count == Self.byteCount else { return nil }
        self.bytes = Array(bytes)
    }

    /// The fingerprint of these bytes.
    package init(hashing bytes: some Sequence<UInt8>) {
        self.bytes = Array(SHA256.hash(data: Array(bytes)))
    }

    /// Reads 64 hexadecimal digits in either case, with or without the colons that `openssl x509 -fingerprint` writes.
    package init?(_ description: String) {
        guard description.utf8.count <= 3 * Self.byteCount else { return nil }
        let digits = description.filter { $0 != ":" }
        guard digits.utf8.count == 2 * Self.byteCount else { return nil }
        var bytes: [UInt8] = []
        var rest = Substring(digits)
        while !rest.isEmpty {
            guard rest.prefix(2).allSatisfy(\.isHexDigit), let byte = UInt8(rest.prefix(2), radix: 16) else {
                return nil
            }
            bytes.append(byte)
            rest = rest.dropFirst(2)
        }
        self.init(bytes: bytes)
    }

    /// 64 lower-case hexadecimal digits.
    package var description: String {
        bytes.map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
    }

    /// Reads the hexadecimal form from one string.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let fingerprint = Fingerprint(text) else {
            throw DecodingError.dataCorruptedError(
                in: container,
                debugDescription: "not a SHA-256 fingerprint: \(text.prefix(100))"
            )
        }
        self = fingerprint
    }

    /// Writes the hexadecimal form as one string.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}

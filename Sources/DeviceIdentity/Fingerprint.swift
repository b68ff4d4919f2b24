import Crypto
package import PhotoModel

/// The SHA-256 of a public key (its SubjectPublicKeyInfo), of a whole certificate or of a signing request, in DER.
///
/// People compare and type it; devices pin the authority by it, and administrators identify a pending device by the
/// first characters of its key's.
package struct Fingerprint: Hashable, Sendable, Codable, CustomStringConvertible, LosslessStringConvertible {
    /// The SHA-256.
    package let digest: ContentDigest

    package init(_ digest: ContentDigest) {
        self.digest = digest
    }

    /// The fingerprint of these bytes.
    package init(hashing bytes: some Sequence<UInt8>) {
        guard let digest = ContentDigest(bytes: Array(SHA256.hash(data: Array(bytes)))) else {
            preconditionFailure("a SHA-256 has \(ContentDigest.byteCount) bytes")
        }
        self.digest = digest
    }

    /// The 32 bytes.
    package var bytes: [UInt8] { digest.bytes }

    /// Parses 64 hexadecimal digits in either case, with or without the colons that `openssl x509 -fingerprint` writes.
    package init?(_ description: String) {
        guard description.utf8.count <= 3 * ContentDigest.byteCount,
            let digest = ContentDigest(description.filter { $0 != ":" })
        else { return nil }
        self.digest = digest
    }

    /// 64 lower-case hexadecimal digits.
    package var description: String { digest.description }

    /// Decodes the hexadecimal form from a single string.
    package init(from decoder: any Decoder) throws {
        self = try decoder.value(fromText: "a SHA-256 fingerprint") { Fingerprint($0) }
    }

    /// Encodes the hexadecimal form as a single string.
    package func encode(to encoder: any Encoder) throws {
        try description.encode(to: encoder)
    }
}

import Crypto
import PhotoModel

/// The token an administrator hands to a box: the authority to pin, and a secret that admits it.
///
/// Its text is `TT1.<fingerprint>.<secret>`: 64 and 32 hexadecimal digits. The server stores only the secret's digest.
package struct EnrollmentToken: Hashable, Sendable, CustomStringConvertible, LosslessStringConvertible {
    /// The number of bytes of the secret.
    package static let secretByteCount = 16

    /// The authority to pin.
    package let authority: Fingerprint
    /// The secret, 16 random bytes.
    package let secret: [UInt8]

    /// A new token with a random secret.
    package init(authority: Fingerprint, using generator: inout some RandomNumberGenerator) {
        self.authority = authority
        secret = (0..<Self.secretByteCount).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }

    /// Parses the text; nil for anything else.
    package init?(_ description: String) {
        let parts =
            description.utf8.count <= 128
            ? description.split(separator: ".", omittingEmptySubsequences: false).map(String.init) : []
        guard parts.count == 3, parts[0] == Self.version, let authority = Fingerprint(parts[1]),
            let secret = Self.secret(parts[2])
        else { return nil }
        self.authority = authority
        self.secret = secret
    }

    /// Parses a bare secret, 32 hexadecimal digits; nil for anything else.
    package static func secret(_ text: String) -> [UInt8]? {
        guard text.utf8.count == 2 * secretByteCount else { return nil }
        return HexadecimalText.bytes(text)
    }

    /// The digest of a secret, which the server stores.
    package static func digest(of secret: [UInt8]) -> Fingerprint { Fingerprint(hashing: secret) }

    /// The text to hand over, itself a secret.
    package var description: String { "\(Self.version).\(authority).\(HexadecimalText.text(secret))" }

    private static let version = "TT1"
}

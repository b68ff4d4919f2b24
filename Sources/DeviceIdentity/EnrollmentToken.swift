import Crypto

/// What an administrator hands to a box: which authority to pin, and a secret that admits it.
///
/// Its text is `TT1.<fingerprint>.<secret>`: 64 and 32 hexadecimal digits. The server keeps the digest of the secret
/// only.
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

    /// Reads the text; nil for anything else.
    package init?(_ description: String) {
        let parts =
            description.utf8.count <= 128 ? description.split(separator: ".", omittingEmptySubsequences: false) : []
        guard parts.count == 3, parts[0] == Self.version, let authority = Fingerprint(String(parts[1])),
            parts[2].utf8.count == 2 * Self.secretByteCount, parts[2].allSatisfy(\.isHexDigit),
            let bits = UInt128(parts[2], radix: 16)
        else { return nil }
        self.authority = authority
        secret = (0..<Self.secretByteCount).map { UInt8(truncatingIfNeeded: bits >> UInt128(8 * (15 - $0))) }
    }

    /// The text to hand over; it is a secret.
    package var description: String {
        let digits = secret.map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
        return "\(Self.version).\(authority).\(digits)"
    }

    /// What the server keeps: the SHA-256 of the secret, in hexadecimal.
    package var secretDigest: String { Fingerprint(hashing: secret).description }

    private static let version = "TT1"
}

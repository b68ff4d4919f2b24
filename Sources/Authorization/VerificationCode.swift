package import PhotoModel

/// The short code shown both on a box and in the administrator's inbox, so that the right box is approved.
///
/// Eight letters without vowels, so that it spells no words and no letter is mistaken for a digit (RFC 8628, section
/// 6.1).
package struct VerificationCode: Hashable, Sendable, CustomStringConvertible {
    private static let alphabet = Array("BCDFGHJKLMNPQRSTVWXZ")
    private static let letterCount = 8

    /// Two groups of four letters, for example `WDJB-MJHT`.
    package let description: String

    /// The code for a digest of `input(fingerprint:nonce:)`.
    package init(digest: ContentDigest) {
        var number = UInt64(bigEndianBytes: digest.bytes.prefix(8))
        var letters = ""
        for position in 0..<Self.letterCount {
            if position == Self.letterCount / 2 { letters.append("-") }
            letters.append(Self.alphabet[Int(number % UInt64(Self.alphabet.count))])
            number /= UInt64(Self.alphabet.count)
        }
        description = letters
    }

    /// The input of the SHA-256, different for every pair: a tag, the fingerprint of the device's public key, and all
    /// bytes of the server's nonce for this enrolment.
    package static func input(fingerprint: ContentDigest, nonce: [UInt8]) -> [UInt8] {
        Array("tintype verification code 1\n".utf8) + fingerprint.bytes + nonce
    }

    /// Whether a person typed this code, with or without the dash, in upper or lower case.
    package func matches(typed text: String) -> Bool {
        func letters(_ text: String) -> String { text.uppercased().filter { $0 != "-" && $0 != " " } }
        return letters(text) == letters(description)
    }
}

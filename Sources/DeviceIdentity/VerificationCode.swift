import Crypto

/// The short code that a pending device and its administrator both see, so that the right box is approved.
///
/// Eight letters out of 20 without vowels, as RFC 8628, section 6.1, advises (34.5 bits): from the device's key and the
/// server's nonce, so that neither side chooses it alone.
package struct VerificationCode: Hashable, Sendable, CustomStringConvertible {
    private static let alphabet = Array("BCDFGHJKLMNPQRSTVWXZ")
    private static let letterCount = 8
    private static let purpose = Array("tintype verification code 1".utf8)

    /// Two groups of four letters, for example `WDJB-MJHT`.
    package let description: String

    /// The code of a key under a nonce.
    package init(key: Fingerprint, nonce: [UInt8]) {
        var letters: [Character] = []
        var round: UInt8 = 0
        while letters.count < Self.letterCount {
            let block = SHA256.hash(data: Self.purpose + [round] + key.bytes + nonce)
            // Values from 240 on would make the first letters likelier than the others.
            letters += block.filter { $0 < 240 }.map { Self.alphabet[Int($0) % Self.alphabet.count] }
            round &+= 1
        }
        description = String(letters[0..<4]) + "-" + String(letters[4..<8])
    }

    /// Whether a person typed this code: dashes, spaces and case do not matter.
    package func matches(typed text: String) -> Bool {
        let typed = text.uppercased().filter { !$0.isWhitespace && $0 != "-" }
        return typed == description.filter { $0 != "-" }
    }
}

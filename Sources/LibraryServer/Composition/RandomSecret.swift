import PhotoModel

/// Fresh secrets of 128 random bits.
enum RandomSecret {
    /// The bytes.
    static func bytes() -> [UInt8] { (0..<16).map { _ in UInt8.random(in: .min ... .max) } }

    /// In hexadecimal.
    static func text() -> String { HexadecimalText.text(bytes()) }
}

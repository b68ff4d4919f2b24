/// The text form of a UUID (RFC 9562, section 4) without Foundation, since values import no package.
enum UUIDText {
    /// Parses 36 characters; nil for any other length, an invalid digit or a missing dash.
    static func bits(_ text: String.UTF8View) -> UInt128? {
        guard text.count == 36 else { return nil }
        var bits: UInt128 = 0
        for (position, character) in text.enumerated() {
            if position == 8 || position == 13 || position == 18 || position == 23 {
                guard character == UInt8(ascii: "-") else { return nil }
            } else {
                guard let digit = HexadecimalText.digit(character) else { return nil }
                bits = bits << 4 | UInt128(digit)
            }
        }
        return bits
    }

    /// Formats the 36 characters in lower case.
    static func text(_ bits: UInt128) -> String {
        var text: [UInt8] = []
        text.reserveCapacity(36)
        for nibble in 0..<32 {
            if nibble == 8 || nibble == 12 || nibble == 16 || nibble == 20 { text.append(UInt8(ascii: "-")) }
            text.append(HexadecimalText.character(UInt8(truncatingIfNeeded: bits >> UInt128(4 * (31 - nibble)) & 0xF)))
        }
        return String(decoding: text, as: UTF8.self)
    }
}

/// The text form of a UUID (RFC 9562, section 4) without Foundation, since values import no package.
enum UUIDText {
    private static let dashes: Set<Int> = [8, 13, 18, 23]

    /// Reads 36 characters; nil for any other length, a digit out of place or a dash missing.
    static func bits(_ text: String.UTF8View) -> UInt128? {
        guard text.count == 36 else { return nil }
        var bits: UInt128 = 0
        for (position, character) in text.enumerated() {
            if dashes.contains(position) {
                guard character == UInt8(ascii: "-") else { return nil }
            } else {
                guard let digit = HexadecimalText.digit(character) else { return nil }
                bits = bits << 4 | UInt128(digit)
            }
        }
        return bits
    }

    /// Writes the 36 characters in lower case.
    static func text(_ bits: UInt128) -> String {
        var text = ""
        text.reserveCapacity(36)
        for nibble in 0..<32 {
            if [8, 12, 16, 20].contains(nibble) { text.append("-") }
            text.append(HexadecimalText.character(UInt8(truncatingIfNeeded: bits >> UInt128(4 * (31 - nibble)) & 0xF)))
        }
        return text
    }
}

/// Hexadecimal digits, as digests and identifiers are written.
enum HexadecimalText {
    /// The value of one digit, in either case.
    static func digit(_ character: UInt8) -> UInt8? {
        switch character {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): character - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): character - UInt8(ascii: "A") + 10
        default: nil
        }
    }

    /// The lower-case digit of a value below 16.
    static func character(_ value: UInt8) -> Character {
        Character(Unicode.Scalar(value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10))
    }

    /// Writes bytes, two digits each.
    static func text(_ bytes: some Sequence<UInt8>) -> String {
        var text = ""
        for byte in bytes {
            text.append(character(byte >> 4))
            text.append(character(byte & 0xF))
        }
        return text
    }
}

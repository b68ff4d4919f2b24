/// Hexadecimal digits, as digests and identifiers are written.
package enum HexadecimalText {
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
    package static func text(_ bytes: some Sequence<UInt8>) -> String {
        var text = ""
        for byte in bytes {
            text.append(character(byte >> 4))
            text.append(character(byte & 0xF))
        }
        return text
    }

    /// Reads pairs of digits; nil for an odd count or anything that is no digit.
    package static func bytes(_ text: String) -> [UInt8]? {
        let digits = text.utf8.map(digit)
        guard digits.count.isMultiple(of: 2) else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(digits.count / 2)
        for position in stride(from: 0, to: digits.count, by: 2) {
            guard let high = digits[position], let low = digits[position + 1] else { return nil }
            bytes.append(high << 4 | low)
        }
        return bytes
    }
}

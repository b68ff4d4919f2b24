/// Hexadecimal encoding of digests and identifiers.
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

    /// The lower-case digit of a value below 16, as ASCII.
    static func character(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
    }

    /// Encodes bytes, two digits each.
    package static func text(_ bytes: some Sequence<UInt8>) -> String {
        var text: [UInt8] = []
        text.reserveCapacity(2 * bytes.underestimatedCount)
        for byte in bytes {
            text.append(character(byte >> 4))
            text.append(character(byte & 0xF))
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Decodes pairs of digits; nil for an odd count or anything but digits.
    package static func bytes(_ text: String) -> [UInt8]? {
        var digits = text.utf8.makeIterator()
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count / 2)
        while let first = digits.next() {
            guard let second = digits.next(), let high = digit(first), let low = digit(second) else { return nil }
            bytes.append(high << 4 | low)
        }
        return bytes
    }
}

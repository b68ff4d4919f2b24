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

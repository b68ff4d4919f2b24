import PhotoModel

/// Four bytes that name a box, a brand, a handler or a codec (ISO/IEC 14496-12, 4.2; QuickTime writes 0xA9 for `©`).
package struct FourCharacterCode: RawRepresentable, Hashable, Sendable {
    /// The bytes as a big-endian number.
    package let rawValue: UInt32

    package init(rawValue: UInt32) {
        self.rawValue = rawValue
    }
}

extension FourCharacterCode {
    /// The bytes in order.
    private var bytes: [UInt8] { rawValue.bigEndianBytes }

    /// Whether all four are printable ASCII, or the `©` that starts QuickTime's user data types.
    package var isPrintable: Bool {
        bytes.allSatisfy { (0x20...0x7E).contains($0) || $0 == 0xA9 }
    }
}

extension FourCharacterCode: ExpressibleByStringLiteral {
    /// Takes four characters of Latin 1, as in `"moov"` or `"©xyz"`.
    package init(stringLiteral value: StaticString) {
        var number: UInt32 = 0
        var count = 0
        for scalar in value.description.unicodeScalars {
            precondition(scalar.value <= 0xFF, "a four-character code is written in Latin 1")
            number = number << 8 | scalar.value
            count += 1
        }
        precondition(count == 4, "a four-character code has four characters")
        self.init(rawValue: number)
    }
}

extension FourCharacterCode: CustomStringConvertible {
    /// The four characters, with a question mark for each that is not printable Latin 1.
    package var description: String {
        var text = ""
        for byte in bytes {
            let isPrintable = (0x20...0x7E).contains(byte) || byte >= 0xA1
            text.unicodeScalars.append(isPrintable ? Unicode.Scalar(byte) : "?")
        }
        return text
    }
}

/// Names a device for good: 128 random bits that the server makes, whatever happens to the device's keys.
///
/// People read and type it, so its text is Crockford's base 32 (no I, L, O, U; read in either case, with I and L as 1
/// and O as 0), followed by two check digits (ISO/IEC 7064, MOD 97-10), in four groups of seven.
public struct DeviceID: Hashable, Comparable, Sendable, RawRepresentable {
    /// The 128 bits.
    public let rawValue: UInt128

    /// Wraps the bits as they are.
    public init(rawValue: UInt128) { self.rawValue = rawValue }

    /// A new random identifier.
    public static func random(using generator: inout some RandomNumberGenerator) -> DeviceID {
        DeviceID(rawValue: UInt128(generator.next()) << 64 | UInt128(generator.next()))
    }

    /// Orders by the bits.
    public static func < (left: DeviceID, right: DeviceID) -> Bool { left.rawValue < right.rawValue }
}

extension DeviceID: CustomStringConvertible, LosslessStringConvertible {
    private static let alphabet = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ".utf8)
    private static let dataCharacters = 26

    /// Four groups of seven characters.
    public var description: String {
        var characters = (0..<Self.dataCharacters).map { position in
            Self.alphabet[Int(truncatingIfNeeded: rawValue >> UInt128(5 * (Self.dataCharacters - 1 - position)) & 31)]
        }
        characters += Self.checkDigits(of: rawValue)
        let groups = stride(from: 0, to: characters.count, by: 7).map { start in
            String(decoding: characters[start..<start + 7], as: UTF8.self)
        }
        return groups.joined(separator: "-")
    }

    /// Reads the text with or without its dashes; nil for a wrong length, character or check digit.
    public init?(_ description: String) {
        let characters = description.utf8.filter { $0 != UInt8(ascii: "-") }
        guard characters.count == Self.dataCharacters + 2, description.utf8.count <= 64 else { return nil }
        var bits: UInt128 = 0
        for (position, character) in characters.prefix(Self.dataCharacters).enumerated() {
            guard let value = Self.value(of: character), position > 0 || value < 8 else { return nil }
            bits = bits << 5 | UInt128(value)
        }
        guard characters.suffix(2).elementsEqual(Self.checkDigits(of: bits)) else { return nil }
        self.init(rawValue: bits)
    }

    private static func value(of character: UInt8) -> Int? {
        switch character {
        case UInt8(ascii: "o"), UInt8(ascii: "O"): 0
        case UInt8(ascii: "i"), UInt8(ascii: "I"), UInt8(ascii: "l"), UInt8(ascii: "L"): 1
        case UInt8(ascii: "a")...UInt8(ascii: "z"): alphabet.firstIndex(of: character - 32)
        default: alphabet.firstIndex(of: character)
        }
    }

    /// The two decimal digits that make the number followed by them leave 1 when divided by 97.
    private static func checkDigits(of bits: UInt128) -> [UInt8] {
        let check = 98 - Int(bits % 97) * 100 % 97
        return [UInt8(ascii: "0") + UInt8(check / 10), UInt8(ascii: "0") + UInt8(check % 10)]
    }
}

extension DeviceID: Codable {
    /// Reads the text form from one string.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let value = DeviceID(text) else {
            throw DecodingError.dataCorruptedError(
                in: container,
                debugDescription: "not a device identifier: \(text.prefix(64))"
            )
        }
        self = value
    }

    /// Writes the text form as one string.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}

/// Identifies a device permanently: 128 random bits chosen by the server, independent of the device's keys.
///
/// People read and type it, so its text is Crockford's base 32 (no I, L, O, U; case-insensitive, with I and L read as 1
/// and O as 0), followed by two check digits (ISO/IEC 7064, MOD 97-10), in four groups of seven.
public struct DeviceID: Hashable, Comparable, Sendable, RawRepresentable {
    /// The 128 bits.
    public let rawValue: UInt128

    /// Wraps the bits.
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

    /// Parses the text with or without its dashes; nil for a wrong length, character or check digit.
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

    /// The two decimal digits that, appended to the number, leave a remainder of 1 modulo 97.
    private static func checkDigits(of bits: UInt128) -> [UInt8] {
        let check = 98 - Int(bits % 97) * 100 % 97
        return [UInt8(ascii: "0") + UInt8(check / 10), UInt8(ascii: "0") + UInt8(check % 10)]
    }
}

extension DeviceID: Codable {
    /// Decodes the text form from a single string.
    public init(from decoder: any Decoder) throws {
        self = try decoder.value(fromText: "a device identifier") { DeviceID($0) }
    }

    /// Encodes the text form as a single string.
    public func encode(to encoder: any Encoder) throws {
        try description.encode(to: encoder)
    }
}

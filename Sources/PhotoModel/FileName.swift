/// A file name as raw bytes, which on Linux need not be UTF-8; never a path to open.
///
/// On the wire it is a string, or `{"hex": "…"}` if the bytes are not UTF-8, so that every name is preserved.
public struct FileName: Hashable, Sendable {
    /// The longest name on Linux file systems (`NAME_MAX`), in bytes.
    public static let maximumByteCount = 255

    /// The bytes.
    public let bytes: [UInt8]

    /// Takes a name; nil if it is empty, too long, `.`, `..`, or contains a slash or a NUL.
    public init?(bytes: some Sequence<UInt8>) {
        let bytes = Array(bytes)
        guard 1...Self.maximumByteCount ~= bytes.count, !bytes.contains(0), !bytes.contains(UInt8(ascii: "/")),
            bytes != [UInt8(ascii: ".")], bytes != [UInt8(ascii: "."), UInt8(ascii: ".")]
        else { return nil }
        self.bytes = bytes
    }

    /// Takes a UTF-8 name, by the same rules.
    public init?(_ text: String) {
        self.init(bytes: text.utf8)
    }

    /// The name for display: broken UTF-8 is replaced, so it does not always identify the file.
    public var displayText: String {
        String(decoding: bytes, as: UTF8.self)
    }

    /// The name up to its last dot, or the whole name; shared by Live Photo pairs.
    public var stem: ArraySlice<UInt8> {
        guard let dot = bytes.lastIndex(of: UInt8(ascii: ".")), dot > 0 else { return bytes[...] }
        return bytes[..<dot]
    }
}

extension FileName: Codable {
    private enum CodingKeys: String, CodingKey {
        case hex
    }

    /// Decodes a string, or an object with the bytes in hexadecimal.
    public init(from decoder: any Decoder) throws {
        let bytes: [UInt8]?
        if let text = try? decoder.singleValueContainer().decode(String.self) {
            bytes = Array(text.utf8)
        } else {
            bytes = try HexadecimalText.bytes(
                decoder.container(keyedBy: CodingKeys.self).decode(String.self, forKey: .hex)
            )
        }
        guard let bytes, let name = FileName(bytes: bytes) else {
            throw decoder.corruption("not a file name of 1 to 255 bytes")
        }
        self = name
    }

    /// Encodes a string if the bytes are UTF-8, else an object with the bytes in hexadecimal.
    public func encode(to encoder: any Encoder) throws {
        if let text = String(validating: bytes, as: UTF8.self) {
            try text.encode(to: encoder)
        } else {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(HexadecimalText.text(bytes), forKey: .hex)
        }
    }
}

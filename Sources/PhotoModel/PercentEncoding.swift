/// Percent-encoding of one path segment or one query value (RFC 3986, sections 2.1 and 2.3).
package enum PercentEncoding {
    /// Encodes everything but unreserved characters.
    package static func encode(_ text: some StringProtocol) -> String {
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            if isUnreserved(byte) {
                bytes.append(byte)
            } else {
                bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 0xF)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Decodes a text; nil for a broken escape or invalid UTF-8.
    package static func decode(_ text: some StringProtocol) -> String? {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.popFirst().flatMap(value), let low = rest.popFirst().flatMap(value) else {
                return nil
            }
            bytes.append(high << 4 | low)
        }
        return String(validating: bytes, as: UTF8.self)
    }

    /// A query from names and values, without its question mark; empty for none.
    package static func query(_ items: [(name: String, value: String)]) -> String {
        items.map { "\(encode($0.name))=\(encode($0.value))" }.joined(separator: "&")
    }

    /// The names and values of a query; nil if one is broken.
    ///
    /// A name without `=` has an empty value. A plus sign is a space, as in forms and browsers' `URLSearchParams` (URL
    /// Standard, section 5.1); a literal plus sign is `%2B`.
    package static func items(ofQuery query: some StringProtocol) -> [(name: String, value: String)]? {
        var items: [(name: String, value: String)] = []
        for part in query.split(separator: "&") {
            let sides = String(part.map { $0 == "+" ? " " : $0 })
                .split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = sides.first.flatMap({ decode($0) }), let value = decode(sides.count > 1 ? sides[1] : "")
            else { return nil }
            items.append((name, value))
        }
        return items
    }

    private static let digits = Array("0123456789ABCDEF".utf8)

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        byte.isASCIILetterOrDigit || "-._~".utf8.contains(byte)
    }

    private static func value(_ digit: UInt8) -> UInt8? {
        Character(Unicode.Scalar(digit)).hexDigitValue.map { UInt8($0) }
    }
}

extension UInt8 {
    /// Whether it is an ASCII letter or digit.
    package var isASCIILetterOrDigit: Bool {
        // Bit 5 alone tells small letters from capital ones.
        UInt8(ascii: "a")...UInt8(ascii: "z") ~= self | 0x20 || UInt8(ascii: "0")...UInt8(ascii: "9") ~= self
    }
}

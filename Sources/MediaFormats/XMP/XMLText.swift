/// Decodes and encodes XML character references.
enum XMLText {
    static func isWhiteSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
    }

    /// Text without references.
    static func verbatim(_ range: FileRange, in bytes: RawSpan) throws(MediaFormatError) -> String {
        try text(try bytes.copyBytes(in: range), at: range.offset)
    }

    /// Text with references resolved; in attributes white space becomes spaces (XML 1.0, 3.3.3).
    static func decoded(_ range: FileRange, isAttribute: Bool, in bytes: RawSpan) throws(MediaFormatError) -> String {
        let raw = try bytes.copyBytes(in: range)
        if !raw.contains(UInt8(ascii: "&")) && !isAttribute { return try text(raw, at: range.offset) }
        var decoded: [UInt8] = []
        decoded.reserveCapacity(raw.count)
        var index = 0
        while index < raw.count {
            let byte = raw[index]
            if byte == UInt8(ascii: "&") {
                // The longest reference is `&#x10FFFF;`, plus some leading zeros.
                let window = raw[(index + 1)...].prefix(16)
                guard let end = window.firstIndex(of: UInt8(ascii: ";")),
                    let scalar = scalar(of: window[..<end])
                else { throw MediaFormatError(.malformed, "an unknown XML entity", at: range.offset + index) }
                decoded.append(contentsOf: String(Character(scalar)).utf8)
                index = end + 1
            } else {
                decoded.append(isAttribute && isWhiteSpace(byte) ? 0x20 : byte)
                index += 1
            }
        }
        return try text(decoded, at: range.offset)
    }

    /// Escapes text for content and for double-quoted attributes; characters not allowed in XML become U+FFFD.
    static func escaped(_ text: String) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "\t": escaped += "&#x9;"
            case "\n": escaped += "&#xA;"
            case "\r": escaped += "&#xD;"
            case _ where isAllowed(scalar): escaped.unicodeScalars.append(scalar)
            default: escaped += "\u{FFFD}"
            }
        }
        return escaped
    }

    /// The characters that XML 1.0, section 2.2, allows.
    static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x09, 0x0A, 0x0D, 0x20...0xFFFD, 0x1_0000...: true
        default: false
        }
    }

    private static func text(_ bytes: [UInt8], at offset: Int) throws(MediaFormatError) -> String {
        guard let text = String(validating: bytes, as: UTF8.self),
            !bytes.contains(where: { $0 < 0x20 && !isWhiteSpace($0) })
        else { throw MediaFormatError(.malformed, "XML text is not UTF-8 or has control characters", at: offset) }
        return text
    }

    private static func scalar(of reference: ArraySlice<UInt8>) -> Unicode.Scalar? {
        let name = String(decoding: reference, as: UTF8.self)
        switch name {
        case "amp": return "&"
        case "lt": return "<"
        case "gt": return ">"
        case "quot": return "\""
        case "apos": return "'"
        default: break
        }
        guard name.hasPrefix("#") else { return nil }
        let isHexadecimal = name.hasPrefix("#x")
        let digits = name.dropFirst(isHexadecimal ? 2 : 1)
        guard digits.first?.isHexDigit == true, let value = UInt32(digits, radix: isHexadecimal ? 16 : 10),
            let scalar = Unicode.Scalar(value), isAllowed(scalar)
        else { return nil }
        return scalar
    }
}

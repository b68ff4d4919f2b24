import PhotoModel

/// The parsing algorithms of RFC 9651, section 4.2, over the ASCII bytes of one field.
struct StructuredFieldReader {
    private var rest: ArraySlice<UInt8>

    init(_ text: String) {
        rest = Array(text.utf8)[...]
    }

    /// Whether nothing but spaces is left.
    var isAtTrailingSpaces: Bool { rest.allSatisfy { $0 == UInt8(ascii: " ") } }

    mutating func skipSpaces() {
        rest = rest.drop { $0 == UInt8(ascii: " ") }
    }

    /// Optional white space (RFC 9110, section 5.6.3).
    mutating func skipWhitespace() {
        rest = rest.drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
    }

    mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard rest.first == UInt8(ascii: character) else { return false }
        rest.removeFirst()
        return true
    }

    private mutating func take(while isPart: (UInt8) -> Bool) -> ArraySlice<UInt8> {
        let part = rest.prefix(while: isPart)
        rest = rest.dropFirst(part.count)
        return part
    }

    mutating func key() -> String? {
        guard let first = rest.first, Self.isLowercase(first) || first == UInt8(ascii: "*") else { return nil }
        let part = take { byte in
            Self.isLowercase(byte) || Self.isDigit(byte) || "_-.*".utf8.contains(byte)
        }
        return String(decoding: part, as: UTF8.self)
    }

    /// A dictionary's member: an item or an inner list.
    mutating func member() -> StructuredField.Value? {
        guard take("(") else { return item() }
        while true {
            skipSpaces()
            if take(")") { return parameters() ? .other : nil }
            guard item() != nil, rest.first == UInt8(ascii: " ") || rest.first == UInt8(ascii: ")") else { return nil }
        }
    }

    mutating func item() -> StructuredField.Value? {
        guard let value = bareItem(), parameters() else { return nil }
        return value
    }

    mutating func parameters() -> Bool {
        while take(";") {
            skipSpaces()
            guard key() != nil else { return false }
            if take("="), bareItem() == nil { return false }
        }
        return true
    }

    private mutating func bareItem() -> StructuredField.Value? {
        guard let first = rest.first else { return nil }
        switch first {
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return number()
        case UInt8(ascii: "?"): return boolean()
        case UInt8(ascii: ":"): return byteSequence()
        case UInt8(ascii: "\""): return string()
        case UInt8(ascii: "@"):
            rest.removeFirst()
            guard case .integer = number() else { return nil }
            return .other
        case UInt8(ascii: "%"):
            rest.removeFirst()
            return displayString()
        default: return token()
        }
    }

    private mutating func number() -> StructuredField.Value? {
        let isNegative = take("-")
        let digits = take(while: Self.isDigit)
        guard !digits.isEmpty, digits.count <= 15 else { return nil }
        guard take(".") else {
            let magnitude = digits.reduce(Int64(0)) { $0 * 10 + Int64($1 - UInt8(ascii: "0")) }
            return .integer(isNegative ? -magnitude : magnitude)
        }
        let fraction = take(while: Self.isDigit)
        return digits.count <= 12 && 1...3 ~= fraction.count ? .other : nil
    }

    private mutating func boolean() -> StructuredField.Value? {
        rest.removeFirst()
        if take("1") { return .boolean(true) }
        return take("0") ? .boolean(false) : nil
    }

    private mutating func byteSequence() -> StructuredField.Value? {
        rest.removeFirst()
        let part = take { $0 != UInt8(ascii: ":") }
        guard take(":") else { return nil }
        return Base64.decode(String(decoding: part, as: UTF8.self)).map { .bytes($0) }
    }

    private mutating func string() -> StructuredField.Value? {
        rest.removeFirst()
        var bytes: [UInt8] = []
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "\""): return .string(String(decoding: bytes, as: UTF8.self))
            case UInt8(ascii: "\\"):
                guard let escaped = rest.popFirst(), escaped == UInt8(ascii: "\"") || escaped == UInt8(ascii: "\\")
                else { return nil }
                bytes.append(escaped)
            case 0x20...0x7E: bytes.append(byte)
            default: return nil
            }
        }
        return nil
    }

    private mutating func displayString() -> StructuredField.Value? {
        guard take("\"") else { return nil }
        let part = take { 0x20...0x7E ~= $0 && $0 != UInt8(ascii: "\"") }
        guard take("\""), PercentEncoding.decode(String(decoding: part, as: UTF8.self)) != nil else { return nil }
        return .other
    }

    private mutating func token() -> StructuredField.Value? {
        guard let first = rest.first, Self.isLetter(first) || first == UInt8(ascii: "*") else { return nil }
        _ = take { byte in
            Self.isLetter(byte) || Self.isDigit(byte) || "!#$%&'*+-.^_`|~:/".utf8.contains(byte)
        }
        return .other
    }

    private static func isDigit(_ byte: UInt8) -> Bool { UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte }

    private static func isLowercase(_ byte: UInt8) -> Bool { UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte }

    private static func isLetter(_ byte: UInt8) -> Bool {
        isLowercase(byte) || UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte
    }
}

import LibraryAPI

/// Checks a JSON text against RFC 8259 before decoding, and for anything that two decoders could read differently.
///
/// Besides grammar errors it refuses invalid UTF-8, duplicate names in an object, more than ``maximumDepth`` levels,
/// numbers of more than ``maximumNumberByteCount`` characters, and NUL in a text. Foundation's decoder silently takes
/// the last of two equal names; a proxy may have judged the first. PostgreSQL cannot read a JSON column with a NUL.
struct StrictJSON {
    /// The maximum nesting of arrays and objects.
    static let maximumDepth = 32
    /// The most characters that a number may have; the interface's own numbers are shorter.
    static let maximumNumberByteCount = 32

    private let bytes: [UInt8]
    private var position = 0

    /// Checks a whole text.
    ///
    /// - Throws: `request.malformed` with the position.
    static func check(_ bytes: [UInt8]) throws(ProblemDetails) {
        guard String(validating: bytes, as: UTF8.self) != nil else {
            throw ProblemDetails(.malformedRequest, "The body is not valid UTF-8.")
        }
        var checker = StrictJSON(bytes: bytes)
        try checker.value(depth: 0)
        checker.skipSpace()
        guard checker.position == bytes.count else { throw checker.problem("nothing may follow the value") }
    }

    private init(bytes: [UInt8]) { self.bytes = bytes }

    private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    private func problem(_ text: String) -> ProblemDetails {
        ProblemDetails(.malformedRequest, "The body is not acceptable JSON: at byte \(position), \(text).")
    }

    private mutating func skipSpace() {
        while let byte = next, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { position += 1 }
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard next == byte else { return false }
        position += 1
        return true
    }

    private mutating func value(depth: Int) throws(ProblemDetails) {
        guard depth < Self.maximumDepth else { throw problem("there are more than \(Self.maximumDepth) levels") }
        skipSpace()
        switch next {
        case UInt8(ascii: "{"): try object(depth: depth)
        case UInt8(ascii: "["): try array(depth: depth)
        case UInt8(ascii: "\""): _ = try string()
        case UInt8(ascii: "t"): try literal("true")
        case UInt8(ascii: "f"): try literal("false")
        case UInt8(ascii: "n"): try literal("null")
        default: try number()
        }
    }

    private mutating func object(depth: Int) throws(ProblemDetails) {
        position += 1
        var names: Set<[UInt8]> = []
        skipSpace()
        if take(UInt8(ascii: "}")) { return }
        while true {
            skipSpace()
            guard next == UInt8(ascii: "\"") else { throw problem("a name must be in quotes") }
            guard names.insert(try string()).inserted else { throw problem("a name appears twice") }
            skipSpace()
            guard take(UInt8(ascii: ":")) else { throw problem("a colon is missing") }
            try value(depth: depth + 1)
            skipSpace()
            if take(UInt8(ascii: "}")) { return }
            guard take(UInt8(ascii: ",")) else { throw problem("a comma or brace is missing") }
        }
    }

    private mutating func array(depth: Int) throws(ProblemDetails) {
        position += 1
        skipSpace()
        if take(UInt8(ascii: "]")) { return }
        while true {
            try value(depth: depth + 1)
            skipSpace()
            if take(UInt8(ascii: "]")) { return }
            guard take(UInt8(ascii: ",")) else { throw problem("a comma or bracket is missing") }
        }
    }

    private mutating func literal(_ text: StaticString) throws(ProblemDetails) {
        let wanted = Array("\(text)".utf8)
        guard bytes[position...].starts(with: wanted) else { throw problem("a value is missing") }
        position += wanted.count
    }

    private mutating func number() throws(ProblemDetails) {
        let start = position
        _ = take(UInt8(ascii: "-"))
        if take(UInt8(ascii: "0")) {
            guard digits() == 0 else { throw problem("a number begins with zero") }
        } else if digits() == 0 {
            throw problem("a value is missing")
        }
        if take(UInt8(ascii: ".")), digits() == 0 { throw problem("digits are missing") }
        if take(UInt8(ascii: "e")) || take(UInt8(ascii: "E")) {
            if !take(UInt8(ascii: "+")) { _ = take(UInt8(ascii: "-")) }
            guard digits() > 0 else { throw problem("digits are missing") }
        }
        guard position - start <= Self.maximumNumberByteCount else { throw problem("a number is too long") }
    }

    private mutating func digits() -> Int {
        let start = position
        while let byte = next, UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte { position += 1 }
        return position - start
    }

    /// Reads a string and returns its bytes with escapes resolved, so that equal names are found however written.
    private mutating func string() throws(ProblemDetails) -> [UInt8] {
        position += 1
        var units: [UInt8] = []
        while let byte = next {
            position += 1
            switch byte {
            case UInt8(ascii: "\""): return units
            case UInt8(ascii: "\\"): units += try escape()
            case 0..<0x20: throw problem("a string contains a control character")
            default: units.append(byte)
            }
        }
        throw problem("a string is not closed")
    }

    private mutating func escape() throws(ProblemDetails) -> [UInt8] {
        guard let byte = next else { throw problem("a string is not closed") }
        position += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return [byte]
        case UInt8(ascii: "b"): return [0x08]
        case UInt8(ascii: "f"): return [0x0C]
        case UInt8(ascii: "n"): return [0x0A]
        case UInt8(ascii: "r"): return [0x0D]
        case UInt8(ascii: "t"): return [0x09]
        case UInt8(ascii: "u"):
            let scalar = try unicodeEscape()
            guard scalar != "\0" else { throw problem("a text contains NUL") }
            return Array(String(scalar).utf8)
        default: throw problem("an escape is unknown")
        }
    }

    private mutating func unicodeEscape() throws(ProblemDetails) -> Unicode.Scalar {
        let first = try fourDigits()
        if let scalar = Unicode.Scalar(first) { return scalar }
        guard UTF16.isLeadSurrogate(UInt16(truncatingIfNeeded: first)), take(UInt8(ascii: "\\")),
            take(UInt8(ascii: "u"))
        else { throw problem("an escaped surrogate has no partner") }
        let second = try fourDigits()
        guard UTF16.isTrailSurrogate(UInt16(truncatingIfNeeded: second)),
            let scalar = Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
        else { throw problem("an escaped surrogate has no partner") }
        return scalar
    }

    private mutating func fourDigits() throws(ProblemDetails) -> UInt32 {
        let digits = bytes[position...].prefix(4)
        let text = String(decoding: digits, as: UTF8.self)
        guard digits.count == 4, text.allSatisfy(\.isHexDigit), let value = UInt32(text, radix: 16) else {
            throw problem("four hexadecimal digits are missing")
        }
        position += 4
        return value
    }
}

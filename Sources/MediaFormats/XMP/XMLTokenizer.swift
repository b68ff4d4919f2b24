/// One step through an XML document.
enum XMLToken: Hashable, Sendable {
    /// A start tag, which may also be the end of its element.
    case start(name: String, attributes: [XMLRawAttribute], isEmpty: Bool, range: FileRange)
    /// An end tag.
    case end(name: String, range: FileRange)
    /// Character data with references resolved; white space is kept.
    case text(String)
}

/// A raw attribute of a start tag.
struct XMLRawAttribute: Hashable, Sendable {
    /// The name with its prefix.
    let name: String
    /// The value with references resolved.
    let value: String
    /// The attribute with the preceding white space.
    let range: FileRange
}

/// Tokenizes the subset of XML 1.0 that XMP uses.
///
/// UTF-8 only. A document type, and with it every entity but the five predefined ones, is refused: entities let small
/// documents expand into large ones. Each byte is examined a bounded number of times.
struct XMLTokenizer {
    private(set) var reader: XMLByteReader
    private let limits: ParseLimits

    init(_ document: FileRange, limits: ParseLimits) {
        reader = XMLByteReader(document)
        self.limits = limits
    }

    /// The next token; nil at the end of the document.
    mutating func next(in bytes: RawSpan) throws(MediaFormatError) -> XMLToken? {
        while let first = reader.peek(in: bytes) {
            if first != UInt8(ascii: "<") { return .text(try text(in: bytes)) }
            if bytes.hasPrefix("<!--", at: reader.offset) {
                try reader.skip(past: "-->", in: bytes)
            } else if bytes.hasPrefix("<![CDATA[", at: reader.offset) {
                return .text(try characterData(in: bytes))
            } else if bytes.hasPrefix("<?", at: reader.offset) {
                try reader.skip(past: "?>", in: bytes)
            } else if bytes.hasPrefix("<!", at: reader.offset) {
                throw MediaFormatError(.unsupported, "XMP with a document type", at: reader.offset)
            } else if bytes.hasPrefix("</", at: reader.offset) {
                return try endTag(in: bytes)
            } else {
                return try startTag(in: bytes)
            }
        }
        return nil
    }

    private mutating func startTag(in bytes: RawSpan) throws(MediaFormatError) -> XMLToken {
        let start = reader.offset
        reader.advance()
        let name = try reader.name(in: bytes)
        var attributes: [XMLRawAttribute] = []
        while true {
            let before = reader.offset
            reader.skipWhiteSpace(in: bytes)
            let isEmpty = bytes.hasPrefix("/>", at: reader.offset)
            if isEmpty { reader.advance(2) }
            if isEmpty || reader.take(UInt8(ascii: ">"), in: bytes) {
                let range = FileRange(start..<reader.offset)
                return .start(name: name, attributes: attributes, isEmpty: isEmpty, range: range)
            }
            guard before < reader.offset else {
                throw MediaFormatError(.malformed, "XML attributes are not apart", at: before)
            }
            guard attributes.count < limits.listItems else {
                throw MediaFormatError(.limitExceeded, "too many XML attributes", at: before)
            }
            attributes.append(try attribute(from: before, in: bytes))
        }
    }

    private mutating func attribute(from start: Int, in bytes: RawSpan) throws(MediaFormatError) -> XMLRawAttribute {
        let name = try reader.name(in: bytes)
        reader.skipWhiteSpace(in: bytes)
        try reader.expect(UInt8(ascii: "="), in: bytes)
        reader.skipWhiteSpace(in: bytes)
        let isDouble = reader.peek(in: bytes) == UInt8(ascii: "\"")
        let quote = isDouble ? UInt8(ascii: "\"") : UInt8(ascii: "'")
        try reader.expect(quote, in: bytes)
        guard let end = bytes.firstOffset(of: quote, in: reader.rest) else {
            throw MediaFormatError(.malformed, "an XML attribute does not end", at: start)
        }
        let value = try XMLText.decoded(FileRange(reader.offset..<end), isAttribute: true, in: bytes)
        reader.advance(end - reader.offset + 1)
        return XMLRawAttribute(name: name, value: value, range: FileRange(start..<reader.offset))
    }

    private mutating func endTag(in bytes: RawSpan) throws(MediaFormatError) -> XMLToken {
        let start = reader.offset
        reader.advance(2)
        let name = try reader.name(in: bytes)
        reader.skipWhiteSpace(in: bytes)
        try reader.expect(UInt8(ascii: ">"), in: bytes)
        return .end(name: name, range: FileRange(start..<reader.offset))
    }

    private mutating func text(in bytes: RawSpan) throws(MediaFormatError) -> String {
        let start = reader.offset
        let end = bytes.firstOffset(of: UInt8(ascii: "<"), in: reader.rest) ?? reader.end
        reader.advance(end - start)
        return try XMLText.decoded(FileRange(start..<end), isAttribute: false, in: bytes)
    }

    private mutating func characterData(in bytes: RawSpan) throws(MediaFormatError) -> String {
        reader.advance(9)
        let start = reader.offset
        try reader.skip(past: "]]>", in: bytes)
        return try XMLText.verbatim(FileRange(start..<reader.offset - 3), in: bytes)
    }
}

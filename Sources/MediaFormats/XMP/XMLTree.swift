/// The elements of one XML document with their ranges in the file, so that parts can be cut out.
struct XMLTree: Sendable {
    /// One element.
    struct Element: Sendable {
        let name: XMLName
        let attributes: [Attribute]
        /// The elements inside it, by index, in order.
        var children: [Int] = []
        /// The character data directly inside it.
        var text = ""
        /// From the first byte of its start tag to the last of its end tag.
        var range: FileRange
    }

    /// One attribute that is not a namespace declaration.
    struct Attribute: Sendable {
        let name: XMLName
        let value: String
        /// The attribute with the preceding white space.
        let range: FileRange
    }

    /// All elements in document order; the root is the first.
    private(set) var elements: [Element] = []

    private var open: [(element: Int, name: String, namespaceCount: Int)] = []
    private var namespaces: [(prefix: String, namespace: XMPNamespace?)] = []
    private static let mostNamespaces = 256

    /// Reads a document in a range; a byte order mark, processing instructions and NULs around it are allowed.
    ///
    /// - Throws: `malformed`, `unsupported` for a document type, or `limitExceeded`.
    init(_ bytes: RawSpan, document: FileRange, limits: ParseLimits) throws(MediaFormatError) {
        let start = bytes.hasPrefix("\u{FEFF}", at: document.offset) ? document.dropping(3) : document
        var tokenizer = XMLTokenizer(Self.withoutPadding(start, in: bytes), limits: limits)
        while let token = try tokenizer.next(in: bytes) {
            let place = tokenizer.reader.offset
            switch token {
            case .start(let name, let attributes, let isEmpty, let range):
                try begin(name, attributes, range: range, limits: limits)
                if isEmpty { try finish(name, range: range) }
            case .end(let name, let range):
                try finish(name, range: range)
            case .text(let text):
                if let current = open.last {
                    elements[current.element].text += text
                } else if !text.utf8.allSatisfy(XMLText.isWhiteSpace) {
                    throw MediaFormatError(.malformed, "text outside the XML document", at: place)
                }
            }
        }
        guard open.isEmpty, !elements.isEmpty else {
            throw MediaFormatError(.malformed, "an XML element does not end", at: document.end)
        }
    }

    /// Drops the NULs with which some writers pad a packet.
    private static func withoutPadding(_ range: FileRange, in bytes: RawSpan) -> FileRange {
        var end = min(range.end, bytes.byteCount)
        while end > range.offset, (try? bytes.byte(at: end - 1)) == 0 { end -= 1 }
        return FileRange(range.offset..<max(range.offset, end))
    }

    private mutating func begin(
        _ name: String,
        _ attributes: [XMLRawAttribute],
        range: FileRange,
        limits: ParseLimits
    ) throws(MediaFormatError) {
        guard elements.count < limits.elements, open.count < limits.nestingDepth else {
            throw MediaFormatError(.limitExceeded, "too many or too deep XML elements", at: range.offset)
        }
        guard !open.isEmpty || elements.isEmpty else {
            throw MediaFormatError(.malformed, "an XML document has one root", at: range.offset)
        }
        let namespaceCount = namespaces.count
        for attribute in attributes {
            guard let prefix = Self.declaredPrefix(attribute.name) else { continue }
            guard namespaces.count < Self.mostNamespaces else {
                throw MediaFormatError(.limitExceeded, "too many XML namespaces", at: range.offset)
            }
            namespaces.append((prefix, XMPNamespace.byIdentifier[attribute.value]))
        }
        var resolved: [Attribute] = []
        for attribute in attributes where Self.declaredPrefix(attribute.name) == nil {
            let name = try resolve(attribute.name, isAttribute: true, at: attribute.range.offset)
            resolved.append(Attribute(name: name, value: attribute.value, range: attribute.range))
        }
        let index = elements.count
        let elementName = try resolve(name, isAttribute: false, at: range.offset)
        elements.append(Element(name: elementName, attributes: resolved, range: range))
        if let parent = open.last { elements[parent.element].children.append(index) }
        open.append((index, name, namespaceCount))
    }

    private mutating func finish(_ name: String, range: FileRange) throws(MediaFormatError) {
        guard let current = open.popLast(), current.name == name else {
            throw MediaFormatError(.malformed, "an XML end tag without its start", at: range.offset)
        }
        namespaces.removeLast(namespaces.count - current.namespaceCount)
        let start = elements[current.element].range.offset
        elements[current.element].range = FileRange(start..<range.end)
    }

    /// The prefix that an attribute declares, empty for the default namespace; nil for other attributes.
    private static func declaredPrefix(_ name: String) -> String? {
        if name == "xmlns" { return "" }
        return name.hasPrefix("xmlns:") ? String(name.dropFirst(6)) : nil
    }

    private func resolve(_ name: String, isAttribute: Bool, at offset: Int) throws(MediaFormatError) -> XMLName {
        let colon = name.utf8.firstIndex(of: UInt8(ascii: ":"))
        let prefix = colon.map { name[..<$0] } ?? ""
        let local = colon.map { name[name.index(after: $0)...] } ?? name[...]
        guard !local.isEmpty, !local.utf8.contains(UInt8(ascii: ":")), colon == nil || !prefix.isEmpty else {
            throw MediaFormatError(.malformed, "an XML name with stray colons", at: offset)
        }
        if prefix == "xml" { return XMLName(.xml, String(local)) }
        if let declared = namespaces.last(where: { $0.prefix == prefix }), !(isAttribute && prefix.isEmpty) {
            return XMLName(declared.namespace, String(local))
        }
        guard prefix.isEmpty else {
            throw MediaFormatError(.malformed, "an XML prefix without a namespace", at: offset)
        }
        return XMLName(nil, String(local))
    }
}

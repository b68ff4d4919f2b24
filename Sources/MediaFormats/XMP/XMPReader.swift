/// The properties of an XMP packet, which is RDF in XML (ISO 16684-1, section 7), by name.
///
/// A property may be an attribute or an element, and a structure may be an `rdf:Description`, an
/// `rdf:parseType="Resource"` or attributes: callers need not care.
struct XMPReader {
    /// A property's value, still in the tree.
    enum Value {
        case text(String)
        case element(Int)
    }

    /// Properties by name; the first of two equal ones wins.
    typealias Fields = [XMLName: Value]

    let tree: XMLTree
    /// The packet's properties.
    private(set) var properties: Fields = [:]

    private static let description = XMLName(.rdf, "Description")
    private static let item = XMLName(.rdf, "li")
    private static let containers = [XMLName(.rdf, "Bag"), XMLName(.rdf, "Seq"), XMLName(.rdf, "Alt")]

    init(_ bytes: RawSpan, packet: FileRange, limits: ParseLimits) throws(MediaFormatError) {
        guard packet.length <= limits.packetBytes else {
            throw MediaFormatError(.limitExceeded, "an XMP packet is longer than the limit", at: packet.offset)
        }
        tree = try XMLTree(bytes, document: packet, limits: limits)
        guard let root = tree.elements.indices.first(where: { tree.elements[$0].name == XMLName(.rdf, "RDF") }) else {
            throw MediaFormatError(.unrecognizedFormat, "XML without RDF", at: packet.offset)
        }
        for child in tree.elements[root].children where tree.elements[child].name == Self.description {
            properties.merge(fields(of: child)) { first, _ in first }
        }
    }

    /// Attributes and elements of a node as properties.
    private func fields(of index: Int) -> Fields {
        let element = tree.elements[index]
        var fields: Fields = [:]
        for attribute in element.attributes where !Self.isSyntax(attribute.name) {
            fields[attribute.name] = fields[attribute.name] ?? .text(attribute.value)
        }
        for child in element.children {
            let name = tree.elements[child].name
            fields[name] = fields[name] ?? .element(child)
        }
        return fields
    }

    private static func isSyntax(_ name: XMLName) -> Bool {
        name.namespace == nil || name.namespace == .rdf || name.namespace == .xml
    }

    /// A value as text: its own, its resource, or the first item of its list, preferring the default language.
    func text(_ value: Value?) -> String? {
        switch value {
        case nil: return nil
        case .text(let text): return text
        case .element(let index):
            let element = tree.elements[index]
            if let container = container(in: element) {
                let items = items(of: container)
                let preferred = items.first { isDefaultLanguage($0) } ?? items.first
                return preferred.flatMap { text(.element($0)) }
            }
            if let nested = element.children.first(where: { tree.elements[$0].name == XMLName(.rdf, "value") }) {
                return tree.elements[nested].text
            }
            return attribute(XMLName(.rdf, "resource"), of: element) ?? (element.children.isEmpty ? element.text : nil)
        }
    }

    /// A value as a list; a single value is a list of one.
    func items(_ value: Value?) -> [Value] {
        switch value {
        case nil: []
        case .text: value.map { [$0] } ?? []
        case .element(let index):
            if let container = container(in: tree.elements[index]) {
                items(of: container).map { .element($0) }
            } else {
                tree.elements[index].text.utf8.allSatisfy(XMLText.isWhiteSpace) ? [] : [.element(index)]
            }
        }
    }

    /// A value as a structure; empty if it is not one.
    func structure(_ value: Value?) -> Fields {
        guard case .element(let index) = value else { return [:] }
        let inner = tree.elements[index].children.first { tree.elements[$0].name == Self.description }
        return fields(of: inner ?? index)
    }

    private func container(in element: XMLTree.Element) -> XMLTree.Element? {
        element.children.first { Self.containers.contains(tree.elements[$0].name) }.map { tree.elements[$0] }
    }

    private func items(of container: XMLTree.Element) -> [Int] {
        container.children.filter { tree.elements[$0].name == Self.item }
    }

    private func isDefaultLanguage(_ index: Int) -> Bool {
        attribute(XMLName(.xml, "lang"), of: tree.elements[index])?.lowercased() == "x-default"
    }

    private func attribute(_ name: XMLName, of element: XMLTree.Element) -> String? {
        element.attributes.first { $0.name == name }?.value
    }
}

/// One property to be written into a packet.
struct XMPWrittenProperty {
    /// The kind of list.
    enum List: String {
        case bag = "Bag"
        case sequence = "Seq"
        case alternative = "Alt"
    }

    /// A name with its customary prefix.
    struct Name {
        let namespace: XMPNamespace
        let text: String

        init(_ namespace: XMPNamespace, _ local: String) {
            self.namespace = namespace
            text = "\(namespace.prefix):\(local)"
        }
    }

    /// A field of a structure; written as an attribute.
    struct Field {
        let name: Name
        let value: String

        init?(_ namespace: XMPNamespace, _ local: String, _ value: String?) {
            guard let value else { return nil }
            name = Name(namespace, local)
            self.value = value
        }

        var attribute: String { " \(name.text)=\"\(XMLText.escaped(value))\"" }
    }

    /// The namespaces that must be declared for it.
    let namespaces: [XMPNamespace]
    /// The XML, with a line end.
    let element: String

    private init(_ name: Name, _ more: [XMPNamespace] = [], content: String) {
        namespaces = [name.namespace] + more
        element = "   <\(name.text)>\(content)</\(name.text)>\n"
    }

    static func text(_ namespace: XMPNamespace, _ name: String, _ value: String?) -> XMPWrittenProperty? {
        value.map { XMPWrittenProperty(Name(namespace, name), content: XMLText.escaped($0)) }
    }

    static func number(_ namespace: XMPNamespace, _ name: String, _ value: Int?) -> XMPWrittenProperty? {
        text(namespace, name, value.map { String($0) })
    }

    static func list(
        _ namespace: XMPNamespace,
        _ name: String,
        _ kind: List,
        _ values: [String]
    ) -> XMPWrittenProperty? {
        guard !values.isEmpty else { return nil }
        let opening = kind == .alternative ? "<rdf:li xml:lang=\"x-default\">" : "<rdf:li>"
        let items = values.map { "\(opening)\(XMLText.escaped($0))</rdf:li>" }.joined()
        return XMPWrittenProperty(
            Name(namespace, name),
            content: "<rdf:\(kind.rawValue)>\(items)</rdf:\(kind.rawValue)>"
        )
    }

    /// A list of structures, each inside its own element if a wrapper is given.
    static func structures(
        _ namespace: XMPNamespace,
        _ name: String,
        _ kind: List,
        wrapper: Name?,
        _ values: [[Field]]
    ) -> XMPWrittenProperty? {
        guard !values.isEmpty else { return nil }
        let items = values.map { fields in
            let attributes = fields.map(\.attribute).joined()
            guard let wrapper else { return "<rdf:li\(attributes)/>" }
            return "<rdf:li rdf:parseType=\"Resource\"><\(wrapper.text)\(attributes)/></rdf:li>"
        }
        return XMPWrittenProperty(
            Name(namespace, name),
            values.flatMap { $0.map(\.name.namespace) },
            content: "<rdf:\(kind.rawValue)>\(items.joined())</rdf:\(kind.rawValue)>"
        )
    }
}

/// A store's XML response, as far as S3 needs it: elements and their text.
///
/// Attributes, comments, processing instructions and document types are skipped. Only XML's five entities and numeric
/// character references are expanded.
struct StoreDocument {
    /// An element that holds text only.
    private struct Leaf {
        let name: String
        /// The parent element's name; empty for the root.
        let parent: String
        /// The parent element's number, counted from the beginning.
        let parentNumber: Int
        let text: String

        init(_ name: String, in parent: (name: String, number: Int)?, _ text: String) {
            self.name = name
            self.parent = parent?.name ?? ""
            parentNumber = parent?.number ?? 0
            self.text = text
        }
    }

    private static let maximumDepth = 16
    private static let maximumCount = 50_000

    /// The name of the outermost element.
    let root: String
    private let leaves: [Leaf]

    /// Parses a document; nil unless it is complete: a truncated listing must never pass for a short one.
    init?(_ bytes: some Collection<UInt8>) {
        var open: [(name: String, number: Int)] = []
        var root: String?
        var leaves: [Leaf] = []
        var count = 0
        var text: [UInt8] = []
        var isLeaf = false
        var rest = Array(bytes)[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "<") else {
                if isLeaf { text.append(byte) }
                continue
            }
            guard let end = rest.firstIndex(of: UInt8(ascii: ">")), let kind = rest.first else { return nil }
            let tag = rest[..<end]
            rest = rest[(end + 1)...]
            if kind == UInt8(ascii: "?") || kind == UInt8(ascii: "!") { continue }
            if kind == UInt8(ascii: "/") {
                guard let last = open.popLast(), last.name == Self.name(tag.dropFirst()) else { return nil }
                if isLeaf { leaves.append(Leaf(last.name, in: open.last, Self.plain(text))) }
                isLeaf = false
                continue
            }
            count += 1
            let name = Self.name(tag)
            guard !name.isEmpty, open.count < Self.maximumDepth, count <= Self.maximumCount,
                root == nil || !open.isEmpty
            else { return nil }
            root = root ?? name
            isLeaf = tag.last != UInt8(ascii: "/")
            text = []
            if isLeaf { open.append((name, count)) } else { leaves.append(Leaf(name, in: open.last, "")) }
        }
        guard open.isEmpty, let root else { return nil }
        self.root = root
        self.leaves = leaves
    }

    /// The text of the first element with this name.
    func text(_ name: String) -> String? { leaves.first { $0.name == name }?.text }

    /// The elements with this name, each as the texts of its child elements.
    func groups(_ name: String) -> [[String: String]] {
        var groups: [[String: String]] = []
        var last = -1
        for leaf in leaves where leaf.parent == name {
            if leaf.parentNumber != last { groups.append([:]) }
            last = leaf.parentNumber
            groups[groups.count - 1][leaf.name] = leaf.text
        }
        return groups
    }

    /// A text escaped for an element.
    static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
            .replacing("\"", with: "&quot;")
    }

    private static func name(_ tag: ArraySlice<UInt8>) -> String {
        String(decoding: tag.prefix { $0 > 0x20 && $0 != UInt8(ascii: "/") }, as: UTF8.self)
    }

    private static func plain(_ bytes: [UInt8]) -> String {
        let text = String(decoding: bytes, as: UTF8.self)
        guard text.contains("&") else { return text }
        var result = ""
        var rest = text[...]
        while let start = rest.firstIndex(of: "&") {
            result += rest[..<start]
            rest = rest[start...]
            guard let end = rest.prefix(10).firstIndex(of: ";") else { break }
            result += character(rest[rest.index(after: rest.startIndex)..<end])
            rest = rest[rest.index(after: end)...]
        }
        return result + rest
    }

    private static func character(_ entity: Substring) -> String {
        switch entity {
        case "amp": return "&"
        case "lt": return "<"
        case "gt": return ">"
        case "quot": return "\""
        case "apos": return "'"
        default:
            let number =
                entity.hasPrefix("#x")
                ? UInt32(entity.dropFirst(2), radix: 16)
                : entity.hasPrefix("#") ? UInt32(entity.dropFirst()) : nil
            return number.flatMap(Unicode.Scalar.init).map { String(Character($0)) } ?? "\u{FFFD}"
        }
    }
}

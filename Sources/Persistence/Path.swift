/// The path of a file or directory, as UTF-8 text; components are joined, never parsed from foreign names.
package struct Path: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The text, without a trailing slash.
    package let text: String

    /// Drops trailing slashes.
    package init(_ text: String) {
        var text = text
        while text.utf8.count > 1, text.utf8.last == UInt8(ascii: "/") { text.removeLast() }
        self.text = text
    }

    /// Appends a component.
    ///
    /// - Parameter name: one name; a slash, `..` or an empty name is a programming error.
    /// - Returns: the longer path.
    package func appending(_ name: String) -> Path {
        precondition(
            !name.isEmpty && name != ".." && name != "." && !name.utf8.contains(UInt8(ascii: "/")),
            "not a name: \(name)"
        )
        return Path(text == "/" ? "/\(name)" : "\(text)/\(name)")
    }

    /// The containing directory.
    package var parent: Path {
        guard let slash = text.utf8.lastIndex(of: UInt8(ascii: "/")) else { return Path(".") }
        return slash == text.startIndex ? Path("/") : Path(String(text[..<slash]))
    }

    /// The last component.
    package var name: String {
        // By bytes: a name may begin with a combining mark, which would hide the slash before it.
        text.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(text[text.utf8.index(after: $0)...]) } ?? text
    }

    /// The text.
    package var description: String { text }

    /// Orders by the text.
    package static func < (left: Path, right: Path) -> Bool { left.text < right.text }
}

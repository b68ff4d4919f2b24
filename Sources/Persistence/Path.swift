/// The path of a file or directory, as text in UTF-8; parts are joined, never parsed out of names from outside.
package struct Path: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The text, without a slash at its end.
    package let text: String

    /// Takes a path as it is, without slashes at its end.
    package init(_ text: String) {
        var text = text
        while text.count > 1, text.hasSuffix("/") { text.removeLast() }
        self.text = text
    }

    /// The path of something below this directory.
    ///
    /// - Parameter name: one name; a slash, `..`, or nothing at all is the caller's mistake.
    /// - Returns: the longer path.
    package func appending(_ name: String) -> Path {
        precondition(
            !name.isEmpty && name != ".." && name != "." && !name.utf8.contains(UInt8(ascii: "/")),
            "not a name: \(name)"
        )
        return Path(text == "/" ? "/\(name)" : "\(text)/\(name)")
    }

    /// The directory that holds it.
    package var parent: Path {
        guard let slash = text.utf8.lastIndex(of: UInt8(ascii: "/")) else { return Path(".") }
        return slash == text.startIndex ? Path("/") : Path(String(text[..<slash]))
    }

    /// The part after the last slash.
    package var name: String {
        // By bytes: a name may begin with a combining mark, which would hide the slash before it.
        text.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(text[text.utf8.index(after: $0)...]) } ?? text
    }

    /// The text.
    package var description: String { text }

    /// Orders by the text.
    package static func < (left: Path, right: Path) -> Bool { left.text < right.text }
}

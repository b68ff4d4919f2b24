package import PhotoModel

/// The path of a file or directory, usually UTF-8 text; components are joined, never parsed from foreign names.
package struct Path: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The text, without a trailing slash; of a path that is not UTF-8, for display only.
    package let text: String
    /// The bytes of a path that is not UTF-8; nil for any other.
    private let bytes: [UInt8]?

    /// Drops trailing slashes.
    package init(_ text: String) {
        var text = text
        while text.utf8.count > 1, text.utf8.last == UInt8(ascii: "/") { text.removeLast() }
        self.text = text
        bytes = nil
    }

    /// Takes a path from the system, without a trailing slash, which need not be UTF-8.
    package init(bytes: [UInt8]) {
        let text = String(validating: bytes, as: UTF8.self)
        self.text = text ?? String(decoding: bytes, as: UTF8.self)
        self.bytes = text == nil ? bytes : nil
    }

    /// Appends one component; a slash, `..` or an empty name is a programming error.
    package func appending(_ name: String) -> Path {
        precondition(
            !name.isEmpty && name != ".." && name != "." && !name.utf8.contains(UInt8(ascii: "/")),
            "not a name: \(name)"
        )
        if let bytes { return Path(bytes: bytes + [UInt8(ascii: "/")] + name.utf8) }
        return Path(text == "/" ? "/\(name)" : "\(text)/\(name)")
    }

    /// Appends a file's name, which need not be UTF-8.
    package func appending(_ name: FileName) -> Path {
        if let text = String(validating: name.bytes, as: UTF8.self) { return appending(text) }
        let folder = bytes ?? Array(text.utf8)
        return Path(bytes: (text == "/" ? [] : folder) + [UInt8(ascii: "/")] + name.bytes)
    }

    /// The bytes for a system call, with a NUL at the end.
    package var systemBytes: [CChar] {
        (bytes ?? Array(text.utf8)).map { CChar(truncatingIfNeeded: $0) } + [0]
    }

    /// The containing directory.
    package var parent: Path {
        if let bytes, let slash = bytes.lastIndex(of: UInt8(ascii: "/")) {
            return slash == 0 ? Path("/") : Path(bytes: Array(bytes[..<slash]))
        }
        guard let slash = text.utf8.lastIndex(of: UInt8(ascii: "/")) else { return Path(".") }
        return slash == text.startIndex ? Path("/") : Path(String(text[..<slash]))
    }

    /// The last component.
    package var name: String {
        // By bytes: a name may begin with a combining mark, which would hide the slash before it.
        text.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(text[text.utf8.index(after: $0)...]) } ?? text
    }

    /// The last component's bytes; nil for a path without a name.
    package var fileName: FileName? {
        let bytes = bytes ?? Array(text.utf8)
        return FileName(bytes: bytes[(bytes.lastIndex(of: UInt8(ascii: "/")).map { $0 + 1 } ?? 0)...])
    }

    /// The text.
    package var description: String { text }

    /// Orders by the text; paths that only look the same, by their bytes.
    package static func < (left: Path, right: Path) -> Bool {
        if left.text != right.text { return left.text < right.text }
        return (left.bytes ?? []).lexicographicallyPrecedes(right.bytes ?? [])
    }
}

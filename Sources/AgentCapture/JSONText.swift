import Terminal

/// JSON for programs: sorted keys, ISO 8601 dates, unescaped slashes.
package enum JSONText {
    /// The bytes for a file or a response.
    package static func bytes(_ value: some Encodable) throws -> [UInt8] {
        Array(try Renderer.compactJSON(value).utf8)
    }

    /// The same for a terminal, which must not interpret it.
    package static func text(_ value: some Encodable) throws -> String { try Renderer.line(value) }
}

/// The address of a map that the page links coordinates to, with `{latitude}` and `{longitude}` where they go.
package struct MapLink: Hashable, Sendable, CustomStringConvertible {
    private static let maximumByteCount = 512

    /// The address as it was set.
    package let description: String

    /// Reads an address.
    ///
    /// - Parameter text: `https://` or `geo:`, with both places in it and nothing that ends an attribute in HTML; nil for
    ///   anything else.
    package init?(_ text: String) {
        guard text.hasPrefix("https://") || text.hasPrefix("geo:"), text.utf8.count <= Self.maximumByteCount,
            text.contains("{latitude}"), text.contains("{longitude}"),
            text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && !Self.forbidden.contains($0) })
        else { return nil }
        description = text
    }

    private static let forbidden = Set("\"'<>`\\".utf8)
}

/// The address of the map that coordinates link to, with the placeholders `{latitude}` and `{longitude}`.
package struct MapLink: Hashable, Sendable, CustomStringConvertible {
    private static let maximumByteCount = 512

    /// The address as configured.
    package let description: String

    /// Parses an address.
    ///
    /// - Parameter text: `https://` or `geo:`, with both placeholders and nothing that ends an HTML attribute; nil
    ///   for anything else.
    package init?(_ text: String) {
        guard text.hasPrefix("https://") || text.hasPrefix("geo:"), text.utf8.count <= Self.maximumByteCount,
            text.contains("{latitude}"), text.contains("{longitude}"),
            text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && !Self.forbidden.contains($0) })
        else { return nil }
        description = text
    }

    private static let forbidden = Set("\"'<>`\\".utf8)
}

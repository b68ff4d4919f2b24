/// A web page's origin (RFC 6454, section 6.2) served over TLS, for example `https://wall.example:8443`.
package struct WebOrigin: Hashable, Sendable, CustomStringConvertible {
    /// The most origins in a list.
    static let maximumCount = 16

    /// The origin as browsers write it.
    package let description: String

    /// Parses an origin.
    ///
    /// - Parameter text: `https://`, a host of letters, digits, dots and hyphens in lower case, and a port unless it
    ///   is 443; nil for anything else, so that it cannot add more to a header's list than one name.
    package init?(_ text: String) {
        let scheme = "https://"
        guard text.hasPrefix(scheme), text.utf8.count <= 300 else { return nil }
        let parts = text.dropFirst(scheme.count).split(separator: ":", omittingEmptySubsequences: false)
        guard let host = parts.first, parts.count <= 2, !host.isEmpty, host.utf8.count <= 253,
            host.utf8.allSatisfy({ Self.hostBytes.contains($0) }), host.first != ".", host.first != "-"
        else { return nil }
        if parts.count == 2 {
            guard let port = UInt16(parts[1]), port > 0, port != 443, "\(port)" == parts[1] else { return nil }
        }
        description = text
    }

    private static let hostBytes = Set("abcdefghijklmnopqrstuvwxyz0123456789.-".utf8)
}

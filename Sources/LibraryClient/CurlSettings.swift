import PhotoModel

/// A transport's server, trust, identity and limits.
package struct CurlSettings: Sendable {
    /// Which servers a transport trusts.
    package enum Trust: Sendable {
        /// Servers whose chain ends at these certificates (PEM), and no others.
        case pinned(String)
        /// Servers whose chain ends at an authority trusted by this machine: for servers other than a library.
        case machine
        /// Any server, without TLS, so that everybody on the way can read along: for a foreign server that has none.
        case unencrypted
        /// Any server: only for fetching an authority that is then compared with a fingerprint.
        case anybody
        /// A Unix socket, protected by the mode of its file.
        case socketFile(path: String)
    }

    /// The server's origin, for example `https://photos.example:8443`.
    package var origin: ServerOrigin
    /// Which servers to trust.
    package var trust: Trust
    /// The client's certificates (PEM, its own first) and key (PEM); nil sends none.
    package var identity: Identity?
    /// A proxy's URL; nil uses none, whatever the environment says.
    package var proxy: String?
    /// The total send rate in bytes per second; nil for no cap.
    package var sendBytesPerSecond: Int64?
    /// Concurrent connections, 1 to 64.
    package var maximumConnections = 4
    /// A connection attempt fails after this long.
    package var connectTimeout = Duration.seconds(15)
    /// A transfer fails after moving fewer than 16 bytes per second for this long.
    package var stallTimeout = Duration.seconds(60)
    /// The largest response header, in bytes.
    package var headerByteLimit = 64 << 10

    /// A client's certificates and key.
    package struct Identity: Sendable {
        /// Certificates in PEM, the client's own first.
        package var certificateChain: String
        /// The private key in PEM.
        package var key: String

        package init(certificateChain: String, key: String) {
            self.certificateChain = certificateChain
            self.key = key
        }
    }

    /// Creates settings with the default limits.
    package init(origin: ServerOrigin, trust: Trust, identity: Identity? = nil) {
        self.origin = origin
        self.trust = trust
        self.identity = identity
    }
}

/// Scheme, host and port of a server (RFC 6454), and nothing else.
package struct ServerOrigin: Hashable, Sendable, CustomStringConvertible, LosslessStringConvertible {
    /// The text, without a trailing slash.
    package let description: String

    /// Parses the address of a foreign server, which may also be `http`.
    ///
    /// - Parameter address: `https://host[:port]` or `http://host[:port]`, with or without a trailing slash.
    /// - Returns: the origin, and which servers to trust there; nil for anything else.
    package static func foreign(_ address: String) -> (origin: ServerOrigin, trust: CurlSettings.Trust)? {
        guard address.lowercased().hasPrefix("http://") else {
            return ServerOrigin(address).map { ($0, .machine) }
        }
        guard let same = ServerOrigin("https://" + address.dropFirst(7)) else { return nil }
        return (ServerOrigin(unchecked: "http://" + same.description.dropFirst(8)), .unencrypted)
    }

    /// The origin that stands for a Unix socket.
    package static let socketFile = ServerOrigin(unchecked: "http://localhost")

    private init(unchecked text: String) { description = text }

    /// Parses `https://host[:port]`, with or without a trailing slash; nil for anything else, including other schemes.
    package init?(_ description: String) {
        var text = description[...]
        if text.hasSuffix("/") { text = text.dropLast() }
        guard text.utf8.count <= 512, text.lowercased().hasPrefix("https://") else { return nil }
        let authority = text.dropFirst(8)
        let allowed = authority.utf8.allSatisfy { $0.isASCIILetterOrDigit || "-.:[]".utf8.contains($0) }
        guard allowed, let first = authority.utf8.first, first != UInt8(ascii: ":") else { return nil }
        self.init(unchecked: "https://\(authority)")
    }
}

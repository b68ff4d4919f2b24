/// Where a transport leads, whom it trusts, who it is, and its limits.
package struct CurlSettings: Sendable {
    /// Whom a transport believes.
    package enum Trust: Sendable {
        /// Servers whose chain ends at these certificates (PEM), and no others.
        case pinned(String)
        /// Servers whose chain ends at an authority that this machine trusts: for other people's servers.
        case machine
        /// Nobody is asked, and everybody on the way may read along: for a server of somebody else's that has no TLS.
        case unencrypted
        /// Anybody: only for fetching an authority that is then held against a fingerprint.
        case anybody
        /// A Unix socket, whose file's mode decides who is there.
        case socketFile(path: String)
    }

    /// The server's origin, for example `https://photos.example:8443`.
    package var origin: ServerOrigin
    /// Whom to believe.
    package var trust: Trust
    /// The client's certificates (PEM, its own first) and key (PEM); nil shows none.
    package var identity: Identity?
    /// A proxy's URL; nil takes none, whatever the environment says.
    package var proxy: String?
    /// The most bytes a second that are sent in all; nil for no cap.
    package var sendBytesPerSecond: Int64?
    /// Connections at once, 1 to 64.
    package var maximumConnections = 4
    /// A connection that is not there after so long has failed.
    package var connectTimeout = Duration.seconds(15)
    /// A transfer that moves fewer than 16 bytes a second for so long has failed.
    package var stallTimeout = Duration.seconds(60)
    /// The most bytes of an answer's header.
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

    /// A transport with the default limits.
    package init(origin: ServerOrigin, trust: Trust, identity: Identity? = nil) {
        self.origin = origin
        self.trust = trust
        self.identity = identity
    }
}

/// Scheme, host and port of a server (RFC 6454), and nothing else.
package struct ServerOrigin: Hashable, Sendable, CustomStringConvertible, LosslessStringConvertible {
    /// The text, without a slash at its end.
    package let description: String

    /// Reads the address of a server that is no library of ours: `http` is taken, too.
    ///
    /// - Parameter address: `https://host[:port]` or `http://host[:port]`, with or without a slash at its end.
    /// - Returns: the origin, and whom to believe there; nil for anything else.
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

    /// Reads `https://host[:port]`, with or without a slash at its end; nil for anything else, other schemes included.
    package init?(_ description: String) {
        var text = description[...]
        if text.hasSuffix("/") { text = text.dropLast() }
        guard text.utf8.count <= 512, text.lowercased().hasPrefix("https://") else { return nil }
        let authority = text.dropFirst(8)
        let allowed = authority.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: ":"),
                UInt8(ascii: "["), UInt8(ascii: "]"):
                true
            default: false
            }
        }
        guard allowed, let first = authority.utf8.first, first != UInt8(ascii: ":") else { return nil }
        self.init(unchecked: "https://\(authority)")
    }
}

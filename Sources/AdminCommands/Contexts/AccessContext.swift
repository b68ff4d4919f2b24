import FoundationEssentials
package import LibraryClient

/// An operator's access to a library: over a local socket, or remotely with a certificate.
struct AccessContext: Hashable, Sendable, Codable {
    /// The operator's name for it.
    var name: String
    /// The operators' socket; nil for a remote library.
    var socket: String?
    /// The remote library's address; nil for a socket.
    var server: String?
    /// The authority's certificates, PEM, which must vouch for the server.
    var authority: String?
    /// The operator's certificates, PEM, its own first; nil until issued.
    var certificate: String?
    /// The operator's key, PEM: a secret.
    var key: String?

    /// The access it describes.
    ///
    /// - Throws: `usage` for an incomplete context.
    func access() throws -> LibraryAccess {
        if let socket { return .socket(path: socket) }
        guard let server, let origin = ServerOrigin(server), let authority else {
            throw AdminError(
                .usage,
                "The context “\(name)” is incomplete: it has neither a socket nor a server with its authority.",
                next: "tintypectl context add \(name) --from FILE"
            )
        }
        guard let certificate, let key else {
            throw AdminError(
                .usage,
                "The context “\(name)” has no certificate yet.",
                next: "tintypectl operator add NAME --request FILE where the server is, then "
                    + "tintypectl context add \(name) --from FILE here"
            )
        }
        return .remote(
            RemoteAccess(
                origin: origin,
                authority: authority,
                identity: CurlSettings.Identity(certificateChain: certificate, key: key)
            )
        )
    }

    /// The address, for people.
    var address: String { server ?? socket ?? "nowhere yet" }

    /// The same without its secret, for output.
    var withoutKey: AccessContext {
        var copy = self
        copy.key = nil
        return copy
    }
}

/// How to reach a library.
package enum LibraryAccess: Sendable {
    /// Over the operators' socket of this machine.
    case socket(path: String)
    /// Over TLS, with an operator's certificate.
    case remote(RemoteAccess)
}

/// The credentials for a remote library.
package struct RemoteAccess: Sendable {
    /// The library's address.
    package let origin: ServerOrigin
    /// The authority's certificates, PEM.
    package let authority: String
    /// The operator's certificates and key.
    package let identity: CurlSettings.Identity
}

import Foundation
package import LibraryClient

/// Where a load goes: one server, or what stands in front of several.
package protocol LoadTarget: Sendable {
    /// A client on the operators' socket of a server.
    func operators() throws -> LibraryClient

    /// A client over TLS that believes the library's authority and nobody else's.
    ///
    /// - Parameters:
    ///   - identity: what it shows; nil for nothing.
    ///   - connections: connections at once.
    /// - Returns: the client; nothing is sent yet.
    /// - Throws: when the authority cannot be read or curl not be started.
    func client(identity: CurlSettings.Identity?, connections: Int) throws -> LibraryClient
}

extension LoadTarget {
    /// A client over TLS that shows nothing.
    package func client() throws -> LibraryClient { try client(identity: nil, connections: 4) }
}

extension LibraryClient {
    static func operators(at socket: URL) throws -> LibraryClient {
        LibraryClient(try CurlTransport(CurlSettings(origin: .socketFile, trust: .socketFile(path: socket.path))))
    }

    /// A client over TLS that believes one authority and nobody else's.
    ///
    /// - Parameters:
    ///   - port: where the server listens, on this machine.
    ///   - library: the folder of a server, which holds the authority.
    ///   - identity: what it shows; nil for nothing.
    ///   - connections: connections at once.
    /// - Returns: the client; nothing is sent yet.
    /// - Throws: when the authority cannot be read or curl not be started.
    static func overTLS(
        at port: Int,
        authorityOf library: URL,
        identity: CurlSettings.Identity?,
        connections: Int
    ) throws -> LibraryClient {
        let root = try String(contentsOf: library.appending(path: "authority/root.pem"), encoding: .utf8)
        guard let origin = ServerOrigin("https://localhost:\(port)") else { throw LoadError("the server has no port") }
        var settings = CurlSettings(origin: origin, trust: .pinned(root), identity: identity)
        settings.maximumConnections = connections
        return LibraryClient(try CurlTransport(settings))
    }
}
